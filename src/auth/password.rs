//! Passwords: what may be one, and the one bounded place where they are hashed.

mod hasher;
mod strength;

use std::fmt;

use unicode_normalization::UnicodeNormalization;

pub use self::{
    hasher::{HashError, Hasher},
    strength::Weakness,
};

/// Fewest characters of a new password.
pub const MIN_CHARS: usize = 10;
/// Most characters of any password.
pub const MAX_CHARS: usize = 128;

/// Why a text is not accepted as a password. The words for the person are those of [`PasswordError::key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    /// Nothing was typed.
    #[error("no password")]
    Empty,
    /// Fewer than 10 characters.
    #[error("fewer than 10 characters")]
    TooShort,
    /// More than 128 characters.
    #[error("more than 128 characters")]
    TooLong,
    /// A NUL, which no keyboard types.
    #[error("a control character")]
    Control,
    /// Too easy to guess, and why.
    #[error("too easy to guess: {0:?}")]
    Guessable(Weakness),
}

impl PasswordError {
    /// The key of the sentence for the person.
    pub fn key(self) -> &'static str {
        match self {
            Self::Empty => "forms-password-empty",
            Self::TooShort => "forms-password-too-short",
            Self::TooLong => "forms-password-too-long",
            Self::Control => "forms-control",
            Self::Guessable(weakness) => weakness.key(),
        }
    }
}

/// What was typed as the password of an account, at log-in: within the limits, nothing more.
///
/// Kept as typed except for NFKC, so that every keyboard's spelling of one text is one password.
#[derive(Clone, PartialEq, Eq)]
pub struct Typed(String);

impl Typed {
    /// Applies the cheap limits; length is counted as typed, and white space counts.
    pub fn parse(typed: &str) -> Result<Self, PasswordError> {
        if typed.is_empty() {
            return Err(PasswordError::Empty);
        }
        // Megabytes are refused before a single character is looked at.
        if typed.len() > MAX_CHARS * 4 || typed.chars().count() > MAX_CHARS {
            return Err(PasswordError::TooLong);
        }
        Ok(Self(typed.nfkc().collect()))
    }

    fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// A new password, good enough to protect an account.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Typed);

impl Password {
    /// Accepts a text of 10 to 128 characters that is hard to guess, also for somebody who knows `personal`: the
    /// person's names and address.
    ///
    /// The estimate costs up to a tenth of a second for a text that was made to be slow; while serving requests, ask
    /// [`Hasher::judge`] instead, which does it in the bounded place.
    pub fn parse(typed: &str, personal: &[&str]) -> Result<Self, PasswordError> {
        let password = Typed::parse(typed)?;
        if typed.chars().count() < MIN_CHARS {
            return Err(PasswordError::TooShort);
        }
        if typed.contains('\0') {
            return Err(PasswordError::Control);
        }
        match strength::weakness(&password.0, personal) {
            Some(reason) => Err(PasswordError::Guessable(reason)),
            None => Ok(Self(password)),
        }
    }
}

impl fmt::Debug for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lengths_are_counted_in_characters_as_typed() {
        let varied = |n: u32| -> String { (0..n).filter_map(|i| char::from_u32(0x4E00 + i * 37)).collect() };
        for (typed, error) in [
            (String::new(), PasswordError::Empty),
            ("kX9#mQ2$v".into(), PasswordError::TooShort),
            (varied(9), PasswordError::TooShort),
            (varied(129), PasswordError::TooLong),
            ("x".repeat(5_000_000), PasswordError::TooLong),
            ("kX9#m\0Q2$vL!w".into(), PasswordError::Control),
        ] {
            assert_eq!(Password::parse(&typed, &[]), Err(error));
        }
        for typed in [
            "kX9#mQ2$vL".to_owned(),
            varied(10),
            varied(128),
            "  fjord lantern 42  ".into(),
            "tab\tlantern\u{7}quilt".into(),
        ] {
            assert!(Password::parse(&typed, &[]).is_ok(), "{typed}");
        }
    }

    #[test]
    fn log_in_accepts_what_an_old_account_may_have() {
        assert_eq!(Typed::parse(""), Err(PasswordError::Empty));
        assert_eq!(Typed::parse(&"x".repeat(129)), Err(PasswordError::TooLong));
        assert!(Typed::parse("x").is_ok());
        assert!(Typed::parse("a\0b").is_ok());
    }

    #[test]
    fn spaces_and_case_matter_and_the_keyboards_spelling_does_not() {
        let same = |a: &str, b: &str| Typed::parse(a) == Typed::parse(b);
        assert!(same("cafe\u{301}", "café"));
        assert!(same("ﬁsh", "fish"));
        assert!(!same(" fish", "fish"));
        assert!(!same("Fish", "fish"));
    }

    #[test]
    fn is_not_printed() {
        let password = Password::parse("fjord-lantern-42", &[]).unwrap();
        assert_eq!(format!("{password:?} {:?}", Typed::parse("x")), "*** Ok(***)");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_text_is_read_or_refused(typed in ".{0,140}", personal in ".{0,40}") {
            let _ = Password::parse(&typed, &[&personal]);
        }
    }
}

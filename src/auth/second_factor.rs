//! The second factor: six digits from an app on the person's device, or a recovery code (`docs/accounts.md`).

mod enrolment;
mod recovery;
mod sealed;
mod totp;

use chrono::{DateTime, Utc};
use unicode_normalization::UnicodeNormalization;

pub use self::{
    enrolment::Enrolment,
    recovery::{RECOVERY_CODES, RecoveryCode},
    sealed::SealingKey,
    totp::TotpSecret,
};
use crate::{
    domain::notice::Notice,
    store::{Conn, StoreError, mails, second_factors, sessions, tokens, tokens::Purpose},
};

/// No code is longer, however it is grouped.
const LONGEST: usize = 200;

/// What was typed as a code.
#[derive(Clone, PartialEq, Eq)]
pub enum Code {
    /// Six digits, as an app shows them.
    App(String),
    /// One of the codes on paper.
    Recovery(RecoveryCode),
}

impl Code {
    /// Reads what was typed, however it is grouped and whichever keyboard typed it.
    pub fn parse(typed: &str) -> Option<Self> {
        if typed.len() > LONGEST {
            return None;
        }
        let is_between = |c: &char| c.is_whitespace() || matches!(c, '-' | '‐' | '‑' | '–' | '—' | '−' | '\u{200B}');
        let letters: String = typed.nfkc().filter(|c| !is_between(c)).flat_map(char::to_uppercase).collect();
        if letters.len() == 6 && letters.chars().all(|c| c.is_ascii_digit()) {
            return Some(Self::App(letters));
        }
        RecoveryCode::parse(&letters).map(Self::Recovery)
    }
}

/// A code that fits; it counts only for whoever redeems it first.
pub enum Proof {
    /// The code of a time step.
    Step {
        /// The secret that it belongs to, as it is stored.
        secret: String,
        /// Which step, counted from 1970.
        step: i64,
    },
    /// A recovery code.
    Recovery {
        /// Its hash.
        hash: String,
    },
}

impl Proof {
    /// What the code proves, if it is one of this second factor. Recovery codes are looked at when they are redeemed.
    pub fn of(code: &Code, key: &SealingKey, user_id: i64, secret: &str, now: DateTime<Utc>) -> Option<Self> {
        match code {
            Code::App(digits) => {
                let Some(opened) = key.open(secret, &purpose(user_id)) else {
                    tracing::error!("a second factor can't be read; was the cookie secret changed?");
                    return None;
                };
                opened.step_of(digits, now).map(|step| Self::Step { secret: secret.to_owned(), step })
            }
            Code::Recovery(code) => Some(Self::Recovery { hash: code.hash() }),
        }
    }

    /// Uses the code up; `false` when it is not, or no longer, good. Belongs into the transaction of what it allows.
    ///
    /// # Errors
    /// The database failed.
    pub fn redeem(&self, conn: &mut Conn, user_id: i64) -> Result<bool, StoreError> {
        match self {
            Self::Step { secret, step } => second_factors::use_step(conn, user_id, secret, *step),
            Self::Recovery { hash } => second_factors::use_code(conn, user_id, hash),
        }
    }

    /// Whether it is a recovery code.
    pub fn is_recovery(&self) -> bool {
        matches!(self, Self::Recovery { .. })
    }
}

/// Turns the second factor of a person off who has lost it, ends their sessions, and tells them. How many sessions ended;
/// nothing when there is no second factor. Belongs into a write transaction.
///
/// # Errors
/// The database failed.
pub fn reset(conn: &mut Conn, user_id: i64, cause: &str, now: DateTime<Utc>) -> Result<Option<usize>, StoreError> {
    if !second_factors::turn_off(conn, user_id, now)? {
        return Ok(None);
    }
    tokens::revoke(conn, user_id, Purpose::SecondFactor)?;
    mails::queue(conn, user_id, cause, &Notice::SecondFactorOff, now)?;
    sessions::end_all(conn, user_id, None).map(Some)
}

/// What a stored secret is sealed for: it is worthless in the row of another person.
pub fn purpose(user_id: i64) -> String {
    format!("second factor of {user_id}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clock::Entropy, config::Secret};

    fn app(typed: &str) -> Option<String> {
        match Code::parse(typed) {
            Some(Code::App(digits)) => Some(digits),
            _ => None,
        }
    }

    #[test]
    fn what_is_no_code_is_refused() {
        let long = "1 ".repeat(1_000);
        for typed in
            ["", " ", "12345", "1234567", "12345a", "+12345", "٠٠٠٠٠٠", "12\u{0}456", "<script>", "ABCD-EFGH", &long]
        {
            assert!(Code::parse(typed).is_none(), "{typed:?}");
        }
    }

    #[test]
    fn digits_are_read_however_they_are_grouped() {
        for typed in ["123456", " 123 456 ", "123-456", "123\u{a0}456", "１２３４５６", "123–456", "123456\r\n"]
        {
            assert_eq!(app(typed).as_deref(), Some("123456"), "{typed:?}");
        }
    }

    #[test]
    fn a_code_proves_something_for_its_owner_and_with_its_key_alone() {
        let (key, secret) = (SealingKey::of(&Secret::new("one")), TotpSecret::from_bytes(*b"12345678901234567890"));
        let stored = key.seal(&secret, &purpose(7), Entropy).unwrap();
        let code = Code::parse("287082").unwrap();
        let at = |seconds| DateTime::from_timestamp(seconds, 0).unwrap();
        assert!(matches!(Proof::of(&code, &key, 7, &stored, at(59)), Some(Proof::Step { step: 1, .. })));
        assert!(Proof::of(&code, &key, 8, &stored, at(59)).is_none());
        assert!(Proof::of(&code, &key, 7, &stored, at(150)).is_none());
        assert!(Proof::of(&code, &SealingKey::of(&Secret::new("other")), 7, &stored, at(59)).is_none());
        assert!(Proof::of(&code, &key, 7, "", at(59)).is_none());
    }
}

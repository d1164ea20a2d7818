//! Recovery codes: what a person keeps on paper for the day on which the device is gone.

use crate::{auth::token::token_hash, clock::Entropy};

use super::totp::in_groups;

/// How many a person gets.
pub const RECOVERY_CODES: usize = 10;

/// 120 random bits as 24 letters. So many can't be guessed, so a plain hash of them may be kept (OWASP ASVS 2.6.2).
#[derive(Clone, PartialEq, Eq)]
pub struct RecoveryCode(String);

impl RecoveryCode {
    /// A new one.
    pub fn new(entropy: Entropy) -> Self {
        Self(data_encoding::BASE32_NOPAD.encode(&entropy.bytes::<15>()))
    }

    /// Letters without anything between them. Digits that are none of the alphabet stand for the letters that they look like.
    pub(super) fn parse(letters: &str) -> Option<Self> {
        let meant = |c: char| match c {
            '0' => 'O',
            '1' => 'I',
            '8' => 'B',
            c => c,
        };
        let letters: String = letters.chars().map(meant).collect();
        let is_code = letters.len() == 24 && letters.chars().all(|c| matches!(c, 'A'..='Z' | '2'..='7'));
        is_code.then_some(Self(letters))
    }

    /// In groups of four, as it is shown: once.
    pub fn shown(&self) -> String {
        in_groups(&self.0, "-")
    }

    /// What is kept of it.
    pub fn hash(&self) -> String {
        token_hash(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::second_factor::Code;

    #[test]
    fn a_code_is_read_back_however_it_is_typed() {
        let code = RecoveryCode("ABOI234567ABCDEFGHIJKLMN".to_owned());
        assert_eq!(code.shown(), "ABOI-2345-67AB-CDEF-GHIJ-KLMN");
        for typed in [
            "ABOI-2345-67AB-CDEF-GHIJ-KLMN",
            "aboi234567abcdefghijklmn",
            " aboi 2345 67ab cdef ghij klmn ",
            "A801-2345-67AB-CDEF-GHIJ-KLMN",
            "ＡＢＯＩ-2345-67AB-CDEF-GHIJ-KLMN",
        ] {
            let read = match Code::parse(typed) {
                Some(Code::Recovery(read)) => read.0,
                _ => String::new(),
            };
            let expected = if typed.starts_with("A8") { "ABOI234567ABCDEFGHIJKLMN" } else { &code.0 };
            assert_eq!(read, expected, "{typed}");
        }
        for typed in [
            "ABOI-2345-67AB-CDEF-GHIJ-KLM",
            "ABOI-2345-67AB-CDEF-GHIJ-KLMNO",
            "ABOI-2345-67AB-CDEF-GHIJ-KLM9",
            "ABOI-2345-67AB-CDEF-GHIJ-KLMÄ",
        ] {
            assert!(Code::parse(typed).is_none(), "{typed}");
        }
    }

    #[test]
    fn codes_differ_and_their_hash_does_not_show_them() {
        let (one, other) = (RecoveryCode::new(Entropy), RecoveryCode::new(Entropy));
        assert!(one != other && one.hash() != other.hash());
        assert_eq!(one.0.len(), 24);
        assert!(!one.hash().to_uppercase().contains(&one.0));
    }
}

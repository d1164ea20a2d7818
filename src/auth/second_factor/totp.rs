//! Time-based codes (RFC 6238) as every app knows them: SHA-1, six digits, a new one each 30 seconds. One step to either
//! side is accepted, for clocks that differ and people who type slowly.

use chrono::{DateTime, Utc};
use data_encoding::BASE32_NOPAD;
use totp_rs::{Algorithm, Builder, Totp};

use crate::clock::Entropy;

/// What the server and the person's device share.
#[derive(Clone, PartialEq, Eq)]
pub struct TotpSecret([u8; 20]);

impl TotpSecret {
    /// A new one: 160 bits, as RFC 4226 asks for.
    pub fn new(entropy: Entropy) -> Self {
        Self(entropy.bytes())
    }

    /// One that was kept.
    pub fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The time step whose code these digits are, if it is the present one or the one before or after it.
    pub fn step_of(&self, digits: &str, now: DateTime<Utc>) -> Option<i64> {
        let seconds = u64::try_from(now.timestamp()).ok()?;
        let totp = self.totp("", "")?;
        i64::try_from(totp.check(digits, seconds)?).ok()
    }

    /// The digits that a device shows at `now`.
    pub fn digits(&self, now: DateTime<Utc>) -> Option<String> {
        let seconds = u64::try_from(now.timestamp()).ok()?;
        Some(self.totp("", "")?.generate(seconds).to_string())
    }

    /// The address that a device reads from the picture. A device shows `site` and `account`.
    pub fn address(&self, site: &str, account: &str) -> Option<String> {
        self.totp(&site.replace(':', " "), &account.replace(':', " "))?.to_url().ok()
    }

    /// The secret in groups of four, for typing.
    pub fn in_groups(&self) -> String {
        in_groups(&BASE32_NOPAD.encode(&self.0), " ")
    }

    fn totp(&self, site: &str, account: &str) -> Option<Totp> {
        let issuer = (!site.is_empty()).then_some(site);
        let builder = Builder::new().with_algorithm(Algorithm::SHA1).with_digits(6).with_skew(1).with_step_duration(30);
        builder.with_secret(self.0).with_issuer(issuer).with_account_name(account).build().ok()
    }
}

/// Letters in groups of four.
pub(super) fn in_groups(letters: &str, between: &str) -> String {
    let letters: Vec<char> = letters.chars().collect();
    letters.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret of RFC 6238, appendix B; the codes there have eight digits, of which these are the last six.
    const SECRET: TotpSecret = TotpSecret(*b"12345678901234567890");

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn the_codes_are_those_of_the_standard() {
        for (seconds, digits) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(SECRET.digits(at(seconds)).as_deref(), Some(digits));
            assert_eq!(SECRET.step_of(digits, at(seconds)), Some(seconds / 30));
        }
    }

    #[test]
    fn one_step_to_either_side_is_accepted_and_no_more() {
        let digits = SECRET.digits(at(3_000)).unwrap();
        for (seconds, accepted) in
            [(2_969, false), (2_970, true), (2_999, true), (3_000, true), (3_059, true), (3_060, false), (-30, false)]
        {
            assert_eq!(SECRET.step_of(&digits, at(seconds)), accepted.then_some(100), "{seconds}");
        }
    }

    #[test]
    fn a_device_can_read_it() {
        let address = SECRET.address("members.example.com", "ada+a:b@example.com").unwrap();
        assert!(address.starts_with("otpauth://totp/members.example.com:ada"), "{address}");
        assert!(address.contains("secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"), "{address}");
        assert!(address.contains("issuer=members.example.com"), "{address}");
        assert_eq!(SECRET.in_groups(), "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ");
    }
}

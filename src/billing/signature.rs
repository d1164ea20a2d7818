//! Whether a webhook was signed with one of our secrets (`docs/stripe.md`, "Webhook signature").

use chrono::{DateTime, Utc};
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::{Choice, ConstantTimeEq};

use crate::config::Secret;

/// How far the time of signing may lie from now, to both sides, in seconds.
pub const TOLERANCE_SECONDS: u64 = 300;

/// Why a webhook is refused. For the log and a counter; the sender learns none of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// No signature came along.
    #[error("no Stripe-Signature header")]
    Missing,
    /// No `t`, more than one, or not a whole number of 64 bits.
    #[error("no readable time in the signature")]
    Time,
    /// Signed too long ago, or in the future.
    #[error("signed too far from now")]
    Tolerance,
    /// None of the `v1` fits any of the secrets, or there is none.
    #[error("no v1 signature fits")]
    Mismatch,
}

/// Checks the `Stripe-Signature` header against the raw body, as it came.
///
/// One `v1` that fits one of `secrets` is enough; all are compared, each in constant time.
pub fn verify(
    header: Option<&[u8]>,
    body: &[u8],
    secrets: &[Secret],
    now: DateTime<Utc>,
) -> Result<(), SignatureError> {
    let header = header.ok_or(SignatureError::Missing)?;
    let time = signed_at(header)?;
    let seconds: i64 = time.parse().map_err(|_| SignatureError::Time)?;
    if now.timestamp().abs_diff(seconds) > TOLERANCE_SECONDS {
        return Err(SignatureError::Tolerance);
    }
    let mut fits = Choice::from(0);
    for expected in secrets.iter().filter_map(|secret| mac(secret, time, body)) {
        for given in values(header, b"v1") {
            let given = HEXLOWER_PERMISSIVE.decode(given).unwrap_or_default();
            fits |= given.as_slice().ct_eq(&expected);
        }
    }
    if fits.into() { Ok(()) } else { Err(SignatureError::Mismatch) }
}

/// The header that Stripe would send for `body` at `now`.
pub fn sign(body: &[u8], secret: &Secret, now: DateTime<Utc>) -> String {
    let time = now.timestamp().to_string();
    let signature = mac(secret, &time, body).map(|mac| HEXLOWER.encode(&mac)).unwrap_or_default();
    format!("t={time},v1={signature}")
}

/// The digits of the one `t`; a repeat must say the same.
fn signed_at(header: &[u8]) -> Result<&str, SignatureError> {
    let mut times = values(header, b"t");
    let time = times.next().ok_or(SignatureError::Time)?;
    let same = times.all(|other| other == time);
    let digits = !time.is_empty() && time.iter().all(u8::is_ascii_digit);
    if !same || !digits {
        return Err(SignatureError::Time);
    }
    str::from_utf8(time).map_err(|_| SignatureError::Time)
}

fn values<'a>(header: &'a [u8], scheme: &'static [u8]) -> impl Iterator<Item = &'a [u8]> {
    header.split(|byte| *byte == b',').filter_map(move |element| {
        let mut parts = element.splitn(2, |byte| *byte == b'=');
        let name = parts.next()?.trim_ascii();
        let value = parts.next()?.trim_ascii();
        (name == scheme).then_some(value)
    })
}

/// HMAC-SHA256 over `"{time}.{body}"`. An empty secret signs nothing: anybody could.
fn mac(secret: &Secret, time: &str, body: &[u8]) -> Option<[u8; 32]> {
    let key = Some(secret.expose()).filter(|key| !key.is_empty())?;
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).ok()?;
    mac.update(time.as_bytes());
    mac.update(b".");
    mac.update(body);
    Some(mac.finalize().into_bytes().into())
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use proptest::prelude::*;

    use super::*;

    const T: i64 = 1_780_000_000;
    const BODY: &[u8] = br#"{"id":"evt_1"}"#;
    const V1: &str = "eb4c84362c05e77907923979a2a46244c272a0d57bcd43423353ae5e68f8e11d";

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    fn secrets(names: &[&str]) -> Vec<Secret> {
        names.iter().map(|name| Secret::new(*name)).collect()
    }

    fn check(header: &str) -> Result<(), SignatureError> {
        verify(Some(header.as_bytes()), BODY, &secrets(&["whsec_test_example_1"]), at(T))
    }

    #[test]
    fn the_two_published_vectors() {
        let crlf = b"{\r\n  \"id\": \"evt_1\"\r\n}\r\n";
        let crlf_v1 = "c7c2c31724c02e5d75193f2fe46d159cbfad795bcfa2045679ed8614de8edf3c";
        let secret = secrets(&["whsec_test_example_1"]);
        for (body, v1) in [(BODY, V1), (&crlf[..], crlf_v1)] {
            let header = format!("t={T},v1={v1}");
            assert_eq!(sign(body, &secret[0], at(T)), header);
            assert_eq!(verify(Some(header.as_bytes()), body, &secret, at(T)), Ok(()));
        }
        let header = format!("t={T},v1={crlf_v1}");
        let without_cr = b"{\n  \"id\": \"evt_1\"\n}\n";
        assert_eq!(verify(Some(header.as_bytes()), without_cr, &secret, at(T)), Err(SignatureError::Mismatch));
    }

    #[test]
    fn headers_that_are_refused() {
        use SignatureError::{Mismatch, Time};
        let wrong = "0".repeat(64);
        for (header, error) in [
            (String::new(), Time),
            ("nonsense".into(), Time),
            (format!("v1={V1}"), Time),
            (format!("t=,v1={V1}"), Time),
            (format!("t,v1={V1}"), Time),
            (format!("t=soon,v1={V1}"), Time),
            (format!("t={T}.0,v1={V1}"), Time),
            (format!("t=+{T},v1={V1}"), Time),
            (format!("t=-{T},v1={V1}"), Time),
            (format!("t=0x6A183B80,v1={V1}"), Time),
            (format!("t={T}\u{0},v1={V1}"), Time),
            (format!("t=١٢٣,v1={V1}"), Time),
            (format!("T={T},v1={V1}"), Time),
            (format!("t=9223372036854775808,v1={V1}"), Time),
            (format!("t=99999999999999999999999999,v1={V1}"), Time),
            (format!("t={T},t={},v1={V1}", T + 1), Time),
            (format!("t={T},t=,v1={V1}"), Time),
            (format!("t={T},v1={V1},t=0{T}"), Time),
            (format!("t={T}"), Mismatch),
            (format!("t={T},v0={V1}"), Mismatch),
            (format!("t={T},V1={V1}"), Mismatch),
            (format!("t={T},v1="), Mismatch),
            (format!("t={T},v1={wrong}"), Mismatch),
            (format!("t={T},v1={}", V1.get(..63).unwrap()), Mismatch),
            (format!("t={T},v1={}", V1.get(..62).unwrap()), Mismatch),
            (format!("t={T},v1={V1}00"), Mismatch),
            (format!("t={T},v1={V1}="), Mismatch),
            (format!("t={T},v1={}zz", V1.get(..62).unwrap()), Mismatch),
            (format!("t={T},v1=é{V1}"), Mismatch),
            (format!("t={},v1={V1}", T + 1), Mismatch),
            (format!("t=0{T},v1={V1}"), Mismatch),
        ] {
            assert_eq!(check(&header), Err(error), "{header}");
        }
        assert_eq!(verify(None, BODY, &secrets(&["whsec_test_example_1"]), at(T)), Err(SignatureError::Missing));
        assert_eq!(verify(Some(&[0xFF, b'=', 0xFE]), BODY, &[], at(T)), Err(Time));
    }

    #[test]
    fn headers_that_are_accepted() {
        let wrong = "0".repeat(64);
        for header in [
            format!("t={T},v1={V1}"),
            format!("v1={V1},t={T}"),
            format!(" t = {T} , v1 = {V1} "),
            format!("t={T},v1={}", V1.to_uppercase()),
            format!("t={T},t={T},v1={V1},v1={V1}"),
            format!("t={T},v1={wrong},v1={V1}"),
            format!("t={T},v1={V1},v1={wrong}"),
            format!("t={T}, v1=zz, v1=, v1, v1={V1}, v0={wrong}"),
            format!("t={T},v2=something,é=ü,,=,v1={V1},"),
        ] {
            assert_eq!(check(&header), Ok(()), "{header}");
        }
    }

    #[test]
    fn the_time_may_be_300_seconds_off_to_both_sides() {
        let secret = secrets(&["s"]);
        let header = sign(BODY, &secret[0], at(T));
        for (offset, result) in [
            (-301, Err(SignatureError::Tolerance)),
            (-300, Ok(())),
            (0, Ok(())),
            (300, Ok(())),
            (301, Err(SignatureError::Tolerance)),
        ] {
            assert_eq!(verify(Some(header.as_bytes()), BODY, &secret, at(T + offset)), result, "{offset}");
        }
        let almost = at(T) + TimeDelta::milliseconds(300_999);
        assert_eq!(verify(Some(header.as_bytes()), BODY, &secret, almost), Ok(()));
        for extreme in [i64::MAX, 0] {
            let header = format!("t={extreme},v1={V1}");
            assert_eq!(check(&header), Err(SignatureError::Tolerance));
        }
    }

    #[test]
    fn either_of_two_secrets_fits_and_an_empty_one_never() {
        let signed = |key: &str| sign(BODY, &Secret::new(key), at(T));
        let both = secrets(&["new", "old"]);
        for (header, secrets, fits) in [
            (signed("new"), &both, true),
            (signed("old"), &both, true),
            (signed("other"), &both, false),
            (signed("new"), &secrets(&[]), false),
            (format!("t={T},v1="), &secrets(&[""]), false),
            // HMAC-SHA256 with an empty key over the same bytes.
            (format!("t={T},v1={}", HEXLOWER.encode(&empty_key_mac())), &secrets(&[""]), false),
        ] {
            assert_eq!(verify(Some(header.as_bytes()), BODY, secrets, at(T)).is_ok(), fits, "{header}");
        }
    }

    fn empty_key_mac() -> Vec<u8> {
        let mut mac = Hmac::<Sha256>::new_from_slice(b"").unwrap();
        mac.update(format!("{T}.").as_bytes());
        mac.update(BODY);
        mac.finalize().into_bytes().to_vec()
    }

    proptest! {
        #[test]
        fn any_bytes_are_judged(header in proptest::collection::vec(any::<u8>(), 0..200), body in proptest::collection::vec(any::<u8>(), 0..50)) {
            prop_assert!(verify(Some(&header), &body, &secrets(&["s"]), at(T)).is_err());
        }

        #[test]
        fn anything_like_a_header_is_judged(header in "(t|v1|v0| |x)?=?[-+0-9a-f ]{0,30}(,(t|v1)=[0-9a-f]{0,70}){0,4}") {
            prop_assert!(verify(Some(header.as_bytes()), BODY, &secrets(&["s"]), at(T)).is_err());
        }

        #[test]
        fn what_was_signed_fits_until_a_bit_changes(body in proptest::collection::vec(any::<u8>(), 1..80), bit in any::<proptest::sample::Index>()) {
            let secret = secrets(&["s"]);
            let header = sign(&body, &secret[0], at(T));
            prop_assert_eq!(verify(Some(header.as_bytes()), &body, &secret, at(T)), Ok(()));
            let mut changed = body.clone();
            let bit = bit.index(body.len() * 8);
            changed[bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(verify(Some(header.as_bytes()), &changed, &secret, at(T)), Err(SignatureError::Mismatch));
        }
    }
}

//! Secrets at rest: AES-256-GCM under a key that stands in no database. A copy of the database alone gives no codes.

use aes_gcm::{
    Aes256Gcm, Nonce,
    aead::{Aead, KeyInit, Payload},
};
use data_encoding::BASE64URL_NOPAD;
use hmac::Mac;

use super::totp::TotpSecret;
use crate::{auth::token::keyed, clock::Entropy, config::Secret};

const NONCE: usize = 12;

/// The key, made of the cookie secret and a name of its own.
#[derive(Clone)]
pub struct SealingKey(Aes256Gcm);

impl SealingKey {
    /// The key that belongs to this cookie secret.
    pub fn of(cookie_secret: &Secret) -> Self {
        let mac = keyed(cookie_secret, "turnpike second factors");
        let bytes = mac.map_or([0; 32], |mac| mac.finalize().into_bytes().into());
        Self(Aes256Gcm::new(&bytes.into()))
    }

    /// The secret, encrypted for one purpose. Nothing when the cipher fails, which it does only for gigabytes.
    pub fn seal(&self, secret: &TotpSecret, purpose: &str, entropy: Entropy) -> Option<String> {
        let nonce = entropy.bytes::<NONCE>();
        let payload = Payload { msg: secret.as_bytes(), aad: purpose.as_bytes() };
        let encrypted = self.0.encrypt(&Nonce::from(nonce), payload).ok()?;
        Some(BASE64URL_NOPAD.encode(&[nonce.as_slice(), &encrypted].concat()))
    }

    /// What was sealed for this purpose with this key.
    pub fn open(&self, sealed: &str, purpose: &str) -> Option<TotpSecret> {
        let bytes = BASE64URL_NOPAD.decode(sealed.as_bytes()).ok()?;
        let (nonce, encrypted) = bytes.split_first_chunk::<NONCE>()?;
        let payload = Payload { msg: encrypted, aad: purpose.as_bytes() };
        let opened = self.0.decrypt(&Nonce::from(*nonce), payload).ok()?;
        opened.try_into().ok().map(TotpSecret::from_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_key_and_purpose_open_what_was_sealed_whole() {
        let (key, secret) = (SealingKey::of(&Secret::new("one")), TotpSecret::new(Entropy));
        let sealed = key.seal(&secret, "a", Entropy).unwrap();
        assert!(key.open(&sealed, "a") == Some(secret.clone()));
        assert!(SealingKey::of(&Secret::new("one")).open(&sealed, "a") == Some(secret.clone()));
        assert!(key.open(&sealed, "b").is_none());
        assert!(SealingKey::of(&Secret::new("two")).open(&sealed, "a").is_none());
        assert_ne!(key.seal(&secret, "a", Entropy), Some(sealed.clone()), "the nonce is not random");
        let short = sealed.chars().take(10).collect::<String>();
        for broken in ["", "AAAA", "%", &format!("{sealed}AA"), &sealed.to_uppercase(), &short] {
            assert!(key.open(broken, "a").is_none(), "{broken}");
        }
    }
}

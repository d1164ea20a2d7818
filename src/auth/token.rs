//! Secrets that we give out: random, and kept here only as a hash.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::{clock::Entropy, config::Secret};

/// 32 random bytes in letters that fit a cookie or a URL.
pub fn random_token(entropy: Entropy) -> String {
    data_encoding::BASE64URL_NOPAD.encode(&entropy.bytes::<32>())
}

/// What is kept of a token. The token is random, so a plain hash is enough.
pub fn token_hash(token: &str) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(token.as_bytes()))
}

/// The beginning of a keyed hash for one purpose: no other one has the same, whatever is hashed. HMAC takes a key of any
/// length, so there always is one.
pub(super) fn keyed(key: &Secret, purpose: &str) -> Option<Hmac<Sha256>> {
    let mac = Hmac::<Sha256>::new_from_slice(key.expose().as_bytes()).ok()?;
    Some(mac.chain_update(purpose))
}

/// A keyed hash in letters; empty, which equals none, where there is none.
pub(super) fn in_letters(mac: Option<Hmac<Sha256>>) -> String {
    mac.map_or_else(String::new, |mac| data_encoding::HEXLOWER.encode(&mac.finalize().into_bytes()))
}

/// A person's id that others may see and nobody can guess.
pub fn public_id(entropy: Entropy) -> String {
    random_id("usr", entropy)
}

/// 16 random bytes behind what kind of thing they name.
pub fn random_id(kind: &str, entropy: Entropy) -> String {
    format!("{kind}_{}", data_encoding::BASE32_NOPAD.encode(&entropy.bytes::<16>()).to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_their_hash_does_not_show_them() {
        let (one, other) = (random_token(Entropy), random_token(Entropy));
        assert_ne!(one, other);
        assert_eq!(one.len(), 43);
        assert_eq!(token_hash(&one), token_hash(&one));
        assert!(!token_hash(&one).contains(&one));
        assert_eq!(public_id(Entropy).len(), 30);
    }
}

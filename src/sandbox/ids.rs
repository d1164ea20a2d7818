//! Names of things, in the form in which Stripe makes them: a prefix and letters and digits.

use crate::clock::Entropy;

const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// A new name such as `cus_h3Gk…`: the prefix, then 24 letters and digits.
pub fn new(prefix: &str) -> String {
    with_bytes(prefix, &Entropy.bytes::<24>())
}

/// A new name of the length that Stripe gives to checkout sessions.
pub fn long(prefix: &str) -> String {
    with_bytes(prefix, &Entropy.bytes::<56>())
}

fn with_bytes(prefix: &str, bytes: &[u8]) -> String {
    let letters = bytes.iter().filter_map(|byte| ALPHABET.get(usize::from(*byte) % ALPHABET.len()));
    prefix.chars().chain(letters.map(|letter| char::from(*letter))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_its_prefix_and_never_comes_twice() {
        let first = new("cus_");
        assert_eq!(first.len(), 28);
        assert!(first.starts_with("cus_") && first.bytes().skip(4).all(|byte| byte.is_ascii_alphanumeric()), "{first}");
        assert_ne!(first, new("cus_"));
        assert_eq!(long("cs_test_").len(), 64);
    }
}

//! The same text from every run: names, ports and keys that chance made are replaced, in the order of their appearance.

use std::collections::BTreeMap;

/// What Stripe's and our own random names begin with.
const PREFIXES: [&str; 22] = [
    "bps_",
    "ch_",
    "cs_test_",
    "cus_",
    "dp_",
    "evt_",
    "il_",
    "in_",
    "inpay_",
    "li_",
    "pi_",
    "pm_",
    "price_",
    "prod_",
    "re_",
    "req_",
    "si_",
    "sub_",
    "turnpike-",
    "usr_",
    "we_",
    "whsec_",
];
/// Chance never makes a shorter one, and people never write a longer one.
const RANDOM: usize = 20;

#[derive(Default)]
pub struct Plain {
    names: BTreeMap<String, String>,
    counts: BTreeMap<&'static str, usize>,
}

impl Plain {
    /// The text without what chance made.
    pub fn text(&mut self, text: &str) -> String {
        let mut plain = String::new();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let inside_a_word = plain.ends_with(|before: char| before.is_ascii_alphanumeric());
            if let Some(name) = random_name(rest).filter(|_| !inside_a_word) {
                plain.push_str(&self.name(name));
                rest = &rest[name.len()..];
            } else {
                plain.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
        plain
    }

    fn name(&mut self, name: &str) -> String {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let prefix = PREFIXES.into_iter().find(|prefix| name.starts_with(prefix)).unwrap();
        let count = self.counts.entry(prefix).or_default();
        *count += 1;
        let plain = format!("{prefix}example{count:017}");
        self.names.insert(name.to_owned(), plain.clone());
        plain
    }
}

/// The random name that the text begins with.
fn random_name(text: &str) -> Option<&str> {
    let prefix = PREFIXES.into_iter().filter(|prefix| text.starts_with(prefix)).max_by_key(|prefix| prefix.len())?;
    let tail = text[prefix.len()..].bytes().take_while(u8::is_ascii_alphanumeric).count();
    (tail >= RANDOM).then(|| &text[..prefix.len() + tail])
}

#[test]
fn chance_is_taken_out_and_nothing_else() {
    let mut plain = Plain::default();
    let (one, two) = ("A".repeat(24), "b".repeat(24));
    let text = format!("cus_{one} pi_{two}_secret x/cs_test_{one} cus_{two} cus_{one} price_monthly focus_{one} é");
    let expected = "cus_example00000000000000001 pi_example00000000000000001_secret x/cs_test_example00000000000000001 \
                    cus_example00000000000000002 cus_example00000000000000001 price_monthly";
    assert_eq!(plain.text(&text), format!("{expected} focus_{one} é"));
}

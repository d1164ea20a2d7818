//! E-mail addresses: read once at the border; the type is the proof.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use super::text;

const MAX_BYTES: usize = 254;
const MAX_LOCAL_BYTES: usize = 64;

/// An address that mail can be sent to, and the form in which addresses are compared.
///
/// Two addresses belong to one person when their canonical forms are equal (`docs/rules.md` §2): trimmed, Unicode
/// composed (NFC), lower-cased, domain in ASCII.
///
/// Nothing is folded that could make one person's address another's. Before the @, a character that merely stands
/// for another (the Kelvin sign for K, ſ for s, full-width letters, ligatures) is refused, so no spelling outside
/// ASCII ever becomes an ASCII address; ı stays ı and İ becomes i with a dot above. After the @ the registries' own
/// mapping (UTS 46) says which spellings are one domain. Dots and "+tags" are kept: only the mail server knows what
/// they mean.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Email {
    typed: String,
    canonical: String,
}

/// Why a text is not an e-mail address. The words for the person who typed it are those of [`EmailError::key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmailError {
    /// Nothing but white space.
    #[error("no address")]
    Empty,
    /// More than 254 bytes, or more than 64 before the @.
    #[error("too long for an address")]
    TooLong,
    /// Not exactly one @ with something on both sides.
    #[error("not one @ with something on both sides")]
    At,
    /// A space, a control character or something invisible.
    #[error("a space or an invisible character")]
    Character,
    /// A character that no address has before the @, or a misplaced dot.
    #[error("a character or a dot that doesn't belong before the @")]
    Local,
    /// A character that stands for another.
    #[error("a look-alike letter before the @")]
    LookAlike,
    /// Not a domain name with at least one dot.
    #[error("no domain name after the @")]
    Domain,
}

impl EmailError {
    /// The key of the sentence for the person.
    pub fn key(self) -> &'static str {
        match self {
            Self::Empty => "forms-email-empty",
            Self::TooLong => "forms-email-too-long",
            Self::At => "forms-email-at",
            Self::Character => "forms-email-character",
            Self::Local => "forms-email-local",
            Self::LookAlike => "forms-email-look-alike",
            Self::Domain => "forms-email-domain",
        }
    }
}

impl Email {
    /// Reads what a person typed. White space around it is dropped.
    pub fn parse(text: &str) -> Result<Self, EmailError> {
        let typed = text.trim();
        if typed.is_empty() {
            return Err(EmailError::Empty);
        }
        if typed.len() > MAX_BYTES {
            return Err(EmailError::TooLong);
        }
        if typed.chars().any(|c| c.is_whitespace() || text::is_control(c) || text::is_invisible(c)) {
            return Err(EmailError::Character);
        }
        let (local, domain) = typed.split_once('@').ok_or(EmailError::At)?;
        if local.is_empty() || domain.is_empty() || domain.contains('@') {
            return Err(EmailError::At);
        }
        let canonical = format!("{}@{}", canonical_local(local)?, ascii_domain(domain)?);
        if canonical.len() > MAX_BYTES {
            return Err(EmailError::TooLong);
        }
        Ok(Self { typed: typed.to_owned(), canonical })
    }

    /// The address as typed, trimmed: where mail goes.
    pub fn as_str(&self) -> &str {
        &self.typed
    }

    /// The form in which addresses are compared and kept unique. It is an address itself.
    pub fn canonical(&self) -> &str {
        &self.canonical
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.typed)
    }
}

fn canonical_local(local: &str) -> Result<String, EmailError> {
    if local.starts_with('.') || local.ends_with('.') || local.contains("..") || !local.chars().all(may_stand_in_local)
    {
        return Err(EmailError::Local);
    }
    if local.chars().any(stands_for_another) {
        return Err(EmailError::LookAlike);
    }
    let folded: String = local.nfc().collect::<String>().to_lowercase().nfc().collect();
    if local.len() > MAX_LOCAL_BYTES || folded.len() > MAX_LOCAL_BYTES {
        return Err(EmailError::TooLong);
    }
    Ok(folded)
}

/// RFC 5322 "atext" and the dot, and any letter outside ASCII (RFC 6532). Quoted local parts are not accepted.
fn may_stand_in_local(c: char) -> bool {
    c.is_ascii_alphanumeric() || ".!#$%&'*+-/=?^_`{|}~".contains(c) || !c.is_ascii()
}

fn stands_for_another(c: char) -> bool {
    let mut composed = std::iter::once(c).nfc();
    let replaced_by_one = composed.next().is_some_and(|first| first != c) && composed.next().is_none();
    replaced_by_one || !std::iter::once(c).nfc().eq(std::iter::once(c).nfkc())
}

fn ascii_domain(domain: &str) -> Result<String, EmailError> {
    let ascii = idna::domain_to_ascii_strict(domain).map_err(|_| EmailError::Domain)?;
    let (_, top) = ascii.rsplit_once('.').ok_or(EmailError::Domain)?;
    if top.is_empty() || top.bytes().all(|b| b.is_ascii_digit()) {
        return Err(EmailError::Domain);
    }
    Ok(ascii)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn refuses_what_is_not_an_address() {
        let long_local = format!("{}@example.com", "a".repeat(65));
        let long = format!("a@{}.com", "a.".repeat(126));
        let ten_thousand = "a".repeat(10_000);
        let long_label = format!("a@{}.com", "b".repeat(64));
        let grows = format!("{}@example.com", "Ⱥ".repeat(32));
        for (typed, error) in [
            ("", EmailError::Empty),
            (" \t\r\n", EmailError::Empty),
            (&long_local, EmailError::TooLong),
            (&long, EmailError::TooLong),
            (&ten_thousand, EmailError::TooLong),
            (&grows, EmailError::TooLong),
            ("ada", EmailError::At),
            ("@example.com", EmailError::At),
            ("ada@", EmailError::At),
            ("ada@x@example.com", EmailError::At),
            ("ada＠example.com", EmailError::At),
            ("a da@example.com", EmailError::Character),
            ("ada@exam ple.com", EmailError::Character),
            ("ada\u{0}@example.com", EmailError::Character),
            ("ada@example.com\u{0}", EmailError::Character),
            ("ada\r\nBcc: x@example.com", EmailError::Character),
            ("a\u{202E}da@example.com", EmailError::Character),
            ("a\u{200B}da@example.com", EmailError::Character),
            ("a\u{AD}da@example.com", EmailError::Character),
            (".ada@example.com", EmailError::Local),
            ("ada.@example.com", EmailError::Local),
            ("a..da@example.com", EmailError::Local),
            ("\"ada\"@example.com", EmailError::Local),
            ("ada<b>@example.com", EmailError::Local),
            ("ada,bob@example.com", EmailError::Local),
            ("\u{212A}ate@example.com", EmailError::LookAlike),
            ("ſam@example.com", EmailError::LookAlike),
            ("ａda@example.com", EmailError::LookAlike),
            ("ﬁona@example.com", EmailError::LookAlike),
            ("𝐚da@example.com", EmailError::LookAlike),
            ("ada@localhost", EmailError::Domain),
            ("ada@.com", EmailError::Domain),
            ("ada@example..com", EmailError::Domain),
            ("ada@example.com.", EmailError::Domain),
            ("ada@-example.com", EmailError::Domain),
            ("ada@exa_mple.com", EmailError::Domain),
            ("ada@127.0.0.1", EmailError::Domain),
            ("ada@[127.0.0.1]", EmailError::Domain),
            ("ada@xn--a.com", EmailError::Domain),
            (&long_label, EmailError::Domain),
        ] {
            assert_eq!(Email::parse(typed).unwrap_err(), error, "{typed:?}");
        }
    }

    #[test]
    fn keeps_what_was_typed_and_compares_the_canonical_form() {
        let sixty_four = format!("{}@example.com", "a".repeat(64));
        for (typed, canonical) in [
            ("ada@example.com", "ada@example.com"),
            ("  Ada@Example.COM\r\n", "ada@example.com"),
            ("ada.b+News@example.com", "ada.b+news@example.com"),
            ("O'Brien_x/y=z@example.co.uk", "o'brien_x/y=z@example.co.uk"),
            ("ada@BÜCHER.example", "ada@xn--bcher-kva.example"),
            ("ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"),
            ("ada@straße.example", "ada@xn--strae-oqa.example"),
            ("Jose\u{301}@example.com", "josé@example.com"),
            ("JOSÉ@example.com", "josé@example.com"),
            ("用户@例子.测试", "用户@xn--fsqu00a.xn--0zwm56d"),
            ("ada@\u{212A}ate.example", "ada@kate.example"),
            (&sixty_four, &sixty_four),
        ] {
            let email = Email::parse(typed).unwrap();
            assert_eq!(email.canonical(), canonical, "{typed:?}");
            assert_eq!(email.as_str(), typed.trim());
        }
    }

    #[test]
    fn a_dotless_or_dotted_i_is_never_a_plain_i() {
        let plain = Email::parse("mike@github.example").unwrap();
        for other in ["mıke@github.example", "mİke@github.example", "mike@gıthub.example", "mike@gİthub.example"] {
            assert_ne!(Email::parse(other).unwrap().canonical(), plain.canonical(), "{other}");
        }
    }

    #[test]
    fn no_other_letter_folds_onto_an_ascii_address() {
        for c in ('\u{80}'..='\u{1FFFF}').filter(|c| !c.is_whitespace()) {
            if let Ok(email) = Email::parse(&format!("a{c}z@x.example")) {
                assert!(!email.canonical().is_ascii(), "{c:?} became {}", email.canonical());
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*|.*@.*") {
            let _ = Email::parse(&text);
        }

        #[test]
        fn the_canonical_form_is_its_own(local in "[a-zA-Z0-9+\\p{L}\\p{M}]{1,20}", domain in "[a-zA-Zäöüß]{1,8}\\.[a-z]{2,3}") {
            if let Ok(email) = Email::parse(&format!("{local}@{domain}")) {
                let again = Email::parse(email.canonical()).unwrap();
                prop_assert_eq!(again.canonical(), email.canonical());
                prop_assert_eq!(again.as_str(), email.canonical());
            }
        }
    }
}

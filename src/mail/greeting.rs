//! How a mail begins.

use unicode_normalization::char::is_combining_mark;

use crate::words::Words;

/// Longer ones are more likely an advertisement than a name.
const LONGEST: usize = 40;

/// "Hello Ada,", or "Hello," where the name could be read as something else: mail programs make links of addresses and
/// telephone numbers by themselves, and whoever signs up somebody else's address chooses the name in it.
pub(super) fn greeting(words: Words, first_name: &str) -> String {
    let name = first_name.trim();
    if is_a_name_and_nothing_else(name) {
        words.say("mails-hello").with("name", name).into()
    } else {
        words.say("mails-hello-stranger").into()
    }
}

fn is_a_name_and_nothing_else(name: &str) -> bool {
    let short = !name.is_empty() && name.chars().nth(LONGEST).is_none();
    let letters =
        name.chars().all(|c| c.is_alphabetic() || is_combining_mark(c) || is_joiner(c) || "'’- .".contains(c));
    // A dot ends an initial; inside a word it would make a domain of it.
    let dots_end_words = name.split(' ').all(|word| !word.trim_end_matches('.').contains('.'));
    short && letters && dots_end_words && name.chars().any(char::is_alphabetic)
}

/// Persian and Indian names are spelled with them.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::user::Language;

    fn hello(name: &str) -> String {
        greeting(Words::of(Language::En), name)
    }

    #[test]
    fn what_could_be_read_as_something_else_is_left_out() {
        for name in [
            "Ada http://evil.example",
            "Ada evil.example",
            "www.evil.example",
            "evil。example",
            "evil．example",
            "ada@evil.example",
            "mailto:ada",
            "call 0900 123456",
            "٠٩٠٠١٢٣٤٥٦",
            "<b>Ada</b>",
            "Ada\r\nBcc: eve@evil.example",
            "Ada\u{202E}",
            "evil\u{200B}.example",
            "&#104;ttp",
            "Ada/Eve",
            "Ada 👩",
            "-",
            ".",
            " ",
            "",
            &"a".repeat(41),
        ] {
            assert_eq!(hello(name), "Hello,", "{name:?}");
        }
    }

    #[test]
    fn names_of_every_script_are_used() {
        for name in [
            "Ada",
            "Anne-Marie",
            "O’Neil",
            "D'Arcy",
            "José",
            "Jose\u{301}",
            "J. R.",
            "王小明",
            "محمد",
            "می\u{200C}خواهم",
            "प्रिया",
            &"é".repeat(40),
        ] {
            assert_eq!(hello(name), format!("Hello {name},"));
        }
        assert_eq!(hello(" Ada "), "Hello Ada,");
        assert_eq!(greeting(Words::of(Language::ZhHans), "Ada"), "Ada，您好：");
        assert_eq!(greeting(Words::of(Language::ZhHans), "evil.example"), "您好：");
    }
}

//! How hard a password is to guess, by zxcvbn's estimate, and beside the person's own words.

use zxcvbn::{
    Score,
    feedback::{Feedback, Warning},
    zxcvbn,
};

use crate::domain::text::folded;

/// How much of a password is estimated. The estimate's cost grows with the square of the length, and far worse with
/// the number of letter substitutions: 100 such characters took 1.5 seconds, 32 take a tenth.
const ESTIMATED_CHARS: usize = 32;
/// Personal texts shorter than this are in every other password by chance.
const PERSONAL_MIN_CHARS: usize = 4;
const PERSONAL_MAX_CHARS: usize = 100;
/// Shorter ones may stand in a password without being taken out of it.
const TAKEN_OUT_MIN_CHARS: usize = 3;
/// So many letters and digits beside the person's own words are little.
const LITTLE_ELSE_CHARS: usize = 4;
/// So many digits beside them are a date.
const DATE_DIGITS: usize = 8;
/// What this program is called.
const OUR_NAME: &str = "turnpike";
/// Which letters are written with which other signs, in the ways that every tool for guessing knows.
const DISGUISES: [&[(char, char)]; 3] = [
    &[],
    &[('0', 'o'), ('1', 'l'), ('3', 'e'), ('4', 'a'), ('5', 's'), ('7', 't'), ('@', 'a'), ('$', 's'), ('!', 'l')],
    &[('0', 'o'), ('1', 'i'), ('3', 'e'), ('4', 'a'), ('5', 's'), ('7', 't'), ('@', 'a'), ('$', 's'), ('!', 'i')],
];

/// What makes a password easy to guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weakness {
    /// The person's own name or address.
    Personal,
    /// The name of this program.
    OurName,
    /// Many people use it.
    Common,
    /// Nearly one that many people use.
    CloseToCommon,
    /// Keys side by side.
    Keyboard,
    /// It repeats itself.
    Repeats,
    /// As "abc".
    Sequence,
    /// Mostly a date.
    Date,
    /// One word of a dictionary.
    SingleWord,
    /// Somebody's name.
    Name,
    /// Few guesses are enough, for no single reason.
    Guessable,
}

impl Weakness {
    /// The key of the sentence for the person.
    pub fn key(self) -> &'static str {
        match self {
            Self::Personal => "forms-password-personal",
            Self::OurName => "forms-password-our-name",
            Self::Common => "forms-password-common",
            Self::CloseToCommon => "forms-password-close-to-common",
            Self::Keyboard => "forms-password-keyboard",
            Self::Repeats => "forms-password-repeats",
            Self::Sequence => "forms-password-sequence",
            Self::Date => "forms-password-date",
            Self::SingleWord => "forms-password-single-word",
            Self::Name => "forms-password-name",
            Self::Guessable => "forms-password-guessable",
        }
    }
}

/// Why the password is too easy to guess, if it is.
///
/// Refused below score 3: fewer than 10^8 guesses are days of work for a thief of the hashes, even with argon2.
pub(super) fn weakness(password: &str, personal: &[&str]) -> Option<Weakness> {
    let password: String = password.chars().take(ESTIMATED_CHARS).collect();
    let (ours, words) = ([OUR_NAME.to_owned()], personal_words(personal));
    if is_little_else(&password, &ours) {
        return Some(Weakness::OurName);
    }
    let known = [words.as_slice(), &ours].concat();
    if is_little_else(&password, &known) {
        return Some(Weakness::Personal);
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let estimate = zxcvbn(&password, &known);
    if estimate.score() >= Score::Three {
        return None;
    }
    let folded = folded(&password);
    let stands_in_it = |word: &String| word.chars().count() >= PERSONAL_MIN_CHARS && folded.contains(word);
    if words.iter().any(stands_in_it) {
        return Some(Weakness::Personal);
    }
    if ours.iter().any(stands_in_it) {
        return Some(Weakness::OurName);
    }
    Some(reason(estimate.feedback().and_then(Feedback::warning)))
}

/// Whether a password is these words, forwards or backwards, in disguise or not, and little beside them: the estimate
/// takes what stands between known words for unknown.
fn is_little_else(password: &str, words: &[String]) -> bool {
    let mut words: Vec<String> = words.iter().map(|word| letters(word)).collect();
    words.retain(|word| word.chars().count() >= TAKEN_OUT_MIN_CHARS);
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    DISGUISES.iter().any(|disguise| {
        let as_meant = |c| disguise.iter().find(|(sign, _)| *sign == c).map_or(c, |(_, letter)| *letter);
        let typed = letters(&folded(password).chars().map(as_meant).collect::<String>());
        let rest = words.iter().fold(typed.clone(), |rest, word| {
            let backwards: String = word.chars().rev().collect();
            rest.replace(word.as_str(), " ").replace(&backwards, " ")
        });
        let left = letters(&rest);
        let is_date = left.chars().all(|c| c.is_ascii_digit()) && left.len() <= DATE_DIGITS;
        left.len() < typed.len() && (is_date || left.chars().count() <= LITTLE_ELSE_CHARS)
    })
}

/// Without what stands between letters and digits.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The texts themselves and the words in them, folded.
fn personal_words(personal: &[&str]) -> Vec<String> {
    let mut words = Vec::new();
    for text in personal {
        let text = folded(&text.chars().take(PERSONAL_MAX_CHARS).collect::<String>());
        words.extend(text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned));
        words.push(text);
    }
    words
}

fn reason(warning: Option<Warning>) -> Weakness {
    match warning {
        Some(Warning::ThisIsATop10Password | Warning::ThisIsATop100Password | Warning::ThisIsACommonPassword) => {
            Weakness::Common
        }
        Some(Warning::ThisIsSimilarToACommonlyUsedPassword) => Weakness::CloseToCommon,
        Some(Warning::StraightRowsOfKeysAreEasyToGuess | Warning::ShortKeyboardPatternsAreEasyToGuess) => {
            Weakness::Keyboard
        }
        Some(Warning::RepeatsLikeAaaAreEasyToGuess | Warning::RepeatsLikeAbcAbcAreOnlySlightlyHarderToGuess) => {
            Weakness::Repeats
        }
        Some(Warning::SequencesLikeAbcAreEasyToGuess) => Weakness::Sequence,
        Some(Warning::RecentYearsAreEasyToGuess | Warning::DatesAreOftenEasyToGuess) => Weakness::Date,
        Some(Warning::AWordByItselfIsEasyToGuess) => Weakness::SingleWord,
        Some(Warning::NamesAndSurnamesByThemselvesAreEasyToGuess | Warning::CommonNamesAndSurnamesAreEasyToGuess) => {
            Weakness::Name
        }
        None => Weakness::Guessable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: &[&str] = &["ada.lovelace@example.com", "Ada", "Lovelace"];

    #[test]
    fn what_is_easy_to_guess_is_refused_with_its_reason() {
        for (password, reason) in [
            ("Ada Lovelace 1815", Weakness::Personal),
            ("lovelaceada1815", Weakness::Personal),
            ("1815ecalevol", Weakness::Personal),
            ("AdaLovelace12101815", Weakness::Personal),
            ("Ada.Lovelace.12.10.1815", Weakness::Personal),
            ("Love-lace-Ada-1815", Weakness::Personal),
            ("l0vel4ceAd4!99", Weakness::Personal),
            ("L0v3l4c3 4d@ 1815", Weakness::Personal),
            ("ad\u{e1}Lov\u{e9}lace1815", Weakness::Personal),
            ("\u{ff21}da Lovelace 1815", Weakness::Personal),
            ("AdaTurnpike2026", Weakness::Personal),
            ("turn-pike-2026", Weakness::OurName),
            ("7urnp1ke-2026", Weakness::OurName),
            ("ada.lovelace@example.com1", Weakness::Personal),
            ("1234567890", Weakness::Common),
            ("qwertyuiop", Weakness::Common),
            ("password1234", Weakness::Common),
            ("longpassword", Weakness::CloseToCommon),
            ("zxcvbnm,./zxc", Weakness::Keyboard),
            ("aaaaaaaaaaaaaaa", Weakness::Repeats),
            ("hunter2hunter2", Weakness::Repeats),
            ("abcdefghijklm", Weakness::Sequence),
            ("12/06/1985.", Weakness::Date),
            ("pharmaceutical", Weakness::SingleWord),
            ("ada.lovelace@example.com", Weakness::Personal),
            ("Lovelace1815", Weakness::Personal),
            ("turnpike12", Weakness::OurName),
            ("correcthorse", Weakness::Guessable),
        ] {
            assert_eq!(weakness(password, ADA), Some(reason), "{password}");
        }
    }

    #[test]
    fn accents_hide_no_name() {
        for password in ["JoseNunez1990", "jos\u{e9}N\u{fa}\u{f1}ez1990", "Jose\u{301} Nunez", "zenuN-esoJ-90"] {
            let personal = ["jose@example.com", "Jos\u{e9}", "N\u{fa}\u{f1}ez"];
            assert_eq!(weakness(password, &personal), Some(Weakness::Personal), "{password}");
        }
    }

    #[test]
    fn what_is_hard_to_guess_is_accepted() {
        for password in [
            "correct horse battery staple",
            "kX9#mQ2$vL",
            "fjord-lantern-42",
            "quiet river 27",
            "我喜欢在湖边看书喝茶",
            "Ada likes 7 owls",
            "ada-lovelace-likes-owls",
            "fjord-lantern-12101815",
        ] {
            assert_eq!(weakness(password, ADA), None, "{password}");
        }
    }

    #[test]
    fn a_text_made_to_be_slow_is_cut() {
        let slow = "4@8({[<369&#!1/|\\0$5+7%2".repeat(5);
        let start = std::time::Instant::now();
        weakness(&slow, ADA);
        assert!(start.elapsed() < std::time::Duration::from_secs(1), "{:?}", start.elapsed());
    }
}

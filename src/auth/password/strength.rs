//! How hard a password is to guess, by zxcvbn's estimate.

use zxcvbn::{
    Score,
    feedback::{Feedback, Warning},
    zxcvbn,
};

/// How much of a password is estimated. The estimate's cost grows with the square of the length, and far worse with
/// the number of letter substitutions: 100 such characters took 1.5 seconds, 32 take a tenth.
const ESTIMATED_CHARS: usize = 32;
/// Personal texts shorter than this are in every other password by chance.
const PERSONAL_MIN_CHARS: usize = 4;
const PERSONAL_MAX_CHARS: usize = 100;

/// Why the password is too easy to guess, if it is.
///
/// Refused below score 3: fewer than 10^8 guesses are days of work for a thief of the hashes, even with argon2.
pub(super) fn weakness(password: &str, personal: &[&str]) -> Option<&'static str> {
    let password: String = password.chars().take(ESTIMATED_CHARS).collect();
    let words = personal_words(personal);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let estimate = zxcvbn(&password, &words);
    if estimate.score() >= Score::Three {
        return None;
    }
    let lower = password.to_lowercase();
    if words.iter().any(|word| word.chars().count() >= PERSONAL_MIN_CHARS && lower.contains(word)) {
        return Some("Too easy to guess: it is built from your own name or address. Use a few unrelated words.");
    }
    Some(reason(estimate.feedback().and_then(Feedback::warning)))
}

/// The texts themselves and the words in them, in small letters.
fn personal_words(personal: &[&str]) -> Vec<String> {
    let mut words = vec!["turnpike".to_owned()];
    for text in personal {
        let text: String = text.chars().take(PERSONAL_MAX_CHARS).flat_map(char::to_lowercase).collect();
        words.extend(text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned));
        words.push(text);
    }
    words
}

fn reason(warning: Option<Warning>) -> &'static str {
    match warning {
        Some(Warning::ThisIsATop10Password | Warning::ThisIsATop100Password | Warning::ThisIsACommonPassword) => {
            "Too easy to guess: many people use this password. Use a few unrelated words."
        }
        Some(Warning::ThisIsSimilarToACommonlyUsedPassword) => {
            "Too easy to guess: it is close to a password that many people use. Use a few unrelated words."
        }
        Some(Warning::StraightRowsOfKeysAreEasyToGuess | Warning::ShortKeyboardPatternsAreEasyToGuess) => {
            "Too easy to guess: the keys lie side by side. Use a few unrelated words."
        }
        Some(Warning::RepeatsLikeAaaAreEasyToGuess | Warning::RepeatsLikeAbcAbcAreOnlySlightlyHarderToGuess) => {
            "Too easy to guess: it repeats itself. Use a few unrelated words."
        }
        Some(Warning::SequencesLikeAbcAreEasyToGuess) => {
            "Too easy to guess: it is a sequence. Use a few unrelated words."
        }
        Some(Warning::RecentYearsAreEasyToGuess | Warning::DatesAreOftenEasyToGuess) => {
            "Too easy to guess: it is mostly a date. Use a few unrelated words."
        }
        Some(Warning::AWordByItselfIsEasyToGuess) => {
            "Too easy to guess: it is a single word. Add two or three unrelated ones."
        }
        Some(Warning::NamesAndSurnamesByThemselvesAreEasyToGuess | Warning::CommonNamesAndSurnamesAreEasyToGuess) => {
            "Too easy to guess: it is a name. Add two or three unrelated words."
        }
        None => "Too easy to guess. Add one or two uncommon words.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: &[&str] = &["ada.lovelace@example.com", "Ada", "Lovelace"];

    #[test]
    fn what_is_easy_to_guess_is_refused_with_its_reason() {
        for (password, reason) in [
            ("1234567890", "many people"),
            ("qwertyuiop", "many people"),
            ("password1234", "many people"),
            ("longpassword", "close to"),
            ("zxcvbnm,./zxc", "side by side"),
            ("aaaaaaaaaaaaaaa", "repeats"),
            ("hunter2hunter2", "repeats"),
            ("abcdefghijklm", "sequence"),
            ("12/06/1985.", "date"),
            ("pharmaceutical", "single word"),
            ("ada.lovelace@example.com", "your own"),
            ("Lovelace1815", "your own"),
            ("turnpike12", "your own"),
            ("correcthorse", "uncommon words"),
        ] {
            let why = weakness(password, ADA).unwrap_or("accepted");
            assert!(why.contains(reason), "{password}: {why}");
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

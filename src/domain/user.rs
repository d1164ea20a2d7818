//! What a person tells about themselves, each part read once at the border.

use std::fmt;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use super::{input::InputError, text};

const NAME_MAX: usize = 100;
const TITLE_MAX: usize = 50;
const PHONE: std::ops::RangeInclusive<usize> = 4..=40;

/// A first or last name: 1 to 100 characters of any script, trimmed, composed (NFC).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PersonName(String);

impl PersonName {
    /// Reads a name.
    pub fn parse(typed: &str) -> Result<Self, InputError> {
        let name = one_line(typed, NAME_MAX, InputError::LongName)?;
        if name.is_empty() {
            return Err(InputError::NoName);
        }
        Ok(Self(name))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How a person wants to be addressed ("Dr", "Ms"): at most 50 characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Title(String);

impl Title {
    /// Reads a title; nothing typed is no title.
    pub fn parse(typed: &str) -> Result<Option<Self>, InputError> {
        let title = one_line(typed, TITLE_MAX, InputError::LongTitle)?;
        Ok(Some(title).filter(|title| !title.is_empty()).map(Self))
    }

    /// The title.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A telephone number as its owner writes it: 4 to 40 characters, of which at least three are digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Phone(String);

impl Phone {
    /// Reads a telephone number; nothing typed is no number. Full-width digits become ordinary ones.
    pub fn parse(typed: &str) -> Result<Option<Self>, InputError> {
        let typed = typed.trim();
        if typed.is_empty() {
            return Ok(None);
        }
        if typed.chars().nth(*PHONE.end()).is_some() {
            return Err(InputError::LongPhone);
        }
        let number: String = typed.nfkc().collect();
        let allowed = number.chars().all(|c| c.is_ascii_digit() || " +-().x/".contains(c));
        let digits = number.chars().filter(char::is_ascii_digit).count();
        if !allowed || digits < 3 || !PHONE.contains(&number.len()) {
            return Err(InputError::Phone);
        }
        Ok(Some(Self(number)))
    }

    /// The number.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An IANA time zone, by its present or an older name (`Asia/Calcutta`, `US/Pacific`). UTC unless chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeZone(Tz);

impl TimeZone {
    /// Reads the name of a zone; nothing typed is UTC.
    pub fn parse(typed: &str) -> Result<Self, InputError> {
        match typed.trim() {
            "" => Ok(Self::default()),
            name => name.parse().map(Self).map_err(|_| InputError::TimeZone),
        }
    }

    /// Its name, as it was given.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// An instant on this zone's clocks.
    pub fn local(self, instant: DateTime<Utc>) -> DateTime<Tz> {
        instant.with_timezone(&self.0)
    }

    /// Every name, old ones too, in alphabetical order.
    pub fn all() -> impl Iterator<Item = Self> {
        chrono_tz::TZ_VARIANTS.iter().copied().map(Self)
    }
}

impl Default for TimeZone {
    fn default() -> Self {
        Self(Tz::UTC)
    }
}

/// What an account may do. Never read from a form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// An ordinary account.
    #[default]
    User,
    /// Sees the admin pages.
    Support,
    /// Sees and changes everything.
    Admin,
}

impl Role {
    /// Whether it sees more than what belongs to the person.
    pub fn is_staff(self) -> bool {
        matches!(self, Self::Support | Self::Admin)
    }

    /// Whether it changes access and rights.
    pub fn is_admin(self) -> bool {
        self == Self::Admin
    }

    /// The word that is stored and shown in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Support => "support",
            Self::Admin => "admin",
        }
    }

    /// The role with that word.
    pub fn parse(word: &str) -> Result<Self, &'static str> {
        [Self::User, Self::Support, Self::Admin]
            .into_iter()
            .find(|role| role.as_str() == word)
            .ok_or("There is no such role.")
    }
}

/// A language that the pages speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    ZhHans,
}

impl Language {
    /// Its BCP 47 tag.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::ZhHans => "zh-Hans",
        }
    }

    /// The language with that tag, in any case.
    pub fn parse(tag: &str) -> Result<Self, InputError> {
        [Self::En, Self::ZhHans]
            .into_iter()
            .find(|language| language.as_str().eq_ignore_ascii_case(tag))
            .ok_or(InputError::Language)
    }
}

/// Trimmed, composed (NFC), without characters that break a line or turn its direction. May be empty.
fn one_line(typed: &str, max: usize, too_long: InputError) -> Result<String, InputError> {
    let typed = typed.trim();
    if typed.chars().nth(max).is_some() {
        return Err(too_long);
    }
    if typed.chars().any(|c| text::is_control(c) || text::turns_direction(c)) {
        return Err(InputError::Control);
    }
    let line: String = typed.nfc().collect();
    if line.chars().nth(max).is_some() {
        return Err(too_long);
    }
    // A text of nothing but joiners and fillers would look like no text at all.
    if line.chars().all(|c| c.is_whitespace() || text::is_invisible(c)) {
        return Ok(String::new());
    }
    Ok(line)
}

macro_rules! displayed_as_str {
    ($($kind:ty),*) => {$(
        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )*};
}
displayed_as_str!(PersonName, Title, Phone, Role, Language);

impl fmt::Display for TimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_that_are_refused() {
        let (long, ten_thousand) = ("a".repeat(101), "a".repeat(10_000));
        for name in [
            "",
            "  ",
            "\u{200B}",
            "\u{3164}",
            "A\0da",
            "A\nda",
            "A\tda",
            "A\u{7F}da",
            "A\u{202E}da",
            "A\u{2066}da",
            "A\u{2028}da",
            &long,
            &ten_thousand,
        ] {
            assert!(PersonName::parse(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn names_of_every_script_are_kept() {
        let hundred = "é".repeat(100);
        for (typed, name) in [
            (" Ada ", "Ada"),
            ("Anne-Marie O’Neil", "Anne-Marie O’Neil"),
            ("Jose\u{301}", "José"),
            ("王小明", "王小明"),
            ("محمد", "محمد"),
            ("می\u{200C}خواهم", "می\u{200C}خواهم"),
            ("👩\u{200D}🚀", "👩\u{200D}🚀"),
            ("X", "X"),
            (&hundred, &hundred),
        ] {
            assert_eq!(PersonName::parse(typed).unwrap().as_str(), name);
        }
    }

    #[test]
    fn a_title_may_be_missing() {
        assert!(Title::parse(&"a".repeat(51)).is_err());
        assert!(Title::parse("D\0r").is_err());
        assert_eq!(Title::parse("  ").unwrap(), None);
        assert_eq!(Title::parse(" Dr ").unwrap().unwrap().as_str(), "Dr");
        assert!(Title::parse(&"é".repeat(50)).unwrap().is_some());
    }

    #[test]
    fn telephone_numbers() {
        let long = "1".repeat(41);
        for number in ["123", "----", "+ ()", "call me", "+49 30 12\0", "+49\n30 1234", "１２x٣٤", &long] {
            assert!(Phone::parse(number).is_err(), "{number:?}");
        }
        for number in ["1234", "+49 (0)30 / 123-45.67 x 89", &"1".repeat(40)] {
            assert_eq!(Phone::parse(number).unwrap().unwrap().as_str(), number);
        }
        assert_eq!(Phone::parse("＋８６ １３８００").unwrap().unwrap().as_str(), "+86 13800");
        assert_eq!(Phone::parse(" ").unwrap(), None);
    }

    #[test]
    fn time_zones_by_old_and_new_names() {
        for name in ["Mars/Olympus", "utc+1", "Europe", "Europe/Berlin\0", "../etc/passwd", "asia/calcutta"] {
            assert!(TimeZone::parse(name).is_err(), "{name:?}");
        }
        for name in [
            "Asia/Calcutta",
            "Asia/Kolkata",
            "US/Pacific",
            "Europe/Kiev",
            "Europe/Kyiv",
            "Asia/Saigon",
            "Etc/GMT+5",
            "UTC",
        ] {
            assert_eq!(TimeZone::parse(name).unwrap().name(), name);
        }
        assert_eq!(TimeZone::parse("").unwrap().name(), "UTC");
        let noon = DateTime::from_timestamp(1_780_000_000, 0).unwrap();
        assert_eq!(TimeZone::parse("US/Pacific").unwrap().local(noon).to_rfc3339(), "2026-05-28T13:26:40-07:00");
        assert!(TimeZone::all().any(|zone| zone.name() == "Asia/Calcutta"));
    }

    #[test]
    fn words_go_both_ways() {
        assert!(Role::parse("root").is_err());
        assert!(Role::parse("Admin").is_err());
        assert!(Language::parse("fr").is_err());
        for role in [Role::User, Role::Support, Role::Admin] {
            assert_eq!(Role::parse(role.as_str()), Ok(role));
        }
        for language in [Language::En, Language::ZhHans] {
            assert_eq!(Language::parse(&language.as_str().to_lowercase()), Ok(language));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            let _ = (Title::parse(&text), Phone::parse(&text), TimeZone::parse(&text));
            if let Ok(name) = PersonName::parse(&text) {
                prop_assert_eq!(PersonName::parse(name.as_str()).unwrap(), name);
            }
        }
    }
}

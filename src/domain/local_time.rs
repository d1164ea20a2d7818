//! An instant in words, on the clocks of a person's time zone.

use chrono::{DateTime, Utc};
use chrono_tz::{OffsetName, Tz};

use super::user::Language;

/// `28 February 2027, 11:15 CET`: 24 hours, and the zone written out. In Chinese `2027年2月28日 11:15（CET）`.
pub fn moment(at: DateTime<Utc>, zone: Tz, language: Language) -> String {
    let local = at.with_timezone(&zone);
    let (day, time, zone) = (day(at, zone, language), local.format("%H:%M"), zone_name(&local));
    match language {
        Language::En => format!("{day}, {time} {zone}"),
        Language::ZhHans => format!("{day} {time}（{zone}）"),
    }
}

/// `28 February 2027`, where the time of day says nothing.
pub fn day(at: DateTime<Utc>, zone: Tz, language: Language) -> String {
    let pattern = match language {
        Language::En => "%-d %B %Y",
        Language::ZhHans => "%Y年%-m月%-d日",
    };
    at.with_timezone(&zone).format(pattern).to_string()
}

/// `February 2027`: a calendar month of UTC.
pub fn month(start: DateTime<Utc>, language: Language) -> String {
    let pattern = match language {
        Language::En => "%B %Y",
        Language::ZhHans => "%Y年%-m月",
    };
    start.format(pattern).to_string()
}

/// `Feb`, where the year stands beside it or says nothing.
pub fn short_month(start: DateTime<Utc>, language: Language) -> String {
    let pattern = match language {
        Language::En => "%b",
        Language::ZhHans => "%-m月",
    };
    start.format(pattern).to_string()
}

/// The zone's letters where it has any ("CET"), else the offset written out ("UTC+05:45").
fn zone_name(local: &DateTime<Tz>) -> String {
    match local.offset().abbreviation() {
        Some(letters) if letters.chars().all(|c| c.is_ascii_alphabetic()) => letters.to_owned(),
        _ => format!("UTC{}", local.format("%:z")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn it_is_shown_in_the_zone_of_the_person_on_the_24_hour_clock() {
        let rows = [
            ("2027-02-28T10:15:30Z", "Europe/Paris", "28 February 2027, 11:15 CET"),
            ("2027-08-31T23:59:59Z", "Europe/Paris", "1 September 2027, 01:59 CEST"),
            ("2027-02-28T10:15:30Z", "UTC", "28 February 2027, 10:15 UTC"),
            ("2027-02-28T18:15:00Z", "Asia/Kathmandu", "1 March 2027, 00:00 UTC+05:45"),
            ("2027-01-01T03:00:00Z", "America/Sao_Paulo", "1 January 2027, 00:00 UTC-03:00"),
            ("2027-01-01T12:00:00Z", "US/Pacific", "1 January 2027, 04:00 PST"),
            ("2027-01-01T12:00:00Z", "Asia/Calcutta", "1 January 2027, 17:30 IST"),
        ];
        for (at, zone, words) in rows {
            assert_eq!(moment(utc(at), zone.parse().unwrap(), Language::En), words, "{at} {zone}");
        }
    }

    #[test]
    fn in_chinese_it_runs_from_the_year_to_the_minute() {
        let zone = Tz::Asia__Shanghai;
        assert_eq!(moment(utc("2027-02-28T10:05:30Z"), zone, Language::ZhHans), "2027年2月28日 18:05（CST）");
        assert_eq!(day(utc("2027-12-01T20:00:00Z"), zone, Language::ZhHans), "2027年12月2日");
    }

    #[test]
    fn a_month_is_one_of_utc() {
        let start = utc("2027-02-01T00:00:00Z");
        for (language, long, short) in [(Language::En, "February 2027", "Feb"), (Language::ZhHans, "2027年2月", "2月")]
        {
            assert_eq!((month(start, language).as_str(), short_month(start, language).as_str()), (long, short));
        }
    }

    #[test]
    fn no_zone_brings_markup_of_its_own() {
        for zone in chrono_tz::TZ_VARIANTS {
            for month in 1..=12 {
                let words = moment(utc(&format!("2027-{month:02}-01T00:00:00Z")), zone, Language::En);
                assert!(words.chars().all(|c| c.is_ascii_alphanumeric() || " ,:+-".contains(c)), "{zone}: {words}");
            }
        }
    }
}

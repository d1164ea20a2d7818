//! An instant as a person reads it, in their own time zone.

use std::fmt;

use askama::filters::HtmlSafe;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use chrono_tz::{OffsetName, Tz};

/// An instant and the zone in which it is shown: `28 February 2027, 11:15 CET`, inside `<time>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    at: DateTime<Utc>,
    zone: Tz,
}

impl Moment {
    /// `at`, to be shown in `zone`.
    pub fn new(at: DateTime<Utc>, zone: Tz) -> Self {
        Self { at, zone }
    }

    /// Where the time of day says nothing.
    pub fn day(self) -> Day {
        Day(self)
    }

    /// The words alone, for a place that takes no markup.
    pub fn words(self) -> String {
        let local = self.at.with_timezone(&self.zone);
        format!("{} {}", local.format("%-d %B %Y, %H:%M"), zone_name(&local))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_time(f, self.at, &self.words())
    }
}

/// A moment of which only the day is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day(Moment);

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = self.0.at.with_timezone(&self.0.zone);
        write_time(f, self.0.at, &local.format("%-d %B %Y").to_string())
    }
}

// Digits, English month names and a zone's letters: nothing that a person typed.
impl HtmlSafe for Moment {}
impl HtmlSafe for Day {}

fn write_time(f: &mut fmt::Formatter<'_>, at: DateTime<Utc>, words: &str) -> fmt::Result {
    write!(f, "<time datetime=\"{}\">{words}</time>", at.to_rfc3339_opts(SecondsFormat::Secs, true))
}

/// The zone's letters where it has any ("CET"), else the offset written out ("UTC+05:45").
fn zone_name(local: &DateTime<Tz>) -> String {
    match local.offset().abbreviation() {
        Some(letters) if letters.chars().all(|c| c.is_ascii_alphabetic()) => letters.to_owned(),
        _ => format!("UTC{}", local.format("%:z")),
    }
}

/// How long it is from `now` to `until`, in the largest unit that is not zero: "184 days", "1 hour".
pub fn time_left(now: DateTime<Utc>, until: DateTime<Utc>) -> String {
    let left = until - now;
    if left <= TimeDelta::zero() {
        return "no time".to_owned();
    }
    let (count, unit) = match (left.num_days(), left.num_hours(), left.num_minutes()) {
        (days @ 1.., _, _) => (days, "day"),
        (_, hours @ 1.., _) => (hours, "hour"),
        (_, _, minutes @ 1..) => (minutes, "minute"),
        _ => return "less than a minute".to_owned(),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// How much of the time from `start` to `end` is over at `now`, in whole percent.
pub fn percent_used(start: DateTime<Utc>, end: DateTime<Utc>, now: DateTime<Utc>) -> u8 {
    let whole = (end - start).num_seconds().max(1);
    let used = (now - start).num_seconds().clamp(0, whole);
    used.checked_mul(100).and_then(|hundredfold| u8::try_from(hundredfold / whole).ok()).unwrap_or(100)
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
            assert_eq!(Moment::new(utc(at), zone.parse().unwrap()).words(), words, "{at} {zone}");
        }
    }

    #[test]
    fn the_markup_carries_the_instant_itself() {
        let moment = Moment::new(utc("2027-02-28T10:15:30.5Z"), Tz::Europe__Paris);
        assert_eq!(moment.to_string(), "<time datetime=\"2027-02-28T10:15:30Z\">28 February 2027, 11:15 CET</time>");
        assert_eq!(moment.day().to_string(), "<time datetime=\"2027-02-28T10:15:30Z\">28 February 2027</time>");
    }

    #[test]
    fn no_zone_brings_markup_of_its_own() {
        for zone in chrono_tz::TZ_VARIANTS {
            for month in 1..=12 {
                let words = Moment::new(utc(&format!("2027-{month:02}-01T00:00:00Z")), zone).words();
                assert!(words.chars().all(|c| c.is_ascii_alphanumeric() || " ,:+-".contains(c)), "{zone}: {words}");
            }
        }
    }

    #[test]
    fn the_time_used_stays_between_0_and_100_percent() {
        let (start, end) = (utc("2027-01-01T00:00:00Z"), utc("2027-01-11T00:00:00Z"));
        for (now, percent) in [
            ("2026-01-01T00:00:00Z", 0),
            ("2027-01-01T00:00:00Z", 0),
            ("2027-01-04T11:00:00Z", 34),
            ("2027-01-10T23:59:59Z", 99),
            ("2027-01-11T00:00:00Z", 100),
            ("2028-01-11T00:00:00Z", 100),
        ] {
            assert_eq!(percent_used(start, end, utc(now)), percent, "{now}");
        }
        assert_eq!(percent_used(end, start, utc("2027-01-05T00:00:00Z")), 0);
    }

    #[test]
    fn the_time_left_is_told_in_its_largest_unit() {
        let now = utc("2027-01-01T00:00:00Z");
        let rows = [
            ("2026-12-31T00:00:00Z", "no time"),
            ("2027-01-01T00:00:00Z", "no time"),
            ("2027-01-01T00:00:59Z", "less than a minute"),
            ("2027-01-01T00:01:00Z", "1 minute"),
            ("2027-01-01T23:59:59Z", "23 hours"),
            ("2027-01-02T00:00:00Z", "1 day"),
            ("2027-07-04T00:00:00Z", "184 days"),
        ];
        for (until, words) in rows {
            assert_eq!(time_left(now, utc(until)), words, "{until}");
        }
    }
}

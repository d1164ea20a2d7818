//! An instant as a person reads it, in their own time zone.

use std::fmt;

use askama::filters::HtmlSafe;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use chrono_tz::Tz;

use crate::{
    domain::{local_time, user::Language},
    words::{Message, Words},
};

/// An instant and the zone in which it is shown: `28 February 2027, 11:15 CET`, inside `<time>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    at: DateTime<Utc>,
    zone: Tz,
    language: Language,
}

impl Moment {
    /// `at`, to be shown in `zone` and in `language`.
    pub fn new(at: DateTime<Utc>, zone: Tz, language: Language) -> Self {
        Self { at, zone, language }
    }

    /// Where the time of day says nothing.
    pub fn day(self) -> Day {
        Day(self)
    }

    /// The words alone, for a place that takes no markup.
    pub fn words(self) -> String {
        local_time::moment(self.at, self.zone, self.language)
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
        write_time(f, self.0.at, &local_time::day(self.0.at, self.0.zone, self.0.language))
    }
}

// Digits, names of months and a zone's letters: nothing that a person typed.
impl HtmlSafe for Moment {}
impl HtmlSafe for Day {}

fn write_time(f: &mut fmt::Formatter<'_>, at: DateTime<Utc>, words: &str) -> fmt::Result {
    write!(f, "<time datetime=\"{}\">{words}</time>", at.to_rfc3339_opts(SecondsFormat::Secs, true))
}

/// How long it is from `now` to `until`, in the largest unit that is not zero: "184 days", "1 hour".
pub fn time_left(words: Words, now: DateTime<Utc>, until: DateTime<Utc>) -> Message {
    let left = until - now;
    if left <= TimeDelta::zero() {
        return words.say("time-none");
    }
    match (left.num_days(), left.num_hours(), left.num_minutes()) {
        (days @ 1.., _, _) => words.say("time-days").with("count", days),
        (_, hours @ 1.., _) => words.say("time-hours").with("count", hours),
        (_, _, minutes @ 1..) => words.say("time-minutes").with("count", minutes),
        _ => words.say("time-less-than-a-minute"),
    }
}

/// How long it is until something can be tried again: seconds up to a minute, then minutes, rounded up.
pub fn wait(words: Words, seconds: i64) -> Message {
    match seconds {
        ..=60 => words.say("time-seconds").with("count", seconds.max(1)),
        _ => words.say("time-minutes").with("count", (seconds + 59) / 60),
    }
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
    fn the_markup_carries_the_instant_itself() {
        let moment = Moment::new(utc("2027-02-28T10:15:30.5Z"), Tz::Europe__Paris, Language::En);
        assert_eq!(moment.to_string(), "<time datetime=\"2027-02-28T10:15:30Z\">28 February 2027, 11:15 CET</time>");
        assert_eq!(moment.day().to_string(), "<time datetime=\"2027-02-28T10:15:30Z\">28 February 2027</time>");
    }

    #[test]
    fn in_chinese_nothing_is_counted_in_two_ways() {
        let (now, words) = (utc("2027-01-01T00:00:00Z"), Words::of(Language::ZhHans));
        assert_eq!(time_left(words, now, utc("2027-01-02T00:00:00Z")).to_string(), "1 天");
        assert_eq!(time_left(words, now, utc("2027-07-04T00:00:00Z")).to_string(), "184 天");
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
    fn nobody_is_told_to_come_back_too_early() {
        for (seconds, words) in [
            (0, "1 second"),
            (1, "1 second"),
            (60, "60 seconds"),
            (61, "2 minutes"),
            (120, "2 minutes"),
            (121, "3 minutes"),
        ] {
            assert_eq!(wait(Words::default(), seconds).to_string(), words);
        }
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
            assert_eq!(time_left(Words::default(), now, utc(until)).to_string(), words, "{until}");
        }
    }
}

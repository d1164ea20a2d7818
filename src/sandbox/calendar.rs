//! Billing periods as Stripe counts them: from an anchor, so that a month's last day is never lost.

use chrono::{DateTime, Months, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

pub const HOUR: i64 = 3_600;
pub const DAY: i64 = 86_400;

/// The unit of a recurring price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Interval {
    Day,
    Week,
    Month,
    Year,
}

impl Interval {
    pub fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Self::Day, Self::Week, Self::Month, Self::Year].into_iter().find(|interval| interval.word() == word)
    }
}

/// How often a recurring price is charged: every `count` intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cadence {
    pub interval: Interval,
    pub count: u32,
}

impl Cadence {
    /// The first period boundary after `moment`, on the grid that starts at `anchor` (both UNIX seconds).
    pub fn next_after(self, anchor: i64, moment: i64) -> i64 {
        let mut steps = 1;
        loop {
            let boundary = self.boundary(anchor, steps);
            if boundary > moment || steps == u32::MAX {
                return boundary;
            }
            steps += 1;
        }
    }

    fn boundary(self, anchor: i64, steps: u32) -> i64 {
        let Some(start) = DateTime::<Utc>::from_timestamp(anchor, 0) else { return i64::MAX };
        let units = self.count.max(1).saturating_mul(steps);
        let end = match self.interval {
            Interval::Day => start.checked_add_signed(TimeDelta::days(i64::from(units))),
            Interval::Week => start.checked_add_signed(TimeDelta::weeks(i64::from(units))),
            Interval::Month => start.checked_add_months(Months::new(units)),
            Interval::Year => start.checked_add_months(Months::new(units.saturating_mul(12))),
        };
        end.map_or(i64::MAX, |end| end.timestamp())
    }
}

/// "28 February 2027, 10:15 UTC".
pub fn spell(moment: i64) -> String {
    DateTime::<Utc>::from_timestamp(moment, 0)
        .map_or_else(|| moment.to_string(), |time| time.format("%-d %B %Y, %H:%M UTC").to_string())
}

/// RFC 3339 in UTC, for `<time datetime>`.
pub fn rfc3339(moment: i64) -> String {
    DateTime::<Utc>::from_timestamp(moment, 0)
        .map_or_else(|| moment.to_string(), |time| time.format("%Y-%m-%dT%H:%M:%SZ").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> i64 {
        DateTime::parse_from_rfc3339(text).unwrap().timestamp()
    }

    #[test]
    fn a_period_returns_to_the_anchors_day_after_a_short_month() {
        let monthly = Cadence { interval: Interval::Month, count: 1 };
        let anchor = at("2027-01-31T10:00:00Z");
        let february = monthly.next_after(anchor, anchor);
        assert_eq!(february, at("2027-02-28T10:00:00Z"));
        assert_eq!(monthly.next_after(anchor, february), at("2027-03-31T10:00:00Z"));
    }

    #[test]
    fn each_unit_has_its_length() {
        let anchor = at("2028-02-29T00:00:00Z");
        let cases = [
            (Interval::Day, 3, "2028-03-03T00:00:00Z"),
            (Interval::Week, 2, "2028-03-14T00:00:00Z"),
            (Interval::Month, 6, "2028-08-29T00:00:00Z"),
            (Interval::Year, 1, "2029-02-28T00:00:00Z"),
        ];
        for (interval, count, end) in cases {
            assert_eq!(Cadence { interval, count }.next_after(anchor, anchor), at(end), "{interval:?}");
        }
    }
}

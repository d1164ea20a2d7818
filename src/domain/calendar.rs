//! Calendar arithmetic on UTC instants (`docs/rules.md §2`).

use chrono::{DateTime, Months, Utc};

/// How long the trial that comes with an account lasts, in calendar months (`docs/rules.md §2`).
pub const TRIAL_MONTHS: u32 = 6;

/// `start` plus whole calendar months, counted on the UTC date in one step: the time of day stays,
/// and a day that the target month does not have becomes that month's last day.
///
/// `None` only beyond the range of the calendar (about the year 262,000).
pub fn add_months_clamped(start: DateTime<Utc>, months: u32) -> Option<DateTime<Utc>> {
    start.checked_add_months(Months::new(months))
}

#[cfg(test)]
mod tests {
    use chrono::{Datelike, NaiveDateTime, Timelike};
    use proptest::prelude::*;

    use super::*;

    fn utc(text: &str) -> DateTime<Utc> {
        text.parse::<NaiveDateTime>().unwrap().and_utc()
    }

    /// The table of `docs/rules.md §2`.
    #[test]
    fn six_months_later_is_clamped_to_the_end_of_the_month() {
        for (start, end) in [
            ("2026-08-31T10:15:30", "2027-02-28T10:15:30"),
            ("2027-08-31T23:59:59", "2028-02-29T23:59:59"),
            ("2025-08-29T12:00:00", "2026-02-28T12:00:00"),
            ("2026-01-31T12:00:00", "2026-07-31T12:00:00"),
            ("2026-02-28T12:00:00", "2026-08-28T12:00:00"),
            ("2028-02-29T12:00:00", "2028-08-29T12:00:00"),
            ("2026-10-31T00:00:00", "2027-04-30T00:00:00"),
        ] {
            assert_eq!(add_months_clamped(utc(start), TRIAL_MONTHS), Some(utc(end)), "from {start}");
        }
    }

    #[test]
    fn beyond_the_calendar_there_is_no_answer() {
        assert_eq!(add_months_clamped(utc("2026-01-31T12:00:00"), u32::MAX), None);
    }

    fn last_day(year: i32, month: u32) -> u32 {
        (28..=31).rev().find(|day| chrono::NaiveDate::from_ymd_opt(year, month, *day).is_some()).unwrap()
    }

    proptest! {
        #[test]
        fn the_target_month_is_met_and_the_time_of_day_is_kept(
            seconds in -2_000_000_000_i64..20_000_000_000, micros in 0_u32..1_000_000, months in 0_u32..1_200,
        ) {
            let start = DateTime::from_timestamp(seconds, micros * 1_000).unwrap();
            let end = add_months_clamped(start, months).unwrap();
            let elapsed = (end.year() - start.year()) * 12 + end.month0().cast_signed() - start.month0().cast_signed();
            prop_assert_eq!(elapsed, months.cast_signed());
            prop_assert_eq!(end.time(), start.time());
            prop_assert_eq!(end.nanosecond(), start.nanosecond());
            prop_assert_eq!(end.day(), start.day().min(last_day(end.year(), end.month())));
        }

        #[test]
        fn a_later_start_never_ends_earlier(seconds in 0_i64..4_000_000_000, later in 0_i64..10_000_000, months in 0_u32..120) {
            let start = DateTime::from_timestamp(seconds, 0).unwrap();
            let after = DateTime::from_timestamp(seconds + later, 0).unwrap();
            // Clamped days keep their order up to the time of day: compare dates.
            let (first, second) = (add_months_clamped(start, months).unwrap(), add_months_clamped(after, months).unwrap());
            prop_assert!(first.date_naive() <= second.date_naive());
        }
    }
}

//! Months bought with single payments: what one payment adds, and what goes back with its money (`docs/rules.md §6`).

use chrono::{DateTime, SubsecRound, Utc};

use super::{calendar::add_months_clamped, subscription::Period};

/// What a payment for `months` adds at `now` for somebody whose access lasts until `latest_end` (the latest access end of
/// all of their subscriptions, past or to come).
///
/// `None` only beyond the range of the calendar.
pub fn span(now: DateTime<Utc>, latest_end: Option<DateTime<Utc>>, months: u32) -> Option<Period> {
    let now = now.trunc_subsecs(0);
    let start = latest_end.map_or(now, |end| end.max(now));
    Some(Period { start, end: add_months_clamped(start, months)? })
}

/// The prepaid period after a payment added `span`: one that still runs goes on, one that is over begins anew.
pub fn extended(running: Option<Period>, span: Period) -> Period {
    Period { start: running.map_or(span.start, |period| period.start), end: span.end }
}

/// The prepaid period after the money for `span` went back: it ends earlier by exactly that length, but not before
/// `now`. One that is over stays as it was.
pub fn taken_back(period: Period, span: Period, now: DateTime<Utc>) -> Period {
    let earlier = period.end - (span.end - span.start);
    Period { end: earlier.max(now).min(period.end), ..period }
}

/// Whether nothing of a period is left at `now`.
pub fn is_used_up(period: Period, now: DateTime<Utc>) -> bool {
    period.end <= now.max(period.start)
}

#[cfg(test)]
mod tests {
    use chrono::{Months, TimeDelta};
    use proptest::prelude::*;

    use super::*;

    fn utc(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn period(start: &str, end: &str) -> Period {
        Period { start: utc(start), end: utc(end) }
    }

    #[test]
    fn a_payment_adds_its_months_to_the_end_of_what_one_has() {
        let now = "2026-08-31T10:15:30.999999Z";
        for (latest_end, months, start, end) in [
            // Nothing before: from now, in whole seconds.
            (None, 6, "2026-08-31T10:15:30Z", "2027-02-28T10:15:30Z"),
            // Something that is over: as nothing.
            (Some("2026-08-31T10:15:29Z"), 6, "2026-08-31T10:15:30Z", "2027-02-28T10:15:30Z"),
            (Some("2020-01-01T00:00:00Z"), 1, "2026-08-31T10:15:30Z", "2026-09-30T10:15:30Z"),
            // It ends just now.
            (Some("2026-08-31T10:15:30Z"), 6, "2026-08-31T10:15:30Z", "2027-02-28T10:15:30Z"),
            // A trial that runs; the clamped day does not come back with the next months.
            (Some("2027-02-28T10:15:30Z"), 6, "2027-02-28T10:15:30Z", "2027-08-28T10:15:30Z"),
            (Some("2027-08-31T23:59:59Z"), 6, "2027-08-31T23:59:59Z", "2028-02-29T23:59:59Z"),
            (Some("2026-12-31T00:00:00Z"), 120, "2026-12-31T00:00:00Z", "2036-12-31T00:00:00Z"),
        ] {
            assert_eq!(span(utc(now), latest_end.map(utc), months), Some(period(start, end)), "{latest_end:?}");
        }
        assert_eq!(span(utc(now), None, u32::MAX), None);
    }

    #[test]
    fn a_period_that_runs_goes_on_and_one_that_is_over_begins_anew() {
        let bought = period("2027-02-28T00:00:00Z", "2027-08-28T00:00:00Z");
        assert_eq!(extended(None, bought), bought);
        let running = period("2026-08-28T00:00:00Z", "2027-02-28T00:00:00Z");
        assert_eq!(extended(Some(running), bought), period("2026-08-28T00:00:00Z", "2027-08-28T00:00:00Z"));
    }

    #[test]
    fn the_end_moves_back_by_what_was_added_and_not_before_now() {
        let first = period("2027-02-28T00:00:00Z", "2027-08-28T00:00:00Z");
        let both = period("2027-02-28T00:00:00Z", "2028-02-28T00:00:00Z");
        for (now, before, span, end) in [
            // Before it began: all of it, so that nothing is left.
            ("2026-12-01T00:00:00Z", first, first, "2027-02-28T00:00:00Z"),
            // While it runs: the rest of it.
            ("2027-04-01T12:00:00Z", first, first, "2027-04-01T12:00:00Z"),
            // After its end: nothing, and the end does not move forward either.
            ("2027-08-28T00:00:00Z", first, first, "2027-08-28T00:00:00Z"),
            ("2029-01-01T00:00:00Z", first, first, "2027-08-28T00:00:00Z"),
            // The first of two: 181 days, not "six months".
            ("2026-12-01T00:00:00Z", both, first, "2027-08-31T00:00:00Z"),
            ("2027-10-01T00:00:00Z", both, first, "2027-10-01T00:00:00Z"),
        ] {
            let expected = Period { start: before.start, end: utc(end) };
            assert_eq!(taken_back(before, span, utc(now)), expected, "at {now}");
        }
    }

    /// The table of `docs/rules.md §6`.
    #[test]
    fn what_a_full_refund_leaves() {
        let bought = utc("2026-08-31T10:15:30Z");
        let trial = Some(utc("2027-02-28T10:15:30Z"));
        for (trial, now, end) in [
            (trial, "2026-12-01T00:00:00Z", "2027-02-28T10:15:30Z"),
            (None, "2026-09-10T00:00:00Z", "2026-09-10T00:00:00Z"),
            (None, "2027-10-05T00:00:00Z", "2027-02-28T10:15:30Z"),
        ] {
            let span = span(bought, trial, 6).unwrap();
            let left = taken_back(extended(None, span), span, utc(now));
            assert_eq!((left.end, is_used_up(left, utc(now))), (utc(end), true), "at {now}");
        }
    }

    #[test]
    fn what_is_used_up() {
        let bought = period("2027-02-28T00:00:00Z", "2027-08-28T00:00:00Z");
        for (now, used_up) in
            [("2026-01-01T00:00:00Z", false), ("2027-08-27T23:59:59Z", false), ("2027-08-28T00:00:00Z", true)]
        {
            assert_eq!(is_used_up(bought, utc(now)), used_up, "at {now}");
        }
        let taken = Period { end: bought.start, ..bought };
        assert!(is_used_up(taken, utc("2026-01-01T00:00:00Z")), "it was taken back before it began");
    }

    proptest! {
        /// Whoever buys again and again and gets all of it back has what they had before, in whatever order.
        #[test]
        fn what_all_payments_added_goes_back_with_all_of_them(
            seconds in 1_700_000_000_i64..2_000_000_000, had_days in 0_i64..400,
            months in proptest::collection::vec(1_u32..=24, 1..6), turn in 0_usize..6,
        ) {
            let now = DateTime::from_timestamp(seconds, 0).unwrap();
            let had = now + TimeDelta::days(had_days);
            let mut bought: Option<Period> = None;
            let mut spans = Vec::new();
            for count in &months {
                let latest = bought.map_or(had, |period| period.end);
                let added = span(now, Some(latest), *count).unwrap();
                prop_assert_eq!(added.start, latest);
                prop_assert_eq!(added.end, latest + Months::new(*count));
                bought = Some(extended(bought, added));
                spans.push(added);
            }
            let middle = turn % spans.len();
            spans.rotate_left(middle);
            let mut left = bought.unwrap();
            for added in spans {
                prop_assert!(!is_used_up(left, now));
                left = taken_back(left, added, now);
            }
            prop_assert_eq!(left, Period { start: had, end: had });
            prop_assert!(is_used_up(left, now));
        }
    }
}

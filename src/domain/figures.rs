//! What the figures of the site are counted in: months, shares, and money for a month (`docs/admin.md`).

use chrono::{DateTime, Datelike, Months, NaiveTime, Utc};

/// The first instants of the `count` calendar months (UTC) up to the one of `now`, the oldest first.
pub fn months_up_to(now: DateTime<Utc>, count: u32) -> Vec<DateTime<Utc>> {
    let first_day = now.date_naive().with_day(1).unwrap_or_else(|| now.date_naive());
    let this = first_day.and_time(NaiveTime::MIN).and_utc();
    (0..count).rev().filter_map(|back| this.checked_sub_months(Months::new(back))).collect()
}

/// What an amount that is paid for each period of so many whole days comes to in a month, in the currency's smallest unit,
/// rounded half up. A period of one or more calendar months counts as those months, whatever their days; a shorter or
/// another one by the 365 days of a year.
pub fn monthly(amount: i64, days: i64) -> i64 {
    const YEAR: i64 = 365;
    const MONTHS: i64 = 12;
    if days <= 0 {
        return 0;
    }
    let months = (days * MONTHS + YEAR / 2) / YEAR;
    // Calendar months differ from the twelfth of a year by up to three days.
    let is_whole = months > 0 && (days * MONTHS - months * YEAR).abs() <= 3 * MONTHS;
    if is_whole {
        rounded(amount.into(), months.into())
    } else {
        rounded(i128::from(amount) * 365, (MONTHS * days).into())
    }
}

/// How many of a thousand; nothing of nothing is no share.
pub fn per_mille(part: i64, whole: i64) -> Option<i64> {
    (whole > 0).then(|| rounded(i128::from(part) * 1_000, whole.into()))
}

fn rounded(dividend: i128, divisor: i128) -> i64 {
    let quotient = (2 * dividend + divisor).div_euclid(2 * divisor);
    i64::try_from(quotient).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn months_begin_with_their_first_instant_in_utc() {
        let months = months_up_to(utc("2027-03-31T23:59:59.9Z"), 4);
        let starts = ["2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z", "2027-03-01T00:00:00Z"];
        assert_eq!(months, starts.map(utc));
        assert_eq!(months_up_to(utc("2027-03-01T00:00:00Z"), 1), [utc("2027-03-01T00:00:00Z")]);
    }

    #[test]
    fn an_amount_is_spread_over_the_months_of_its_period() {
        for (amount, days, month) in [
            (900, 0, 0),
            (900, -1, 0),
            (900, 28, 900),
            (900, 31, 900),
            (2_700, 90, 900),
            (2_700, 92, 900),
            (5_400, 181, 900),
            (5_400, 184, 900),
            (9_000, 365, 750),
            (9_000, 366, 750),
            (18_000, 731, 750),
            (100, 365, 8),
            (102, 365, 9),
            (700, 7, 3_042),
            (1_400, 14, 3_042),
            (2_100, 21, 3_042),
            (100, 1, 3_042),
            (i64::MAX, 1, i64::MAX),
        ] {
            assert_eq!(monthly(amount, days), month, "{amount} in {days} days");
        }
    }

    #[test]
    fn a_share_is_one_of_something() {
        for (part, whole, share) in
            [(0, 0, None), (1, 0, None), (0, 5, Some(0)), (1, 3, Some(333)), (2, 3, Some(667)), (3, 3, Some(1_000))]
        {
            assert_eq!(per_mille(part, whole), share);
        }
    }
}

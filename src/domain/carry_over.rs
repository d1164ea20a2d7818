//! Nobody loses a day for paying early (`docs/rules.md §7`).

use chrono::{DateTime, TimeDelta, Utc};

use super::subscription::{AccessPolicy, Kind, Subscription};

/// How Stripe's checkout is told of the access that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarryOver {
    /// None is left: charge at once.
    Nothing,
    /// Charge at this instant (`trial_end`).
    Until(DateTime<Utc>),
    /// Charge after so many days (`trial_period_days`), where the end is too near for Stripe's `trial_end`.
    Days(u32),
}

/// Stripe wants `trial_end` this far ahead when it reads it, which is a little later than we write it.
const NEAREST: TimeDelta = TimeDelta::minutes(48 * 60 + 10);
/// Stripe wants `trial_end` no further ahead than this.
const FURTHEST: TimeDelta = TimeDelta::days(730);

/// What is left at `now` of a person's trial, prepaid months or presents.
pub fn carry_over(subscriptions: &[Subscription], policy: &AccessPolicy, now: DateTime<Utc>) -> CarryOver {
    let own = subscriptions.iter().filter(|one| one.kind != Kind::Recurring);
    match own.filter_map(|one| one.access_end(policy)).max() {
        Some(until) if until > now => until_or_days(until.min(now + FURTHEST), now),
        _ => CarryOver::Nothing,
    }
}

fn until_or_days(until: DateTime<Utc>, now: DateTime<Utc>) -> CarryOver {
    if until - now >= NEAREST { CarryOver::Until(until) } else { CarryOver::in_days(until, now) }
}

impl CarryOver {
    /// What is left at `now` in whole days, each begun day as one.
    pub fn in_days(until: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        let begun = (until - now - TimeDelta::microseconds(1)).num_days() + 1;
        Self::Days(u32::try_from(begun).unwrap_or(1).clamp(1, 730))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::subscription::{Period, Status};

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_780_000_000, 0).unwrap()
    }

    fn until(kind: Kind, end: DateTime<Utc>) -> Subscription {
        Subscription {
            id: 1,
            kind,
            status: Status::Active,
            plan: None,
            provider_id: None,
            provider_status: None,
            period: Some(Period { start: now() - TimeDelta::days(9), end }),
            cancel_at_period_end: false,
            collection_voided: false,
            cancel_at: None,
            ended_at: None,
        }
    }

    #[test]
    fn what_is_left_by_its_length() {
        let minutes = TimeDelta::minutes;
        for (left, expected) in [
            (TimeDelta::zero(), CarryOver::Nothing),
            (minutes(-1), CarryOver::Nothing),
            (TimeDelta::microseconds(1), CarryOver::Days(1)),
            (minutes(24 * 60), CarryOver::Days(1)),
            (minutes(24 * 60) + TimeDelta::microseconds(1), CarryOver::Days(2)),
            (minutes(48 * 60), CarryOver::Days(2)),
            (minutes(48 * 60 + 9), CarryOver::Days(3)),
            (minutes(48 * 60 + 10), CarryOver::Until(now() + minutes(48 * 60 + 10))),
            (TimeDelta::days(181), CarryOver::Until(now() + TimeDelta::days(181))),
            (TimeDelta::days(900), CarryOver::Until(now() + TimeDelta::days(730))),
        ] {
            for kind in [Kind::Trial, Kind::Prepaid, Kind::Complimentary] {
                let all = [until(kind, now() + left)];
                assert_eq!(carry_over(&all, &AccessPolicy::default(), now()), expected, "{left} left of {kind:?}");
            }
        }
    }

    #[test]
    fn the_longest_counts_and_stripes_own_does_not() {
        let all = [
            until(Kind::Trial, now() + TimeDelta::days(10)),
            until(Kind::Prepaid, now() + TimeDelta::days(20)),
            until(Kind::Recurring, now() + TimeDelta::days(30)),
        ];
        assert_eq!(carry_over(&all, &AccessPolicy::default(), now()), CarryOver::Until(now() + TimeDelta::days(20)));
        assert_eq!(carry_over(&all[2..], &AccessPolicy::default(), now()), CarryOver::Nothing);
        assert_eq!(carry_over(&[], &AccessPolicy::default(), now()), CarryOver::Nothing);
    }
}

//! Where a person stands at one instant, in the words of lists, filters and counts (`docs/rules.md §3`).

use chrono::{DateTime, Utc};

use super::{
    access::{Access, premium_access, shown},
    subscription::{AccessPolicy, Kind, Status, Subscription},
};

/// Where a person stands. It says the same as the page of the person and the gate, because it asks the same functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The effective status of the subscription that is shown; nothing where there never was one.
    pub status: Option<Status>,
    /// Its kind.
    pub kind: Option<Kind>,
    /// The key of its plan.
    pub plan: Option<String>,
    /// Premium pages are open.
    pub granted: bool,
    /// They stay open at the end of the period if the renewal is paid.
    pub renews: bool,
    /// Until when they are open; else when that ended, where it is known.
    pub ends_at: Option<DateTime<Utc>>,
    /// How many subscriptions run at Stripe.
    pub live: usize,
    /// All this holds from here on, ...
    pub since: Option<DateTime<Utc>>,
    /// ... and up to, without, this instant, if no subscription changes.
    pub until: Option<DateTime<Utc>>,
}

/// Decides from all of a person's subscriptions.
pub fn standing(
    subscriptions: &[Subscription],
    email_confirmed: bool,
    policy: &AccessPolicy,
    now: DateTime<Utc>,
) -> Standing {
    let access = premium_access(subscriptions, email_confirmed, policy, now);
    let shown = shown(subscriptions, policy, now);
    let (granted, renews, open_until) = match access {
        Access::Granted { renews, until, .. } => (true, renews, Some(until)),
        Access::Denied { .. } => (false, false, None),
    };
    // Nothing but the end of an access makes time change the answer.
    let ends = || subscriptions.iter().filter_map(|one| one.access_end(policy));
    Standing {
        status: shown.map(|one| one.effective_status(policy, now)),
        kind: shown.map(|one| one.kind),
        plan: shown.and_then(|one| one.plan.clone()),
        granted,
        renews,
        ends_at: open_until.or_else(|| shown.and_then(|one| one.horizon(policy))),
        live: subscriptions.iter().filter(|one| one.is_live_at_provider()).count(),
        since: ends().filter(|end| *end <= now).max(),
        until: ends().filter(|end| *end > now).min(),
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use proptest::prelude::*;

    use super::*;
    use crate::domain::subscription::Period;

    fn at(hours: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_780_000_000, 0).unwrap() + TimeDelta::hours(hours)
    }

    fn trial() -> Subscription {
        Subscription {
            id: 1,
            kind: Kind::Trial,
            status: Status::Trialing,
            plan: None,
            provider_id: None,
            provider_status: None,
            period: Some(Period { start: at(0), end: at(10) }),
            cancel_at_period_end: false,
            cancel_at: None,
            ended_at: None,
            collection_voided: false,
        }
    }

    fn paid(end: i64) -> Subscription {
        Subscription {
            id: 2,
            kind: Kind::Recurring,
            status: Status::Active,
            plan: Some("monthly".to_owned()),
            provider_id: Some("sub_1".to_owned()),
            period: Some(Period { start: at(0), end: at(end) }),
            ..trial()
        }
    }

    #[test]
    fn it_says_what_is_shown_and_how_long_that_holds() {
        let policy = AccessPolicy::default();
        let seen = |subscriptions: &[Subscription], hours| {
            let one = standing(subscriptions, true, &policy, at(hours));
            (one.status, one.kind, one.granted, one.ends_at, one.since, one.until)
        };
        assert_eq!(seen(&[], 5), (None, None, false, None, None, None));
        let trial_only = [trial()];
        let open = (Some(Status::Trialing), Some(Kind::Trial), true, Some(at(10)), None, Some(at(10)));
        assert_eq!(seen(&trial_only, 9), open);
        let over = (Some(Status::Expired), Some(Kind::Trial), false, Some(at(10)), Some(at(10)), None);
        assert_eq!(seen(&trial_only, 10), over);
        let both = [trial(), paid(5)];
        let first = (Some(Status::Active), Some(Kind::Recurring), true, Some(at(10)), None, Some(at(5)));
        assert_eq!(seen(&both, 4), first);
        let then = (Some(Status::Trialing), Some(Kind::Trial), true, Some(at(10)), Some(at(5)), Some(at(10)));
        assert_eq!(seen(&both, 5), then);
        assert_eq!(standing(&[paid(5), Subscription { id: 3, ..paid(9) }], true, &policy, at(1)).live, 2);
    }

    #[test]
    fn without_a_confirmed_address_the_status_stays_and_the_gate_is_closed() {
        let policy = AccessPolicy { confirmed_email_only: true, ..AccessPolicy::default() };
        let one = standing(&[trial()], false, &policy, at(1));
        assert_eq!((one.status, one.granted, one.ends_at), (Some(Status::Trialing), false, Some(at(10))));
    }

    fn any_subscription() -> impl Strategy<Value = Subscription> {
        let kinds = prop::sample::select(&Kind::ALL[..]);
        let statuses = prop::sample::select(&Status::ALL[..]);
        let ends = (prop::option::of(0_i64..20), prop::option::of(0_i64..20), prop::option::of(0_i64..20));
        (1_i64..9, kinds, statuses, ends, any::<bool>()).prop_map(|(id, kind, status, (end, cancel, ended), flag)| {
            Subscription {
                id,
                kind,
                status,
                period: end.map(|end| Period { start: at(end - 8), end: at(end) }),
                cancel_at: cancel.map(at),
                ended_at: ended.map(at),
                cancel_at_period_end: flag,
                ..trial()
            }
        })
    }

    proptest! {
        #[test]
        fn it_holds_as_long_as_it_says(
            subscriptions in prop::collection::vec(any_subscription(), 0..5),
            grace in 0_i64..4,
            hours in -2_i64..24,
            later in 0_i64..24,
        ) {
            let policy = AccessPolicy { past_due_grace: TimeDelta::hours(grace), ..AccessPolicy::default() };
            let one = standing(&subscriptions, true, &policy, at(hours));
            let access = premium_access(&subscriptions, true, &policy, at(hours));
            prop_assert_eq!(one.granted, matches!(access, Access::Granted { .. }));
            let other = at(later);
            if one.since.is_none_or(|since| since <= other) && one.until.is_none_or(|until| other < until) {
                prop_assert_eq!(standing(&subscriptions, true, &policy, other), one);
            }
        }
    }
}

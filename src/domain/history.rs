//! What was known of subscriptions at a moment that has passed.

use chrono::{DateTime, Utc};

use super::subscription::{AccessPolicy, Status, Subscription};

/// What was known of one subscription from a moment on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// As it was known.
    pub subscription: Subscription,
    /// Since when.
    pub known_from: DateTime<Utc>,
}

/// Of each subscription, what was known at that moment. `history` is in the order in which it was learned.
pub fn known_at(history: &[Version], at: DateTime<Utc>) -> Vec<Subscription> {
    let mut known: Vec<Subscription> = Vec::new();
    for version in history.iter().filter(|version| version.known_from <= at) {
        match known.iter_mut().find(|one| one.id == version.subscription.id) {
            Some(one) => one.clone_from(&version.subscription),
            None => known.push(version.subscription.clone()),
        }
    }
    known
}

/// What was learned last of a subscription by that moment. That its time was found to be over is nothing new: it ended by
/// itself.
pub fn learned_last<'a>(
    history: &'a [Version],
    subscription: i64,
    policy: &AccessPolicy,
    at: DateTime<Utc>,
) -> Option<&'a Version> {
    let mut known = history.iter().rev().filter(|one| one.subscription.id == subscription && one.known_from <= at);
    let last = known.next()?;
    let ended_by_itself = |before: &&Version| {
        last.subscription.status == Status::Expired
            && last.subscription.period == before.subscription.period
            && before.subscription.access_end(policy).is_some_and(|end| end <= last.known_from)
    };
    Some(known.next().filter(ended_by_itself).unwrap_or(last))
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::domain::subscription::{Kind, Period};

    fn at(hours: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_780_000_000, 0).unwrap() + TimeDelta::hours(hours)
    }

    fn version(id: i64, known_from: i64, status: Status, end: i64) -> Version {
        let subscription = Subscription {
            id,
            kind: Kind::Trial,
            status,
            plan: None,
            provider_id: None,
            provider_status: None,
            period: Some(Period { start: at(0), end: at(end) }),
            cancel_at_period_end: false,
            cancel_at: None,
            ended_at: None,
            collection_voided: false,
        };
        Version { subscription, known_from: at(known_from) }
    }

    fn ends(history: &[Version], moment: i64) -> Vec<(i64, i64)> {
        let end = |one: &Subscription| (one.period.unwrap().end - at(0)).num_hours();
        known_at(history, at(moment)).iter().map(|one| (one.id, end(one))).collect()
    }

    #[test]
    fn of_each_subscription_the_last_word_counts() {
        let history = [
            version(1, 0, Status::Trialing, 10),
            version(2, 4, Status::Active, 20),
            version(1, 6, Status::Trialing, 30),
            version(1, 6, Status::Trialing, 40),
        ];
        assert_eq!(ends(&history, -1), []);
        assert_eq!(ends(&history, 0), [(1, 10)]);
        assert_eq!(ends(&history, 3), [(1, 10)]);
        assert_eq!(ends(&history, 5), [(1, 10), (2, 20)]);
        assert_eq!(ends(&history, 6), [(1, 40), (2, 20)]);
    }

    #[test]
    fn a_time_that_ran_out_is_no_news() {
        let policy = AccessPolicy::default();
        let learned = |history: &[Version], moment| learned_last(history, 1, &policy, at(moment)).cloned();
        let given = version(1, 0, Status::Active, 10);
        let found_over = version(1, 12, Status::Expired, 10);
        let taken = version(1, 5, Status::Expired, 10);
        assert_eq!(learned(&[given.clone(), found_over.clone()], -1), None);
        assert_eq!(learned(&[given.clone(), found_over.clone()], 11), Some(given.clone()));
        assert_eq!(learned(&[given.clone(), found_over.clone()], 12), Some(given.clone()));
        assert_eq!(learned(&[given.clone(), taken.clone()], 12), Some(taken.clone()), "it was taken before its end");
        let again = version(1, 20, Status::Active, 30);
        assert_eq!(learned(&[given, found_over.clone(), again.clone()], 21), Some(again));
        assert_eq!(learned(std::slice::from_ref(&found_over), 13), Some(found_over));
    }
}

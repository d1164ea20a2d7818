//! The tables of `docs/rules.md §3`, and what must hold for any row at any instant.

use chrono::TimeDelta;
use proptest::{option, prelude::*};

use super::*;
use crate::domain::subscription::Period;

fn day(number: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_780_000_000 + number * 86_400, 0).unwrap()
}

/// A subscription whose period runs from day 0 to day 30.
fn subscription(kind: Kind, status: Status) -> Subscription {
    Subscription {
        id: 1,
        kind,
        status,
        plan: None,
        provider_id: None,
        provider_status: None,
        period: Some(Period { start: day(0), end: day(30) }),
        cancel_at_period_end: false,
        collection_voided: false,
        cancel_at: None,
        ended_at: None,
    }
}

fn recurring(status: Status) -> Subscription {
    subscription(Kind::Recurring, status)
}

fn grace(days: i64) -> AccessPolicy {
    AccessPolicy { past_due_grace: TimeDelta::days(days), ..AccessPolicy::default() }
}

#[test]
fn access_end_by_status_dates_and_grace() {
    use Status::{Active, Canceled, Expired, PastDue, Trialing};
    // status, cancel_at, ended_at, grace in days -> access end, all in days
    type Row = (Status, Option<i64>, Option<i64>, i64, Option<i64>);
    let table: &[Row] = &[
        (Trialing, None, None, 0, Some(30)),
        (Trialing, Some(10), None, 0, Some(10)),
        (Trialing, None, Some(5), 0, Some(5)),
        (Active, None, None, 0, Some(30)),
        (Active, Some(10), None, 0, Some(10)),
        (Active, Some(40), None, 0, Some(30)),
        (Active, None, Some(5), 0, Some(5)),
        (Active, Some(10), Some(5), 0, Some(5)),
        (Active, Some(5), Some(10), 7, Some(5)),
        (PastDue, None, None, 0, Some(0)),
        (PastDue, None, None, 7, Some(7)),
        (PastDue, None, None, 60, Some(30)),
        (PastDue, Some(3), None, 7, Some(3)),
        (PastDue, None, Some(2), 7, Some(2)),
        (Canceled, None, None, 0, Some(30)),
        (Canceled, None, Some(5), 0, Some(5)),
        (Canceled, None, Some(40), 0, Some(30)),
        // What was set for later no longer matters once it has ended.
        (Canceled, Some(3), Some(5), 0, Some(5)),
        (Expired, None, None, 7, None),
        (Expired, Some(40), None, 7, None),
    ];
    for (status, cancel_at, ended_at, grace_days, expected) in table {
        for kind in Kind::ALL {
            let one = Subscription {
                cancel_at: cancel_at.map(day),
                ended_at: ended_at.map(day),
                ..subscription(kind, *status)
            };
            assert_eq!(
                one.access_end(&grace(*grace_days)),
                expected.map(day),
                "{one:?} with {grace_days} days of grace"
            );
        }
    }
}

#[test]
fn without_a_period_nothing_is_given() {
    for status in Status::ALL {
        let one = Subscription { period: None, ended_at: Some(day(40)), ..recurring(status) };
        assert_eq!(one.access_end(&grace(7)), None);
        assert!(!one.gives_access(&grace(7), day(1)));
    }
}

#[test]
fn at_the_instant_of_the_end_it_is_over() {
    let trial = subscription(Kind::Trial, Status::Trialing);
    let last = day(30) - TimeDelta::microseconds(1);
    assert!(trial.gives_access(&grace(0), last));
    assert!(!trial.gives_access(&grace(0), day(30)));
    assert_eq!(trial.effective_status(&grace(0), last), Status::Trialing);
    assert_eq!(trial.effective_status(&grace(0), day(30)), Status::Expired);
}

#[test]
fn a_second_failed_attempt_does_not_restart_the_grace() {
    let unpaid = recurring(Status::PastDue);
    assert!(unpaid.gives_access(&grace(7), day(7) - TimeDelta::seconds(1)));
    assert!(!unpaid.gives_access(&grace(7), day(7)));
}

#[test]
fn an_end_is_told_when_it_is_past_and_somebody_told_us() {
    let closed = |provider: Option<&str>, plan: Option<&str>| Subscription {
        provider_status: provider.map(str::to_owned),
        plan: plan.map(str::to_owned),
        ..recurring(Status::Expired)
    };
    for (one, now, since) in [
        (recurring(Status::Active), 29, None),
        (recurring(Status::Active), 30, Some(30)),
        (subscription(Kind::Prepaid, Status::Expired), 29, None),
        (subscription(Kind::Prepaid, Status::Expired), 40, Some(30)),
        (closed(Some("unpaid"), Some("monthly")), 29, None),
        (closed(Some("unpaid"), Some("monthly")), 40, None),
        (closed(Some("paused"), Some("monthly")), 40, None),
        (closed(Some("active"), None), 40, None),
        (closed(Some("active"), Some("monthly")), 40, Some(30)),
        (recurring(Status::PastDue), 1, Some(0)),
    ] {
        assert_eq!(one.closed_since(&grace(0), day(now)), since.map(day), "{one:?} on day {now}");
    }
}

#[test]
fn denied_for_a_reason_that_leads_to_a_next_step() {
    let expired_at_provider =
        |word: &str| Subscription { provider_status: Some(word.into()), ..recurring(Status::Expired) };
    let trial = || subscription(Kind::Trial, Status::Trialing);
    let table: Vec<(Vec<Subscription>, Denial)> = vec![
        (vec![], Denial::NeverSubscribed),
        (vec![trial()], Denial::TrialEnded),
        (vec![subscription(Kind::Trial, Status::Expired)], Denial::TrialEnded),
        (vec![subscription(Kind::Prepaid, Status::Active)], Denial::PeriodEnded),
        (vec![subscription(Kind::Complimentary, Status::Expired)], Denial::PeriodEnded),
        (vec![recurring(Status::Active)], Denial::PeriodEnded),
        (vec![Subscription { cancel_at_period_end: true, ..recurring(Status::Active) }], Denial::PeriodEnded),
        (vec![recurring(Status::PastDue)], Denial::PaymentFailed),
        (vec![expired_at_provider("unpaid")], Denial::PaymentFailed),
        (vec![expired_at_provider("paused")], Denial::Paused),
        (vec![Subscription { collection_voided: true, ..recurring(Status::Active) }], Denial::Paused),
        (vec![Subscription { collection_voided: true, ..recurring(Status::PastDue) }], Denial::PaymentFailed),
        (vec![recurring(Status::Canceled)], Denial::Canceled),
        // The payment matters more to the person than a trial that ran out later.
        (
            vec![
                recurring(Status::PastDue),
                Subscription { period: Some(Period { start: day(1), end: day(35) }), ..trial() },
            ],
            Denial::PaymentFailed,
        ),
        // Else the one that lasted longest, whether or not its row was marked as expired.
        (
            vec![
                Subscription { ended_at: Some(day(5)), ..recurring(Status::Canceled) },
                subscription(Kind::Trial, Status::Expired),
            ],
            Denial::TrialEnded,
        ),
        (
            vec![
                recurring(Status::Canceled),
                Subscription {
                    period: Some(Period { start: day(-100), end: day(-5) }),
                    ..subscription(Kind::Trial, Status::Expired)
                },
            ],
            Denial::Canceled,
        ),
    ];
    for (subscriptions, reason) in table {
        assert_eq!(
            premium_access(&subscriptions, false, &grace(0), day(40)),
            Access::Denied { reason },
            "{subscriptions:#?}"
        );
    }
}

#[test]
fn granted_by_any_until_the_latest_end() {
    let trial = || subscription(Kind::Trial, Status::Trialing);
    let paid = || recurring(Status::Active);
    let long_trial = || Subscription { period: Some(Period { start: day(0), end: day(90) }), ..trial() };
    let ending = || Subscription { cancel_at_period_end: true, ..paid() };
    let granted = |by, until: i64, renews| Access::Granted { by, until: day(until), renews };
    for (subscriptions, expected) in [
        (vec![trial()], granted(Kind::Trial, 30, false)),
        (vec![subscription(Kind::Prepaid, Status::Active)], granted(Kind::Prepaid, 30, false)),
        (vec![subscription(Kind::Complimentary, Status::Active)], granted(Kind::Complimentary, 30, false)),
        (vec![paid()], granted(Kind::Recurring, 30, true)),
        (vec![ending()], granted(Kind::Recurring, 30, false)),
        (vec![Subscription { cancel_at: Some(day(20)), ..paid() }], granted(Kind::Recurring, 20, false)),
        (vec![recurring(Status::Canceled)], granted(Kind::Recurring, 30, false)),
        (vec![paid(), long_trial()], granted(Kind::Recurring, 90, true)),
        (vec![ending(), paid()], granted(Kind::Recurring, 30, true)),
        // A failed payment is what the person is shown; the trial is what opens the page.
        (vec![recurring(Status::PastDue), trial()], granted(Kind::Trial, 30, false)),
    ] {
        assert_eq!(premium_access(&subscriptions, false, &grace(0), day(10)), expected, "{subscriptions:#?}");
    }
    let unpaid = [recurring(Status::PastDue)];
    assert_eq!(premium_access(&unpaid, false, &grace(20), day(10)), granted(Kind::Recurring, 20, true));
}

#[test]
fn the_recurring_one_is_shown_while_it_matters() {
    let named = |id, one: Subscription| Subscription { id, ..one };
    let trial = named(1, subscription(Kind::Trial, Status::Trialing));
    for (status, expected) in [(Status::Active, 2), (Status::PastDue, 2), (Status::Trialing, 2), (Status::Expired, 1)] {
        let other = Subscription { period: Some(Period { start: day(0), end: day(20) }), ..recurring(status) };
        let all = [trial.clone(), named(2, other)];
        assert_eq!(shown(&all, &grace(0), day(10)).map(|one| one.id), Some(expected), "{status:?}");
    }
    assert_eq!(shown(&[], &grace(0), day(10)), None);
}

prop_compose! {
    fn any_subscription()(
        kind in prop::sample::select(Kind::ALL.to_vec()),
        status in prop::sample::select(Status::ALL.to_vec()),
        word in option::of(prop::sample::select(vec!["active", "unpaid", "paused", "canceled"])),
        start in -50_i64..50,
        length in option::of(0_i64..60),
        flag in any::<bool>(),
        cancel_at in option::of(-50_i64..100),
        ended_at in option::of(-50_i64..100),
        id in 1_i64..5,
    ) -> Subscription {
        Subscription {
            id,
            period: length.map(|length| Period { start: day(start), end: day(start + length) }),
            provider_status: word.map(String::from),
            cancel_at_period_end: flag,
            cancel_at: cancel_at.map(day),
            ended_at: ended_at.map(day),
            ..subscription(kind, status)
        }
    }
}

#[test]
fn the_live_one_is_the_shown_one_or_any_that_runs_at_stripe() {
    let numbered = |id, one: Subscription| Subscription { id, ..one };
    let said = |word: &str, one: Subscription| Subscription { provider_status: Some(word.to_owned()), ..one };
    let trial = numbered(1, subscription(Kind::Trial, Status::Trialing));
    let canceled = numbered(2, recurring(Status::Canceled));
    let unpaid = numbered(3, said("unpaid", recurring(Status::Expired)));
    let active = numbered(4, recurring(Status::Active));
    let foreign = numbered(5, said("active", recurring(Status::Expired)));
    for (all, expected) in [
        (vec![], None),
        (vec![&trial, &canceled, &foreign], None),
        (vec![&trial, &unpaid], Some(3)),
        (vec![&unpaid, &active, &trial], Some(4)),
        (vec![&canceled, &unpaid], Some(3)),
    ] {
        let all: Vec<Subscription> = all.into_iter().cloned().collect();
        assert_eq!(live(&all, &grace(0), day(1)).map(|one| one.id), expected, "{all:?}");
    }
}

prop_compose! {
    fn any_policy()(days in 0_i64..30, confirmed_email_only in any::<bool>()) -> AccessPolicy {
        AccessPolicy { confirmed_email_only, ..grace(days) }
    }
}

/// The table of `docs/rules.md §3` about addresses.
#[test]
fn an_address_that_is_not_confirmed_closes_what_a_subscription_opens_where_the_operator_wants_it() {
    let unconfirmed = Access::Denied { reason: Denial::EmailUnconfirmed };
    let ended = Access::Denied { reason: Denial::TrialEnded };
    let open = Access::Granted { by: Kind::Trial, until: day(30), renews: false };
    // demanded, confirmed, day -> answer
    for (only, confirmed, now, expected) in [
        (false, false, 10, open),
        (false, true, 10, open),
        (true, false, 10, unconfirmed),
        (true, true, 10, open),
        // What is over is over: the reason that leads on is the subscription's.
        (true, false, 30, ended),
        (true, true, 30, ended),
        (false, false, 30, ended),
    ] {
        let policy = AccessPolicy { confirmed_email_only: only, ..grace(0) };
        let trial = [subscription(Kind::Trial, Status::Trialing)];
        assert_eq!(premium_access(&trial, confirmed, &policy, day(now)), expected, "{only} {confirmed} {now}");
    }
    let policy = AccessPolicy { confirmed_email_only: true, ..grace(0) };
    let never = Access::Denied { reason: Denial::NeverSubscribed };
    assert_eq!(premium_access(&[], false, &policy, day(0)), never);
}

fn is_granted(access: Access) -> bool {
    matches!(access, Access::Granted { .. })
}

proptest! {
    /// Access that has stopped never comes back by the passing of time alone.
    #[test]
    fn access_is_monotone_in_time(
        all in prop::collection::vec(any_subscription(), 0..5), policy in any_policy(), confirmed in any::<bool>(),
        now in -60_i64..120, later in 0_i64..60,
    ) {
        let before = premium_access(&all, confirmed, &policy, day(now));
        let after = premium_access(&all, confirmed, &policy, day(now + later));
        prop_assert!(is_granted(before) || !is_granted(after));
    }

    /// A confirmed address never closes anything, and without the operator's wish it changes nothing.
    #[test]
    fn confirming_an_address_only_ever_opens(
        all in prop::collection::vec(any_subscription(), 0..5), policy in any_policy(), now in -60_i64..120,
    ) {
        let before = premium_access(&all, false, &policy, day(now));
        let after = premium_access(&all, true, &policy, day(now));
        prop_assert!(is_granted(after) || before == after);
        prop_assert!(policy.confirmed_email_only || before == after);
        prop_assert!(!policy.confirmed_email_only || !is_granted(before));
    }

    #[test]
    fn granted_means_until_that_instant_and_not_at_it(
        all in prop::collection::vec(any_subscription(), 0..5), policy in any_policy(), confirmed in any::<bool>(),
        now in -60_i64..120,
    ) {
        if let Access::Granted { until, .. } = premium_access(&all, confirmed, &policy, day(now)) {
            prop_assert!(day(now) < until);
            prop_assert!(is_granted(premium_access(&all, confirmed, &policy, until - TimeDelta::microseconds(1))));
            prop_assert!(!is_granted(premium_access(&all, confirmed, &policy, until)));
        }
    }

    /// Whether a row was marked as expired in the meantime changes nothing that a person sees.
    #[test]
    fn marking_a_row_that_ran_out_changes_no_answer(
        all in prop::collection::vec(any_subscription(), 0..5), only in any::<bool>(), confirmed in any::<bool>(),
        now in -60_i64..120,
    ) {
        let policy = AccessPolicy { confirmed_email_only: only, ..grace(0) };
        let marked: Vec<_> = all
            .iter()
            .map(|one| Subscription { status: one.effective_status(&policy, day(now)), ..one.clone() })
            .collect();
        let answer = |rows: &[Subscription]| match premium_access(rows, confirmed, &policy, day(now)) {
            Access::Granted { by, until, renews } => (Some((by, until, renews)), None),
            Access::Denied { reason } => (None, Some(is_about_the_provider(reason))),
        };
        prop_assert_eq!(answer(&all), answer(&marked));
    }
}

/// Stripe's word "unpaid" or "paused" beside a status of another phase can't happen in a stored row; the generator
/// makes it, so the reasons are compared without it.
fn is_about_the_provider(reason: Denial) -> Option<Denial> {
    Some(reason).filter(|one| *one == Denial::NeverSubscribed)
}

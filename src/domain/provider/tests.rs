//! The table of `docs/rules.md §5` and its order.

use proptest::{option, prelude::*};

use super::*;

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_780_000_000 + second, 0).unwrap()
}

fn period(start: i64, end: i64) -> Period {
    Period { start: at(start), end: at(end) }
}

fn snapshot(as_of: i64, status: &str) -> Snapshot {
    Snapshot {
        id: "sub_1".into(),
        as_of: at(as_of),
        status: status.into(),
        items: vec![Item { price: "price_ours".into(), period: Some(period(0, 1_000)) }],
        period: None,
        cancel_at_period_end: false,
        cancel_at: None,
        ended_at: None,
        pause: None,
    }
}

fn plan_of(price: &str) -> Option<String> {
    (price == "price_ours").then(|| "monthly".to_owned())
}

fn stored(snapshot: &Snapshot) -> Facts {
    match judge(None, snapshot, plan_of) {
        Verdict::Store { facts, .. } => facts,
        other => panic!("{other:?}"),
    }
}

/// The row after these snapshots came one by one.
fn after(snapshots: &[Snapshot]) -> Option<Facts> {
    snapshots.iter().fold(None, |row, next| match judge(row.as_ref(), next, plan_of) {
        Verdict::Store { facts, .. } => Some(facts),
        Verdict::Stale { .. } | Verdict::Ignore { .. } => row,
    })
}

#[test]
fn a_subscription_that_never_started_stores_nothing_and_overwrites_nothing() {
    for word in ["incomplete", "incomplete_expired"] {
        assert!(matches!(judge(None, &snapshot(1, word), plan_of), Verdict::Ignore { .. }));
        let active = stored(&snapshot(1, "active"));
        assert!(matches!(judge(Some(&active), &snapshot(2, word), plan_of), Verdict::Ignore { .. }));
    }
}

#[test]
fn each_word_of_stripes_has_one_of_ours() {
    for (word, status, doubt) in [
        ("trialing", Status::Trialing, None),
        ("active", Status::Active, None),
        ("past_due", Status::PastDue, None),
        ("canceled", Status::Canceled, None),
        ("unpaid", Status::Expired, None),
        ("paused", Status::Expired, None),
        ("glorious", Status::Expired, Some(Doubt::UnknownStatus)),
    ] {
        let Verdict::Store { facts, doubt: found } = judge(None, &snapshot(1, word), plan_of) else { panic!("{word}") };
        assert_eq!((facts.status, facts.provider_status.as_str(), found), (status, word, doubt));
    }
}

#[test]
fn only_our_prices_count_and_their_item_has_the_period() {
    let foreign = Item { price: "price_other".into(), period: Some(period(0, 9_000)) };
    let only_foreign = Snapshot { items: vec![foreign.clone()], ..snapshot(2, "active") };
    assert!(matches!(judge(None, &only_foreign, plan_of), Verdict::Ignore { .. }));
    let active = stored(&snapshot(1, "active"));
    let Verdict::Store { facts, .. } = judge(Some(&active), &only_foreign, plan_of) else { panic!() };
    assert_eq!((facts.status, facts.plan), (Status::Expired, None));

    let both = Snapshot { items: vec![foreign, snapshot(0, "").items.remove(0)], ..snapshot(1, "active") };
    assert_eq!(stored(&both).period, Some(period(0, 1_000)));
}

#[test]
fn the_period_is_read_in_both_places_and_never_invented() {
    let bare = Item { price: "price_ours".into(), period: None };
    let old_shape = Snapshot { items: vec![bare.clone()], period: Some(period(5, 500)), ..snapshot(1, "active") };
    assert_eq!(stored(&old_shape).period, Some(period(5, 500)));
    let nowhere = Snapshot { items: vec![bare], ..snapshot(2, "active") };
    let Verdict::Store { facts, doubt } = judge(None, &nowhere, plan_of) else { panic!() };
    assert_eq!((facts.period, doubt), (None, Some(Doubt::NoPeriod)));
    let known = stored(&snapshot(1, "active"));
    let Verdict::Store { facts, doubt } = judge(Some(&known), &nowhere, plan_of) else { panic!() };
    assert_eq!((facts.period, doubt), (known.period, Some(Doubt::NoPeriod)));
}

#[test]
fn canceled_has_an_end_and_never_comes_back() {
    let ended = stored(&snapshot(10, "canceled"));
    assert_eq!(ended.ended_at, Some(at(10)));
    let with_end = Snapshot { ended_at: Some(at(7)), ..snapshot(10, "canceled") };
    assert_eq!(stored(&with_end).ended_at, Some(at(7)));
    assert_eq!(judge(Some(&ended), &snapshot(20, "active"), plan_of), Verdict::Stale { doubt: None });
}

#[test]
fn older_is_stale_and_the_same_second_has_one_winner() {
    let now = stored(&snapshot(10, "active"));
    assert_eq!(judge(Some(&now), &snapshot(9, "past_due"), plan_of), Verdict::Stale { doubt: None });
    assert_eq!(judge(Some(&now), &snapshot(10, "active"), plan_of), Verdict::Stale { doubt: None });
    assert_eq!(
        judge(Some(&now), &snapshot(10, "past_due"), plan_of),
        Verdict::Stale { doubt: Some(Doubt::SameSecond) }
    );
    let unpaid = stored(&snapshot(10, "past_due"));
    let Verdict::Store { facts, doubt } = judge(Some(&unpaid), &snapshot(10, "trialing"), plan_of) else { panic!() };
    assert_eq!((facts.status, doubt), (Status::Trialing, Some(Doubt::SameSecond)));
    let Verdict::Store { facts, doubt } = judge(Some(&now), &snapshot(10, "canceled"), plan_of) else { panic!() };
    assert_eq!((facts.status, doubt), (Status::Canceled, None));
}

#[test]
fn a_voiding_pause_keeps_the_period_that_was_reached() {
    let moved = Snapshot {
        items: vec![Item { price: "price_ours".into(), period: Some(period(1_000, 2_000)) }],
        ..snapshot(2, "active")
    };
    let paused = |behaviour: &str| Snapshot { pause: Some(behaviour.into()), ..moved.clone() };
    let first = snapshot(1, "active");
    for (next, end) in [(paused("void"), 1_000), (paused("keep_as_draft"), 2_000), (moved.clone(), 2_000)] {
        let row = after(&[first.clone(), next]).unwrap();
        assert_eq!(row.period.map(|period| period.end), Some(at(end)));
    }
}

prop_compose! {
    fn any_snapshot()(
        second in 0_i64..4,
        status in prop::sample::select(vec!["trialing", "active", "past_due", "canceled", "unpaid", "incomplete", "new"]),
        end in prop::sample::select(vec![1_000_i64, 2_000]),
        flag in any::<bool>(),
        cancel_at in option::of(prop::sample::select(vec![500_i64, 600])),
    ) -> Snapshot {
        Snapshot {
            items: vec![Item { price: "price_ours".into(), period: Some(period(0, end)) }],
            cancel_at_period_end: flag,
            cancel_at: cancel_at.map(at),
            ..snapshot(second, status)
        }
    }
}

proptest! {
    #[test]
    fn every_order_of_arrival_ends_the_same(
        (snapshots, shuffled) in prop::collection::vec(any_snapshot(), 1..7)
            .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
    ) {
        let mut again = shuffled.clone();
        again.extend(shuffled);
        prop_assert_eq!(after(&snapshots), after(&again));
    }
}

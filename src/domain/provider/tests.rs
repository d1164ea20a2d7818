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
        as_of: at(as_of),
        source: Source::Event,
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

/// What is known, what the row says, whether there is a doubt, and whether the last one was news.
type Learned = (Known, Facts, Option<Doubt>, bool);

fn learn(before: Option<&Known>, snapshot: &Snapshot) -> Option<Learned> {
    match judge(before, snapshot.clone(), plan_of) {
        Verdict::Learned { known, facts, doubt, news } => Some((*known, *facts, doubt, news)),
        Verdict::Ignore { .. } => None,
    }
}

/// After these snapshots came one by one.
fn after(snapshots: &[Snapshot]) -> Option<Learned> {
    snapshots
        .iter()
        .fold(None, |learned: Option<Learned>, next| learn(learned.as_ref().map(|(known, ..)| known), next).or(learned))
}

/// The same, as the program does it: what was ignored before the subscription was known is heard again once it is.
fn after_all(snapshots: &[Snapshot]) -> Option<(Known, Facts, Option<Doubt>)> {
    let mut known: Option<Known> = None;
    let mut ignored = Vec::new();
    for next in snapshots {
        let was_new = known.is_none();
        match learn(known.as_ref(), next) {
            Some((now, ..)) => known = Some(now),
            None => ignored.push(next.clone()),
        }
        if was_new && known.is_some() {
            for heard_again in &ignored {
                known = learn(known.as_ref(), heard_again).map(|(now, ..)| now).or(known);
            }
        }
    }
    known.map(|known| (known.clone(), known.facts(&plan_of), known.doubt(&plan_of)))
}

fn stored(snapshot: &Snapshot) -> Facts {
    learn(None, snapshot).unwrap().1
}

#[test]
fn a_subscription_that_never_started_stores_nothing_and_overwrites_nothing() {
    for word in ["incomplete", "incomplete_expired"] {
        assert_eq!(learn(None, &snapshot(1, word)), None);
        let (active, ..) = learn(None, &snapshot(1, "active")).unwrap();
        assert_eq!(learn(Some(&active), &snapshot(2, word)), None);
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
        ("", Status::Expired, Some(Doubt::UnknownStatus)),
        ("Active", Status::Expired, Some(Doubt::UnknownStatus)),
    ] {
        let (_, facts, found, _) = learn(None, &snapshot(1, word)).unwrap();
        assert_eq!((facts.status, facts.provider_status.as_str(), found), (status, word, doubt));
    }
}

#[test]
fn only_our_prices_count_and_their_item_has_the_period() {
    let foreign = Item { price: "price_other".into(), period: Some(period(0, 9_000)) };
    let only_foreign = Snapshot { items: vec![foreign.clone()], ..snapshot(2, "active") };
    let nothing = Snapshot { items: vec![], ..snapshot(2, "active") };
    for without_ours in [&only_foreign, &nothing] {
        assert_eq!(learn(None, without_ours), None);
        let (_, facts, doubt, news) = after(&[snapshot(1, "active"), (*without_ours).clone()]).unwrap();
        assert_eq!((facts.status, facts.plan, doubt, news), (Status::Expired, None, None, true));
    }
    let both = Snapshot { items: vec![foreign, snapshot(0, "").items.remove(0)], ..snapshot(1, "active") };
    assert_eq!(stored(&both).period, Some(period(0, 1_000)));
}

#[test]
fn the_period_is_read_in_both_places_and_never_invented() {
    let bare = Item { price: "price_ours".into(), period: None };
    let old_shape = Snapshot { items: vec![bare.clone()], period: Some(period(5, 500)), ..snapshot(1, "active") };
    assert_eq!(stored(&old_shape).period, Some(period(5, 500)));
    let nowhere = Snapshot { items: vec![bare], ..snapshot(2, "active") };
    let (_, facts, doubt, _) = learn(None, &nowhere).unwrap();
    assert_eq!((facts.period, doubt), (None, Some(Doubt::NoPeriod)));
    for order in [[snapshot(1, "active"), nowhere.clone()], [nowhere.clone(), snapshot(1, "active")]] {
        let (_, facts, doubt, _) = after(&order).unwrap();
        assert_eq!((facts.period, doubt), (Some(period(0, 1_000)), Some(Doubt::NoPeriod)));
    }
    let (_, _, doubt, _) = after(&[nowhere, snapshot(3, "active")]).unwrap();
    assert_eq!(doubt, None, "a later one with a period settles it");
}

#[test]
fn canceled_has_an_end_and_never_comes_back() {
    let ended = stored(&snapshot(10, "canceled"));
    assert_eq!(ended.ended_at, Some(at(10)));
    let with_end = Snapshot { ended_at: Some(at(7)), ..snapshot(10, "canceled") };
    assert_eq!(stored(&with_end).ended_at, Some(at(7)));
    for later in [snapshot(20, "active"), Snapshot { source: Source::Answer, ..snapshot(20, "active") }] {
        let (_, facts, doubt, news) = after(&[snapshot(10, "canceled"), later]).unwrap();
        assert_eq!((facts, doubt, news), (ended.clone(), None, false));
    }
}

#[test]
fn older_is_stale_and_the_same_second_has_one_winner() {
    for (first, second, winner, doubt, news) in [
        (snapshot(10, "active"), snapshot(9, "past_due"), Status::Active, None, false),
        (snapshot(10, "active"), snapshot(10, "active"), Status::Active, None, false),
        (snapshot(10, "active"), snapshot(11, "active"), Status::Active, None, true),
        (snapshot(10, "active"), snapshot(10, "past_due"), Status::Active, Some(Doubt::SameSecond), false),
        (snapshot(10, "past_due"), snapshot(10, "trialing"), Status::Trialing, Some(Doubt::SameSecond), true),
        (snapshot(10, "trialing"), snapshot(10, "active"), Status::Active, Some(Doubt::SameSecond), true),
        (snapshot(10, "active"), snapshot(10, "canceled"), Status::Canceled, None, true),
        (snapshot(10, "canceled"), snapshot(10, "active"), Status::Canceled, None, false),
    ] {
        let (_, facts, found, was_news) = after(&[first.clone(), second.clone()]).unwrap();
        assert_eq!((facts.status, found, was_news), (winner, doubt, news), "{first:?} then {second:?}");
    }
    let longer = Snapshot {
        items: vec![Item { price: "price_ours".into(), period: Some(period(0, 2_000)) }],
        ..snapshot(10, "past_due")
    };
    for order in [[snapshot(10, "active"), longer.clone()], [longer, snapshot(10, "active")]] {
        assert_eq!(after(&order).unwrap().1.period, Some(period(0, 2_000)), "the later period end comes first");
    }
    let (_, _, doubt, _) = after(&[snapshot(10, "active"), snapshot(10, "past_due"), snapshot(11, "active")]).unwrap();
    assert_eq!(doubt, None, "something newer settles it");
}

#[test]
fn an_answer_is_newer_than_all_that_was_known_when_it_was_asked_for() {
    let (known, ..) = learn(None, &snapshot(10, "active")).unwrap();
    assert!(known.answered(at(5)) > at(10), "our clock is behind Stripe's");
    assert!(known.answered(at(10)) > at(10), "all in one second");
    let answer = |as_of, status: &str| Snapshot { as_of, source: Source::Answer, ..snapshot(0, status) };
    let (known, facts, doubt, _) = learn(Some(&known), &answer(known.answered(at(10)), "past_due")).unwrap();
    assert_eq!((facts.status, doubt), (Status::PastDue, None));
    let again = known.answered(at(10));
    let (known, facts, doubt, _) = learn(Some(&known), &answer(again, "unpaid")).unwrap();
    assert_eq!((facts.status, doubt), (Status::Expired, None), "two answers in one second");
    for (second, doubt) in [(10, true), (9, true), (-109, true), (-110, false)] {
        let (_, facts, found, news) = learn(Some(&known), &snapshot(second, "active")).unwrap();
        assert_eq!((facts.status, news), (Status::Expired, false), "{second}");
        assert_eq!(found.is_some(), doubt, "an event of {second} may be newer by Stripe's clock");
    }
    assert_eq!(learn(Some(&known), &snapshot(10, "unpaid")).unwrap().2, None, "it says the same");
}

#[test]
fn a_voiding_pause_keeps_the_period_that_was_reached() {
    let lasting = |as_of, end, behaviour: Option<&str>| Snapshot {
        items: vec![Item { price: "price_ours".into(), period: Some(period(0, end)) }],
        pause: behaviour.map(str::to_owned),
        ..snapshot(as_of, "active")
    };
    let void = Some("void");
    for (snapshots, end) in [
        (vec![lasting(1, 1_000, None), lasting(2, 2_000, void)], 1_000),
        (vec![lasting(1, 1_000, None), lasting(2, 2_000, Some("keep_as_draft"))], 2_000),
        (vec![lasting(1, 1_000, None), lasting(2, 2_000, Some("mark_uncollectible"))], 2_000),
        (vec![lasting(1, 1_000, None), lasting(2, 2_000, Some("a_word_of_tomorrow"))], 2_000),
        (vec![lasting(1, 1_000, None), lasting(2, 2_000, None)], 2_000),
        (vec![lasting(1, 1_000, None), lasting(2, 900, void)], 900),
        (vec![lasting(1, 1_000, void), lasting(2, 2_000, void), lasting(3, 3_000, void)], 1_000),
        (vec![lasting(1, 1_000, None), lasting(2, 2_000, void), lasting(3, 3_000, None)], 3_000),
        (vec![lasting(1, 1_000, None), lasting(2, 2_000, None), lasting(3, 3_000, void)], 2_000),
    ] {
        let reversed: Vec<_> = snapshots.iter().rev().cloned().collect();
        for order in [snapshots, reversed] {
            let period = after(&order).unwrap().1.period;
            assert_eq!(period.map(|period| period.end), Some(at(end)), "{order:?}");
        }
    }
}

prop_compose! {
    fn any_snapshot()(
        second in 0_i64..4,
        status in prop::sample::select(vec!["trialing", "active", "past_due", "canceled", "unpaid", "incomplete", "new"]),
        price in prop::sample::select(vec!["price_ours", "price_ours", "price_other"]),
        end in option::weighted(0.8, prop::sample::select(vec![1_000_i64, 2_000, 3_000])),
        pause in option::weighted(0.4, prop::sample::select(vec!["void", "keep_as_draft"])),
        flag in any::<bool>(),
        cancel_at in option::of(prop::sample::select(vec![500_i64, 600])),
    ) -> Snapshot {
        Snapshot {
            items: vec![Item { price: price.into(), period: end.map(|end| period(0, end)) }],
            cancel_at_period_end: flag,
            cancel_at: cancel_at.map(at),
            pause: pause.map(str::to_owned),
            ..snapshot(second, status)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_order_of_arrival_ends_the_same(
        (snapshots, shuffled) in prop::collection::vec(any_snapshot(), 1..8)
            .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
    ) {
        let mut twice = shuffled.clone();
        twice.extend(shuffled);
        prop_assert_eq!(after_all(&snapshots), after_all(&twice));
    }

    #[test]
    fn what_is_known_is_kept_as_text(snapshots in prop::collection::vec(any_snapshot(), 1..5)) {
        if let Some((known, ..)) = after(&snapshots) {
            let text = serde_json::to_string(&known).unwrap();
            prop_assert_eq!(serde_json::from_str::<Known>(&text).unwrap(), known);
        }
    }
}

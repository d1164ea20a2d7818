//! The events of single payments, in any order (`docs/rules.md §6`).

use futures_util::future::join_all;
use proptest::{collection::vec, prelude::*, strategy::ValueTree, test_runner::TestRunner};
use serde_json::Value;

use crate::{
    on_both,
    support::{
        app::App,
        order::{permutations, somebody},
        payment::{Checkout, again},
    },
};

on_both! {
    a_slow_payment_and_its_refund_end_the_same_in_all_orders,
    refunds_and_a_lost_dispute_take_back_once_in_all_orders,
    any_order_with_any_repeats_ends_the_same,
    a_payment_and_its_refund_at_once_never_miss_each_other,
}

/// The payment's row and the prepaid subscription.
fn end(app: &App, user: i64, name: &str) -> String {
    let payment = app.payment(&format!("provider_session_id = 'cs_{name}'"));
    let row = format!("{payment:?} {:?}", app.prepaid(user));
    row.replace(&format!("_{name}"), "_NAME").replace(&format!("/{name}"), "/NAME")
}

fn waits(app: &App, name: &str) -> i64 {
    let left = format!("event_id LIKE 'evt_{name}_%' AND outcome IN ('unmatched', 'failed', 'pending')");
    app.database.count("webhook_events", &left)
}

async fn all_orders(app: &App, events: impl Fn(&Checkout) -> Vec<Value>) -> String {
    let mut ends = Vec::new();
    let count = events(&Checkout::by("", "")).len();
    for (number, order) in permutations(count).into_iter().enumerate() {
        let name = format!("number{number}");
        let (user, public_id) = somebody(app, &name);
        let events = events(&Checkout::by(&public_id, &name));
        for position in &order {
            let answer = app.deliver(&events[*position]).await;
            assert_eq!(answer.status, 200, "{order:?}: {}", answer.text());
        }
        assert_eq!(waits(app, &name), 0, "{order:?}: something still waits");
        let of_money = app.mails(user, "refunded") + app.mails(user, "dispute_lost");
        assert_eq!(of_money, app.database.count("mails", &format!("user_id = {user}")));
        ends.push((order, end(app, user, &name)));
    }
    for (order, end) in &ends {
        assert_eq!(*end, ends[0].1, "{order:?}");
    }
    ends.swap_remove(0).1
}

async fn a_slow_payment_and_its_refund_end_the_same_in_all_orders(app: App) {
    let now = app.now();
    let end = all_orders(&app, |checkout| {
        vec![
            checkout.unpaid(now),
            checkout.paid_late(now),
            checkout.charge("succeeded", 0, now),
            checkout.refunded(4_900, now),
        ]
    });
    let end = end.await;
    assert!(end.contains("prepaid paid 4900 4900 eur half-year 6 https://pay.example/receipts/NAME"), "{end}");
    let now = now.timestamp_micros();
    assert!(end.contains(&format!("expired half-year {now} {now}")), "it was not taken back: {end}");
}

async fn refunds_and_a_lost_dispute_take_back_once_in_all_orders(app: App) {
    let now = app.now();
    let end = all_orders(&app, |checkout| {
        vec![
            checkout.paid(now),
            checkout.refunded(100, now),
            checkout.refunded(4_900, now),
            checkout.dispute("closed", "lost", now),
        ]
    });
    let end = end.await;
    assert!(end.contains(" lost "), "{end}");
    let now = now.timestamp_micros();
    assert!(end.contains(&format!("expired half-year {now} {now}")), "it was not taken back: {end}");
}

/// Another payment stands beside the one that is shuffled: what is taken back twice would be taken from it.
async fn any_order_with_any_repeats_ends_the_same(app: App) {
    let mut runner = TestRunner::deterministic();
    let now = app.now();
    for case in 0..24 {
        let picks = vec(0_usize..9, 1..7).new_tree(&mut runner).unwrap().current();
        let mut ends = Vec::new();
        for turn in 0..3 {
            let name = format!("case{case}turn{turn}");
            let (user, public_id) = somebody(&app, &name);
            let (checkout, beside) =
                (Checkout::by(&public_id, &name), Checkout::by(&public_id, &format!("beside{name}")));
            app.deliver(&beside.paid(now)).await.is(200);
            let pool = [
                checkout.paid(now),
                checkout.unpaid(now),
                checkout.paid_late(now),
                checkout.failed(now),
                checkout.charge("succeeded", 0, now),
                checkout.refunded(100, now),
                checkout.refunded(4_900, now),
                checkout.dispute("created", "needs_response", now),
                checkout.dispute("closed", "lost", now),
            ];
            let mut events = vec![pool[1].clone()];
            events.extend(picks.iter().map(|pick| pool[*pick].clone()));
            let order = Just(events).prop_shuffle().new_tree(&mut runner).unwrap().current();
            for event in &order {
                app.deliver(event).await.is(200);
                app.deliver(&again(event)).await.is(200);
            }
            assert_eq!(waits(&app, &name), 0, "{picks:?}");
            ends.push(end(&app, user, &name));
        }
        assert!(ends.iter().all(|end| *end == ends[0]), "{picks:?}: {ends:#?}");
    }
}

/// Neither sees the other's row before its commit. Whoever comes second has to find what the first left.
async fn a_payment_and_its_refund_at_once_never_miss_each_other(app: App) {
    let now = app.now();
    let mut ends = Vec::new();
    for round in 0..12 {
        let name = format!("round{round}");
        let (user, public_id) = somebody(&app, &name);
        let checkout = Checkout::by(&public_id, &name);
        let events = [
            checkout.refunded(4_900, now),
            checkout.paid(now),
            checkout.charge("succeeded", 0, now),
            checkout.refunded(4_900, now),
            checkout.dispute("closed", "lost", now),
        ];
        for answer in join_all(events.iter().map(|event| app.deliver(event))).await {
            answer.is(200);
        }
        assert_eq!(waits(&app, &name), 0, "something still waits");
        ends.push(end(&app, user, &name));
    }
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:#?}");
}

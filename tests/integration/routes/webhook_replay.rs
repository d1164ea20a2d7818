//! `Billing::replay`: an event that is kept can be applied again, at any time and as often as one likes, and nothing
//! comes of it twice (`docs/rules.md §5`).

use chrono::TimeDelta;
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{
        app::App,
        order::somebody,
        payment::Checkout,
        stripe::{Snapshot, event, invoice},
    },
};

on_both! {
    what_is_not_known_is_not_replayed,
    no_replay_in_any_order_changes_a_row,
    a_replay_applies_what_could_not_be_used_before,
}

async fn what_is_not_known_is_not_replayed(app: App) {
    let billing = app.billing().await;
    for id in ["evt_never_seen", "", "' OR 1 = 1 --"] {
        assert_eq!(billing.replay(id).await.unwrap(), None, "{id}");
    }
    assert_eq!(app.events_recorded(), 0);
}

/// Two lives with everything in them: a subscription that ends and another that goes on, money that goes back, customers
/// that come and go, and what is nobody's.
fn lives(app: &App) -> Vec<Value> {
    let mut now = app.now();
    let mut next = || {
        now += TimeDelta::seconds(1);
        now
    };
    let [ada, bob, cyd] = ["ada", "bob", "cyd"].map(|name| somebody(app, name).1);
    let customer = |id: &str, user: &str| json!({ "id": id, "object": "customer", "metadata": { "user_id": user } });
    let session = json!({
        "id": "cs_ada", "object": "checkout.session", "mode": "subscription", "customer": "cus_ada",
        "client_reference_id": ada, "subscription": "sub_first", "payment_status": "paid", "metadata": {},
    });
    let first = Snapshot { user: None, ..Snapshot::active("sub_first", "cus_ada", &ada, app.now()) };
    let second = Snapshot::active("sub_second", "cus_ada", &ada, app.now());
    let mixed = Snapshot { id: "sub_mixed".into(), user: Some(bob.clone()), ..second.clone() };
    let stranger = Snapshot { id: "sub_strange".into(), customer: "cus_strange".into(), ..first.clone() };
    let foreign = Snapshot { id: "sub_foreign".into(), price: "price_of_something_else".into(), ..second.clone() };
    let prepaid = Checkout { customer: Some("cus_bob".into()), ..Checkout::by(&bob, "bob") };
    vec![
        // It comes before anybody knows whose it is.
        first.event("evt_early", "created", next()),
        event("evt_invoice_early", "invoice.paid", next(), &invoice("in_1", &first, true)),
        event("evt_ada", "customer.created", next(), &customer("cus_ada", &ada)),
        event("evt_session", "checkout.session.completed", next(), &session),
        first.renewed().event("evt_renewed", "updated", next()),
        first.event("evt_late", "updated", app.now()),
        event("evt_unpaid", "invoice.payment_failed", next(), &invoice("in_2", &first.renewed(), false)),
        first.renewed().status("past_due").event("evt_past_due", "updated", next()),
        second.event("evt_second", "created", next()),
        first.renewed().canceled(app.now()).event("evt_ended", "deleted", next()),
        first.renewed().event("evt_after_the_end", "updated", next()),
        second.status("incomplete").event("evt_incomplete", "updated", next()),
        second.renewed().event("evt_second_renewed", "updated", next()),
        mixed.event("evt_mixed", "created", next()),
        stranger.event("evt_strange", "created", next()),
        foreign.event("evt_foreign", "created", next()),
        event("evt_tomorrow", "a.type.of_tomorrow", next(), &json!({})),
        prepaid.unpaid(next()),
        prepaid.paid_late(next()),
        prepaid.charge("succeeded", 0, next()),
        prepaid.refunded(900, next()),
        prepaid.dispute("created", "needs_response", next()),
        prepaid.dispute("closed", "lost", next()),
        event("evt_cyd", "customer.created", next(), &customer("cus_cyd", &cyd)),
        event("evt_cyd_is_gone", "customer.deleted", next(), &customer("cus_cyd", &cyd)),
        event("evt_cyd_again", "customer.created", next(), &customer("cus_cyd_again", &cyd)),
        event("evt_cyd_is_gone_again", "customer.deleted", next(), &customer("cus_cyd_again", &cyd)),
    ]
}

fn everything(app: &App) -> Vec<String> {
    let tables = ["users", "subscriptions", "payments", "mails"].map(|table| app.database.dump(table, &[]));
    let journal = app.database.dump("webhook_events", &["attempts", "finished_at"]);
    tables.into_iter().chain([journal]).collect()
}

async fn no_replay_in_any_order_changes_a_row(app: App) {
    let events = lives(&app);
    for event in &events {
        app.deliver(event).await.is(200);
    }
    app.outbox().await;
    let before = everything(&app);
    for (outcome, least) in [("applied", 12), ("stale", 2), ("ignored", 4), ("unmatched", 1)] {
        let count = app.database.count("webhook_events", &format!("outcome = '{outcome}'"));
        assert!(count >= least, "only {count} events are {outcome}: the case proves little");
    }
    let ids: Vec<&str> = events.iter().map(|event| event["id"].as_str().unwrap()).collect();
    let billing = app.billing().await;
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    let backwards: Vec<usize> = (0..ids.len()).rev().collect();
    let shuffled = Just((0..ids.len()).chain(0..ids.len()).collect::<Vec<_>>()).prop_shuffle();
    let orders = (0..12).map(|_| shuffled.new_tree(&mut runner).unwrap().current());
    let mut replays = 0;
    for order in [backwards].into_iter().chain(orders) {
        for position in &order {
            let outcome = billing.replay(ids[*position]).await.unwrap();
            assert!(outcome.is_some(), "{}", ids[*position]);
            replays += 1;
        }
        for (was, is) in before.iter().zip(everything(&app)) {
            assert_eq!(*was, is, "{order:?}");
        }
    }
    let attempts = app.database.number("SELECT sum(attempts) FROM webhook_events").unwrap();
    assert_eq!(attempts, i64::try_from(ids.len()).unwrap() + replays);
}

/// A plan that was not in the settings, a person who was not there: it is the operator who knows, and replays.
async fn a_replay_applies_what_could_not_be_used_before(app: App) {
    let snapshot = Snapshot::active("sub_1", "cus_1", "person-late", app.now());
    app.deliver(&snapshot.event("evt_1", "created", app.now())).await.is(200);
    let outcome = || app.database.text("SELECT outcome FROM webhook_events");
    assert_eq!(outcome().as_deref(), Some("unmatched"));
    let (row, _) = somebody(&app, "late");
    let billing = app.billing().await;
    assert_eq!(
        billing.replay("evt_1").await.unwrap().map(turnpike::store::webhook_events::Outcome::as_str),
        Some("applied")
    );
    assert_eq!(outcome().as_deref(), Some("applied"));
    assert_eq!(app.database.count("subscriptions", &format!("user_id = {row} AND status = 'active'")), 1);
    assert!(app.database.text("SELECT change FROM webhook_events").unwrap().contains("\"before\":null"));
}

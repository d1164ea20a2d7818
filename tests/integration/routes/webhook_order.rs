//! `/webhooks/stripe`: late, twice, in any order, and still the same rows (`docs/rules.md §5`).

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::join_all;
use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::select,
    strategy::ValueTree,
    test_runner::{Config, TestRunner},
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{
        app::App,
        order::{permutations, somebody},
        stripe::{Snapshot, event, invoice},
    },
};

on_both! {
    all_120_orders_of_the_first_events_end_the_same,
    first_events_that_come_at_once_never_miss_each_other,
    any_set_of_events_about_two_subscriptions_ends_the_same_in_any_order,
    the_end_of_an_old_subscription_does_not_touch_a_new_one,
    what_is_foreign_by_now_opens_nothing_in_either_order,
}

/// As the database shows it to nobody but us: every column that an order could change.
fn rows(app: &App, user: i64) -> String {
    let columns = "provider_id || ' ' || status || ' ' || provider_status || ' ' || coalesce(plan, '-') || ' '
        || coalesce(CAST(current_period_start AS TEXT), '-') || ' ' || coalesce(CAST(current_period_end AS TEXT), '-')
        || ' ' || CAST(cancel_at_period_end AS TEXT) || ' ' || coalesce(CAST(cancel_at AS TEXT), '-') || ' '
        || coalesce(CAST(ended_at AS TEXT), '-') || ' ' || CAST(snapshot_at AS TEXT) || ' '
        || CASE WHEN refresh_due_at IS NULL THEN 'sure' ELSE 'in doubt' END || ' ' || snapshots";
    let ordered = format!(
        "SELECT {columns} AS line FROM subscriptions WHERE user_id = {user} AND kind = 'recurring' ORDER BY provider_id"
    );
    let joined =
        if app.database.url().starts_with("postgres") { "string_agg(line, '; ')" } else { "group_concat(line, '; ')" };
    app.database.text(&format!("SELECT {joined} FROM ({ordered}) AS lines")).unwrap_or_default()
}

async fn all_120_orders_of_the_first_events_end_the_same(app: App) {
    let mut ends = Vec::new();
    for (number, order) in permutations(5).into_iter().enumerate() {
        // Every other person is named by the customer and the checkout alone, as another shop's plugin would do it.
        for named in [true, false] {
            let name = format!("number{number}{named}");
            let (row, public_id) = somebody(&app, &name);
            let events = first_events(&name, &public_id, named, app.now());
            for position in &order {
                let answer = app.deliver(&events[*position]).await;
                assert_eq!(answer.status, 200, "{order:?}: {}", answer.text());
            }
            let rows = rows(&app, row).replace(&name, "NAME");
            assert_eq!(app.database.count("subscriptions", &format!("user_id = {row}")), 1, "{order:?}: {rows}");
            let customer = app.database.text(&format!("SELECT stripe_customer_id FROM users WHERE id = {row}"));
            assert_eq!(customer, Some(format!("cus_{name}")), "{order:?}");
            let left = format!("event_id LIKE 'evt_{name}_%' AND outcome IN ('unmatched', 'failed', 'pending')");
            assert_eq!(app.database.count("webhook_events", &left), 0, "{order:?}: something still waits");
            ends.push((order.clone(), rows));
        }
    }
    assert_eq!(ends.len(), 240);
    for (order, rows) in &ends {
        assert_eq!(*rows, ends[0].1, "{order:?}");
    }
}

/// Those that are named by the customer alone wait for the link, which comes at the same moment.
async fn first_events_that_come_at_once_never_miss_each_other(app: App) {
    let mut ends = Vec::new();
    for round in 0..20 {
        let name = format!("round{round}");
        let (row, public_id) = somebody(&app, &name);
        let mut events = first_events(&name, &public_id, false, app.now());
        events.rotate_left(round % 5);
        // Each twice: Stripe's redelivery may come beside the link too.
        let all = events.iter().chain(&events);
        for answer in join_all(all.map(|event| app.deliver(event))).await {
            answer.is(200);
        }
        let left = format!("event_id LIKE 'evt_{name}_%' AND outcome IN ('unmatched', 'failed', 'pending')");
        assert_eq!(app.database.count("webhook_events", &left), 0, "round {round}: something still waits");
        ends.push(rows(&app, row).replace(&name, "NAME"));
    }
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:#?}");
}

/// What Stripe sends around a first payment: the update comes a second after the creation.
fn first_events(name: &str, user: &str, named: bool, now: DateTime<Utc>) -> Vec<Value> {
    let mut created = Snapshot::active(&format!("sub_{name}"), &format!("cus_{name}"), user, now);
    if !named {
        created.user = None;
    }
    let updated = Snapshot { cancel_at_period_end: true, ..created.clone() };
    let customer = json!({
        "id": format!("cus_{name}"), "object": "customer", "email": "somebody.else@example.com",
        "metadata": if named { json!({}) } else { json!({ "user_id": user }) },
    });
    let session = json!({
        "id": format!("cs_{name}"), "object": "checkout.session", "mode": "subscription", "status": "complete",
        "customer": format!("cus_{name}"), "client_reference_id": user, "subscription": format!("sub_{name}"),
        "payment_status": "paid", "metadata": { "user_id": user },
    });
    let id = |what: &str| format!("evt_{name}_{what}");
    vec![
        event(&id("customer"), "customer.created", now, &customer),
        created.event(&id("created"), "created", now),
        updated.event(&id("updated"), "updated", now + TimeDelta::seconds(1)),
        event(&id("paid"), "invoice.paid", now, &invoice(&format!("in_{name}"), &created, true)),
        event(&id("session"), "checkout.session.completed", now, &session),
    ]
}

/// Whatever Stripe may say of one of two subscriptions within a few seconds.
#[derive(Clone, Debug)]
struct Said {
    subscription: u8,
    second: i64,
    status: &'static str,
    price: &'static str,
    months: Option<i64>,
    pause: Option<&'static str>,
    at_period_end: bool,
    named: bool,
    old_shape: bool,
}

fn said() -> impl Strategy<Value = Said> {
    let words =
        vec!["trialing", "active", "active", "past_due", "unpaid", "paused", "incomplete", "canceled", "tomorrow"];
    (
        (
            0_u8..2,
            0_i64..4,
            select(words),
            select(vec!["price_monthly", "price_monthly", "price_yearly", "price_foreign"]),
        ),
        (option::weighted(0.85, 1_i64..4), option::weighted(0.3, select(vec!["void", "keep_as_draft"]))),
        (any::<bool>(), prop::bool::weighted(0.7), any::<bool>()),
    )
        .prop_map(|((subscription, second, status, price), (months, pause), (at_period_end, named, old_shape))| {
            Said { subscription, second, status, price, months, pause, at_period_end, named, old_shape }
        })
}

impl Said {
    fn event(&self, case: &str, number: usize, user: &str, now: DateTime<Utc>) -> Value {
        let id = format!("sub_{case}_{}", self.subscription);
        let mut snapshot = Snapshot::active(&id, &format!("cus_{case}"), user, now).status(self.status);
        self.price.clone_into(&mut snapshot.price);
        snapshot.cancel_at_period_end = self.at_period_end;
        snapshot.old_shape = self.old_shape;
        snapshot.end = now + TimeDelta::days(30 * self.months.unwrap_or(1));
        if !self.named {
            snapshot.user = None;
        }
        let kind = if self.status == "canceled" { "deleted" } else { "updated" };
        let mut event = snapshot.event(&format!("evt_{case}_{number}"), kind, now + TimeDelta::seconds(self.second));
        let object = &mut event["data"]["object"];
        if let Some(behavior) = self.pause {
            object["pause_collection"] = json!({ "behavior": behavior, "resumes_at": null });
        }
        if self.months.is_none() {
            without_period(object);
            without_period(&mut object["items"]["data"][0]);
        }
        event
    }
}

fn without_period(object: &mut Value) {
    object.as_object_mut().unwrap().retain(|key, _| !key.starts_with("current_period"));
}

/// Two people live through the same; the second hears of it shuffled and twice.
async fn any_set_of_events_about_two_subscriptions_ends_the_same_in_any_order(app: App) {
    // A doubt makes the program ask Stripe, which knows nothing of these: it must stay in doubt.
    let away = json!({ "path_prefix": "/v1/subscriptions", "status": 500, "times": 1_000_000 });
    app.sandbox(Method::POST, "/_sandbox/fail", away).await;
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    let strategy = vec(said(), 2..9).prop_flat_map(|all| {
        let positions: Vec<usize> = (0..all.len()).chain(0..all.len()).chain(0..=all.len()).collect();
        (Just(all), Just(positions).prop_shuffle())
    });
    let mut with_rows = 0;
    for number in 0..100 {
        let (all, shuffled) = strategy.new_tree(&mut runner).unwrap().current();
        let mut ends = Vec::new();
        for (copy, order) in [(0, (0..=all.len()).collect::<Vec<_>>()), (1, shuffled)] {
            let case = format!("case{number}copy{copy}x");
            let (row, user) = somebody(&app, &case);
            let mut events: Vec<Value> =
                all.iter().enumerate().map(|(number, said)| said.event(&case, number, &user, app.now())).collect();
            // The link to the person comes somewhere in between, too.
            let customer =
                json!({ "id": format!("cus_{case}"), "object": "customer", "metadata": { "user_id": user } });
            events.push(event(&format!("evt_{case}_link"), "customer.updated", app.now(), &customer));
            for position in order {
                let answer = app.deliver(&events[position]).await;
                assert_eq!(answer.status, 200, "{all:?}: {}", answer.text());
            }
            ends.push(rows(&app, row).replace(&case, "CASE"));
        }
        with_rows += usize::from(!ends[0].is_empty());
        assert_eq!(ends[0], ends[1], "{all:#?}");
    }
    assert!(with_rows > 60, "only {with_rows} of 100 cases left a row: the cases prove little");
}

async fn the_end_of_an_old_subscription_does_not_touch_a_new_one(app: App) {
    let start = app.now();
    let old =
        |user: &str, number: i64| Snapshot::active(&format!("sub_old_{number}"), &format!("cus_{number}"), user, start);
    for (number, end_first) in [(1, true), (2, false)] {
        let ada = app.member_after_trial().await;
        let user = ada.id().await;
        let moment = app.now();
        let gone = old(&user, number).canceled(moment).event(&format!("evt_gone_{number}"), "deleted", moment);
        let new = Snapshot::active(&format!("sub_new_{number}"), &format!("cus_{number}"), &user, moment);
        let began = new.event(&format!("evt_new_{number}"), "created", moment);
        app.deliver(&old(&user, number).event(&format!("evt_old_{number}"), "created", start)).await.is(200);
        for event in if end_first { [&gone, &began] } else { [&began, &gone] } {
            app.deliver(event).await.is(200);
        }
        let me = ada.me().await;
        assert_eq!((&me["access"]["granted"], &me["subscription"]["status"]), (&json!(true), &json!("active")), "{me}");
        ada.reads().await;
    }
}

async fn what_is_foreign_by_now_opens_nothing_in_either_order(app: App) {
    for (number, foreign_first) in [(1, true), (2, false)] {
        let ada = app.member_after_trial().await;
        let ours = Snapshot::active(&format!("sub_{number}"), &format!("cus_{number}"), &ada.id().await, app.now());
        let foreign = Snapshot { price: "price_of_something_else".into(), ..ours.clone() };
        let first = ours.event(&format!("evt_{number}_ours"), "created", app.now());
        let later = foreign.event(&format!("evt_{number}_foreign"), "updated", app.now() + TimeDelta::seconds(1));
        for event in if foreign_first { [&later, &first] } else { [&first, &later] } {
            app.deliver(event).await.is(200);
        }
        assert_eq!(ada.me().await["access"]["granted"], false, "foreign first: {foreign_first}");
    }
}

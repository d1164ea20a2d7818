//! `/webhooks/stripe`: what an event does, exactly once (`docs/rules.md §5`).

use std::time::Duration;

use chrono::TimeDelta;
use futures_util::{future::join_all, join};
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{
        app::{App, run},
        database::Engine,
        member::instant,
        stripe::{Snapshot, event, invoice},
    },
};

on_both! {
    what_is_not_for_us_is_noted_and_does_nothing,
    a_subscription_without_a_period_opens_nothing,
    the_same_event_twenty_times_at_once_has_one_effect,
    many_events_at_once_all_count,
    news_of_one_subscription_at_once_end_with_the_newest,
    what_came_before_its_customer_was_known_counts_afterwards,
    the_customer_of_one_and_the_id_of_another_open_nothing,
    a_failing_database_is_our_failure_and_the_event_works_when_it_comes_again,
    both_shapes_of_the_period_are_read,
    expanded_objects_and_words_of_tomorrow_are_read,
    stale_news_and_news_after_the_end_change_nothing,
    the_answer_does_not_depend_on_the_order,
    a_browser_or_a_payment_alone_opens_nothing,
}

async fn what_is_not_for_us_is_noted_and_does_nothing(app: App) {
    let ada = app.member_after_trial().await;
    let user = ada.id().await;
    let good = Snapshot::active("sub_1", "cus_1", &user, app.now());
    let mut live = good.clone();
    live.livemode = true;
    let foreign_price = Snapshot { id: "sub_2".into(), price: "price_of_something_else".into(), ..good.clone() };
    let stranger =
        Snapshot { id: "sub_3".into(), user: Some("nobody".into()), customer: "cus_3".into(), ..good.clone() };
    let unnamed = Snapshot { id: "sub_4".into(), user: None, customer: "cus_4".into(), ..good.clone() };
    let events = [
        live.event("evt_1", "created", app.now()),
        foreign_price.event("evt_2", "created", app.now()),
        stranger.event("evt_3", "created", app.now()),
        unnamed.event("evt_4", "created", app.now()),
        good.status("incomplete").event("evt_5", "created", app.now()),
        Snapshot { id: "sub_5".into(), ..good.status("a_word_of_tomorrow") }.event("evt_6", "created", app.now()),
        event("evt_7", "issuing_card.created", app.now(), &json!({ "id": "ic_1" })),
        event("evt_8", "customer.subscription.updated", app.now(), &json!({})),
        event("evt_9", "invoice.paid", app.now(), &json!({ "id": "in_1" })),
        event("evt_10", "checkout.session.completed", app.now(), &json!({ "id": "cs_1", "mode": "setup" })),
    ];
    for event in events {
        let answer = app.deliver(&event).await;
        assert_eq!(answer.status, 200, "{event}: {}", answer.text());
        assert_eq!(ada.me().await["access"]["granted"], false, "{event}");
    }
}

async fn a_subscription_without_a_period_opens_nothing(app: App) {
    let ada = app.member_after_trial().await;
    let mut event = Snapshot::active("sub_1", "cus_1", &ada.id().await, app.now()).event("evt_1", "created", app.now());
    let item = &mut event["data"]["object"]["items"]["data"][0];
    item.as_object_mut().unwrap().retain(|key, _| !key.starts_with("current_period"));
    app.deliver(&event).await.is(200);
    assert_eq!(ada.me().await["access"]["granted"], false);
    ada.get("/account").await.is(200).keeps_quiet_about("1970");
}

async fn the_same_event_twenty_times_at_once_has_one_effect(app: App) {
    let ada = app.member_after_trial().await;
    let event = Snapshot::active("sub_1", "cus_1", &ada.id().await, app.now()).event("evt_1", "created", app.now());
    let answers = join_all((0..20).map(|_| app.deliver(&event))).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200; 20]);
    assert_eq!(app.events_recorded(), 1);
    assert_eq!(app.database.count("webhook_events", "outcome = 'applied'"), 1);
    assert_eq!(app.database.count("subscriptions", "kind = 'recurring' AND version = 1"), 1, "it was written again");
    assert_eq!(ada.me().await["access"]["granted"], true);
}

async fn many_events_at_once_all_count(app: App) {
    let mut people = Vec::new();
    for _ in 0..4 {
        people.push(app.member_after_trial().await.id().await);
    }
    let start = app.now();
    let events: Vec<Value> = (0..40)
        .map(|number| {
            let user = &people[number % 4];
            Snapshot::active(&format!("sub_{number}"), &format!("cus_{}", number % 4), user, start).event(
                &format!("evt_{number}"),
                "created",
                start,
            )
        })
        .collect();
    let answers = join_all(events.iter().map(|event| app.deliver(event))).await;
    assert!(
        answers.iter().all(|answer| answer.status == 200),
        "{:?}",
        answers.iter().map(|answer| answer.status).collect::<Vec<_>>()
    );
    assert_eq!(app.events_recorded(), 40);
    assert_eq!(app.database.count("subscriptions", "kind = 'recurring'"), 40);
}

async fn news_of_one_subscription_at_once_end_with_the_newest(app: App) {
    let ada = app.member_after_trial().await;
    let start = app.now();
    let mut snapshot = Snapshot::active("sub_1", "cus_1", &ada.id().await, start);
    let mut events = Vec::new();
    for number in 0..12 {
        events.push(snapshot.event(&format!("evt_{number}"), "updated", start + TimeDelta::seconds(number)));
        snapshot = snapshot.renewed();
    }
    let answers = join_all(events.iter().rev().map(|event| app.deliver(event))).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200; 12]);
    assert_eq!(app.events_recorded(), 12);
    let end = instant(&ada.me().await["subscription"]["current_period_end"]);
    assert_eq!(end, Some(snapshot.start), "an older snapshot overwrote a newer one");
}

/// Both deliveries stand before the same row, the newer one first in the line. Who judged before it got there would
/// overwrite the newer with the older. (SQLite has one writer at a time.)
#[test]
fn an_older_event_that_waits_behind_a_newer_one_is_stale() {
    run(Engine::Postgres, |app| async move {
        let ada = app.member_after_trial().await;
        let stored = ada.is_subscribed_by_event("sub_1").await;
        let news = |number: i64, snapshot: &Snapshot| {
            snapshot.event(&format!("evt_{number}"), "updated", app.now() + TimeDelta::seconds(number))
        };
        let (older, newer) = (news(10, &stored.renewed()), news(20, &stored.renewed().renewed()));
        let line = app.database.hold("SELECT 1 FROM subscriptions WHERE kind = 'recurring' FOR UPDATE");
        let later = |milliseconds| tokio::time::sleep(Duration::from_millis(milliseconds));
        let (first, second, ()) = join!(
            app.deliver(&newer),
            async {
                later(300).await;
                app.deliver(&older).await
            },
            async {
                later(600).await;
                drop(line);
            }
        );
        assert_eq!((first.status, second.status), (200, 200));
        let end = instant(&ada.me().await["subscription"]["current_period_end"]);
        assert_eq!(end, Some(stored.renewed().renewed().end), "the older one overwrote the newer one");
    });
}

async fn what_came_before_its_customer_was_known_counts_afterwards(app: App) {
    let ada = app.member_after_trial().await;
    let early = Snapshot { user: None, ..Snapshot::active("sub_1", "cus_1", "", app.now()) };
    app.deliver(&early.event("evt_1", "created", app.now())).await.is(200);
    assert_eq!(ada.me().await["access"]["granted"], false);
    let session = json!({
        "id": "cs_1", "object": "checkout.session", "mode": "subscription", "customer": "cus_1",
        "client_reference_id": ada.id().await, "subscription": "sub_1", "payment_status": "paid", "metadata": null,
    });
    app.deliver(&event("evt_2", "checkout.session.completed", app.now(), &session)).await.is(200);
    assert_eq!(ada.me().await["access"]["granted"], true);
}

async fn the_customer_of_one_and_the_id_of_another_open_nothing(app: App) {
    let eve = app.member().await;
    let ada = app.member_after_trial().await;
    eve.log_in().await;
    app.database.execute(&format!("UPDATE users SET stripe_customer_id = 'cus_1' WHERE email = '{}'", ada.email));
    let mixed = Snapshot::active("sub_1", "cus_1", &eve.id().await, app.now());
    app.deliver(&mixed.event("evt_1", "created", app.now())).await.is(200);
    assert_eq!(ada.me().await["access"]["granted"], false);
    assert_eq!(eve.me().await["access"]["granted"], false);
}

async fn a_failing_database_is_our_failure_and_the_event_works_when_it_comes_again(app: App) {
    let ada = app.member_after_trial().await;
    let event = Snapshot::active("sub_1", "cus_1", &ada.id().await, app.now()).event("evt_1", "created", app.now());
    app.database.go_away();
    let failed = app.deliver(&event).await;
    assert!(failed.status >= 500, "{}", failed.status);
    app.database.come_back();
    app.eventually("the database to be found again", || async { app.deliver(&event).await.status == 200 }).await;
    assert_eq!(ada.me().await["access"]["granted"], true);
    assert_eq!(app.database.count("subscriptions", "kind = 'recurring'"), 1);
    app.deliver(&event).await.is(200);
    assert_eq!(app.database.count("subscriptions", "kind = 'recurring'"), 1);
}

async fn both_shapes_of_the_period_are_read(app: App) {
    for old_shape in [false, true] {
        let ada = app.member_after_trial().await;
        let id = format!("sub_{old_shape}");
        let snapshot =
            Snapshot { old_shape, ..Snapshot::active(&id, &format!("cus_{old_shape}"), &ada.id().await, app.now()) };
        app.deliver(&snapshot.event(&format!("evt_{old_shape}"), "created", app.now())).await.is(200);
        let me = ada.me().await;
        assert_eq!(instant(&me["access"]["until"]), Some(snapshot.end), "{me}");
    }
}

async fn expanded_objects_and_words_of_tomorrow_are_read(app: App) {
    let ada = app.member_after_trial().await;
    let mut event = Snapshot::active("sub_1", "cus_1", &ada.id().await, app.now()).event("evt_1", "created", app.now());
    event["api_version"] = Value::Null;
    event["request"] = json!("req_1");
    event["data"]["object"]["customer"] = json!({ "id": "cus_1", "object": "customer", "metadata": null });
    event["data"]["object"]["a_field_of_tomorrow"] = json!({ "deep": [1, 2, { "er": null }] });
    event["data"]["object"]["collection_method"] = json!("by_pigeon");
    app.deliver(&event).await.is(200);
    assert_eq!(ada.me().await["access"]["granted"], true);
}

async fn stale_news_and_news_after_the_end_change_nothing(app: App) {
    let ada = app.member_after_trial().await;
    let first = Snapshot::active("sub_1", "cus_1", &ada.id().await, app.now());
    let start = app.now();
    app.deliver(&first.renewed().event("evt_2", "updated", start + TimeDelta::seconds(100))).await.is(200);
    app.deliver(&first.event("evt_1", "created", start)).await.is(200);
    let until = || async { instant(&ada.me().await["access"]["until"]) };
    assert_eq!(until().await, Some(first.renewed().end), "the older snapshot won");

    app.deliver(&first.canceled(start).event("evt_3", "deleted", start + TimeDelta::seconds(200))).await.is(200);
    app.deliver(&first.renewed().event("evt_4", "updated", start + TimeDelta::seconds(300))).await.is(200);
    assert_eq!(ada.me().await["access"]["granted"], false, "it came back after its end");
}

async fn the_answer_does_not_depend_on_the_order(app: App) {
    for (number, order) in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2], [0, 2, 1], [2, 0, 1]].into_iter().enumerate() {
        let ada = app.member_after_trial().await;
        let start = app.now();
        let first = Snapshot::active(&format!("sub_{number}"), &format!("cus_{number}"), &ada.id().await, start);
        let events = [
            first.status("past_due").event(&format!("evt_{number}_0"), "updated", start),
            first.event(&format!("evt_{number}_1"), "updated", start),
            first.renewed().event(&format!("evt_{number}_2"), "updated", start),
        ];
        for position in order {
            app.deliver(&events[position]).await.is(200);
        }
        let me = ada.me().await;
        assert_eq!(instant(&me["subscription"]["current_period_end"]), Some(first.renewed().end), "{order:?}: {me}");
        assert_eq!(me["subscription"]["status"], "active", "{order:?}");
    }
}

async fn a_browser_or_a_payment_alone_opens_nothing(app: App) {
    let ada = app.member_after_trial().await;
    for path in [
        "/checkout/return",
        "/checkout/return?session_id=cs_1",
        "/checkout/return?session_id=%00&success=true&status=paid",
        "/checkout/return?paid=1",
    ] {
        let answer = ada.get(path).await;
        assert!(answer.status < 500, "{path}: {}", answer.status);
    }
    let paid = Snapshot::active("sub_1", "cus_1", &ada.id().await, app.now());
    app.deliver(&event("evt_1", "invoice.paid", app.now(), &invoice("in_1", &paid, true))).await.is(200);
    assert_eq!(
        ada.me().await["access"]["granted"],
        false,
        "a payment says that money moved, never that someone may come in"
    );
}

//! `/subscription/cancellation` and `/subscription/resumption` (`docs/rules.md §8`).

use chrono::TimeDelta;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{app::App, client::JSON, sandbox::parameter},
};

const CANCEL: &str = "/subscription/cancellation";
const RESUME: &str = "/subscription/resumption";

on_both! {
    a_cancellation_ends_it_with_what_is_paid_for,
    a_resumption_lets_it_go_on,
    second_thoughts_within_a_second_count_each,
    what_the_portal_canceled_is_resumed_here,
    what_the_portal_changed_without_our_knowing_is_changed_all_the_same,
    before_the_first_payment_it_can_be_canceled_too,
    the_event_may_come_first_late_or_twice,
    double_clicks_are_one_wish,
    programs_get_json,
}

async fn a_cancellation_ends_it_with_what_is_paid_for(app: App) {
    let ada = app.subscriber().await;
    let end = ada.me().await["subscription"]["current_period_end"].clone();
    ada.get("/account").await.is(200).says("Cancel subscription").says("You keep access until").says(CANCEL);
    app.stripe_keeps_events(true).await;
    assert_eq!(ada.post(CANCEL, &[]).await.is(303).location().as_deref(), Some("/account"));
    ada.get("/account")
        .await
        .is(200)
        .says("Ends on")
        .keeps_quiet_about("Renews on")
        .says("Resume subscription")
        .keeps_quiet_about(CANCEL);
    let me = ada.me().await;
    assert_eq!(me["subscription"]["cancel_at_period_end"], true, "{me}");
    assert_eq!((&me["access"]["renews"], &me["access"]["until"]), (&json!(false), &end));
    app.stripe_keeps_events(false).await;
    app.deliveries_done().await;
    assert_eq!(ada.me().await, me, "the event changed what the answer had said");
    let calls = app.changes_asked().await;
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!(parameter(&calls[0], "cancel_at_period_end").as_deref(), Some("true"));
    assert!(calls[0]["idempotency_key"].as_str().is_some_and(|key| key.len() > 8), "{calls:?}");

    let end: chrono::DateTime<chrono::Utc> = end.as_str().unwrap().parse().unwrap();
    app.advance_stripe(end - app.now() - TimeDelta::seconds(1)).await;
    ada.log_in().await;
    ada.reads().await;
    app.advance_stripe(TimeDelta::hours(2)).await;
    ada.get("/premium").await.is(403);
    assert_eq!(ada.me().await["subscription"]["status"], "canceled");
    ada.post(RESUME, &[]).await.is(409).says("There is nothing to resume");
}

async fn a_resumption_lets_it_go_on(app: App) {
    let ada = app.subscriber().await;
    ada.post(CANCEL, &[]).await.is(303);
    app.advance(TimeDelta::hours(1));
    app.stripe_keeps_events(true).await;
    assert_eq!(ada.post(RESUME, &[]).await.is(303).location().as_deref(), Some("/account"));
    ada.get("/account").await.is(200).says("Renews on").says("Cancel subscription").keeps_quiet_about("Ends on");
    let me = ada.me().await;
    assert_eq!(me["subscription"]["cancel_at_period_end"], false, "{me}");
    assert_eq!(me["subscription"]["cancel_at"], Value::Null, "{me}");
    assert_eq!(me["access"]["renews"], true);
    app.stripe_keeps_events(false).await;
    app.deliveries_done().await;
    assert_eq!(ada.me().await, me);
    let end: chrono::DateTime<chrono::Utc> = me["access"]["until"].as_str().unwrap().parse().unwrap();
    app.advance_stripe(end - app.now() + TimeDelta::hours(3)).await;
    ada.log_in().await;
    ada.reads().await;
}

async fn second_thoughts_within_a_second_count_each(app: App) {
    let ada = app.subscriber().await;
    for _ in 0..3 {
        ada.post(CANCEL, &[]).await.is(303);
        assert_eq!(ada.me().await["access"]["renews"], false);
        assert_eq!(app.subscription(&ada).await["cancel_at_period_end"], true);
        ada.post(RESUME, &[]).await.is(303);
        assert_eq!(ada.me().await["access"]["renews"], true);
        assert_eq!(app.subscription(&ada).await["cancel_at_period_end"], false);
    }
    assert_eq!(app.changes_asked().await.len(), 6);
    app.deliveries_done().await;
    assert_eq!(ada.me().await["access"]["renews"], true);
}

async fn what_the_portal_canceled_is_resumed_here(app: App) {
    let ada = app.subscriber().await;
    let end = ada.me().await["access"]["until"].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap();
    let id = app.subscription_id(&ada).await;
    app.advance(TimeDelta::seconds(5));
    let date = end.timestamp().to_string();
    app.at_stripe(Method::POST, &format!("/v1/subscriptions/{id}"), &[("cancel_at", &date)]).await;
    app.deliveries_done().await;
    let me = ada.me().await;
    assert_eq!(me["subscription"]["cancel_at_period_end"], false, "this test needs a date without the flag: {me}");
    ada.get("/account").await.is(200).says("Ends on").says("Resume subscription");
    ada.post(RESUME, &[]).await.is(303);
    ada.get("/account").await.is(200).says("Renews on");
    assert_eq!(app.subscription(&ada).await["cancel_at"], Value::Null);
    let calls = app.changes_asked().await;
    let own = calls.iter().filter(|call| call["idempotency_key"].is_string()).collect::<Vec<_>>();
    assert_eq!(own.len(), 1, "{calls:?}");
    assert_eq!(parameter(own[0], "cancel_at").as_deref(), Some(""));
}

async fn what_the_portal_changed_without_our_knowing_is_changed_all_the_same(app: App) {
    let ada = app.subscriber().await;
    let id = app.subscription_id(&ada).await;
    ada.post(CANCEL, &[]).await.is(303);
    app.deliveries_done().await;
    app.advance(TimeDelta::seconds(5));
    app.stripe_keeps_events(true).await;
    // In the portal it was resumed and canceled again, in the other way.
    let date = (app.now() + TimeDelta::days(3)).timestamp().to_string();
    app.at_stripe(Method::POST, &format!("/v1/subscriptions/{id}"), &[("cancel_at", &date)]).await;
    ada.post(RESUME, &[]).await.is(303);
    assert_eq!(app.subscription(&ada).await["cancel_at"], Value::Null);
    ada.get("/account").await.is(200).says("Renews on");
    app.stripe_keeps_events(false).await;
    app.deliveries_done().await;
    ada.get("/account").await.is(200).says("Renews on");
}

async fn before_the_first_payment_it_can_be_canceled_too(app: App) {
    let ada = app.member().await;
    ada.pays_for("monthly").await;
    ada.get("/account").await.is(200).says("Cancel subscription");
    ada.post(CANCEL, &[]).await.is(303);
    let me = ada.me().await;
    assert_eq!(me["subscription"]["status"], "trialing");
    assert_eq!(me["access"]["until"], json!(ada.trial_end.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)));
    ada.get("/account").await.is(200).says("Ends on");
    app.advance_stripe(ada.trial_end - app.now() + TimeDelta::hours(3)).await;
    ada.log_in().await;
    ada.get("/premium").await.is(403);
}

async fn the_event_may_come_first_late_or_twice(app: App) {
    let ada = app.member_after_trial().await;
    for how in [json!({ "copies": 3, "delay_ms": 0 }), json!({ "copies": 2, "delay_ms": 300, "order": "shuffled" })] {
        app.sandbox(Method::POST, "/_sandbox/delivery", how.clone()).await;
        if ada.me().await["access"]["granted"] == false {
            ada.pays_for("monthly").await;
        }
        // Our own answer is on its way for longer than the event.
        app.stripe_fails(json!({ "path_prefix": "/v1/subscriptions/", "method": "POST", "hang_ms": 50, "times": 4 }))
            .await;
        for (path, renews) in [(CANCEL, false), (RESUME, true), (CANCEL, false), (RESUME, true)] {
            ada.post(path, &[]).await.is(303);
            assert_eq!(ada.me().await["access"]["renews"], renews, "{how}");
            app.deliveries_done().await;
            assert_eq!(ada.me().await["access"]["renews"], renews, "{how}");
            app.advance(TimeDelta::seconds(1));
        }
    }
}

async fn double_clicks_are_one_wish(app: App) {
    let ada = app.subscriber().await;
    for (path, renews) in [(CANCEL, false), (RESUME, true)] {
        let before = app.changes_asked().await.len();
        for answer in join_all((0..10).map(|_| ada.post(path, &[]))).await {
            assert_eq!(answer.is(303).location().as_deref(), Some("/account"));
        }
        ada.post(path, &[]).await.is(303);
        app.deliveries_done().await;
        assert_eq!(ada.me().await["access"]["renews"], renews);
        let calls = app.changes_asked().await.split_off(before);
        assert!(!calls.is_empty());
        app.advance(TimeDelta::seconds(1));
    }
}

async fn programs_get_json(app: App) {
    let ada = app.subscriber().await;
    for (path, renews) in [(CANCEL, false), (CANCEL, false), (RESUME, true), (RESUME, true)] {
        let told = ada.send(Method::POST, path, |request| request.header("Accept", JSON)).await.is(200);
        assert_eq!(told.header("cache-control"), Some("private, no-store"));
        let told = told.json();
        assert_eq!(told["access"]["renews"], renews, "{told}");
        assert_eq!(told, ada.me().await);
    }
    assert_eq!(app.changes_asked().await.len(), 2, "what is so already is not asked for");
}

//! `/subscription/cancellation` and `/subscription/resumption` (`docs/rules.md §8`).

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{app::App, client::JSON, member::Member, sandbox::parameter},
};

const CANCEL: &str = "/subscription/cancellation";
const RESUME: &str = "/subscription/resumption";

on_both! {
    only_members_change_and_only_by_a_post_from_here,
    without_a_subscription_that_runs_nothing_is_done,
    an_open_payment_or_a_pause_comes_first,
    one_that_ended_at_stripe_without_our_knowing_is_told,
    while_stripe_does_not_help_nothing_is_said_that_is_not_known,
    a_cancellation_ends_it_with_what_is_paid_for,
    a_resumption_lets_it_go_on,
    second_thoughts_within_a_second_count_each,
    what_the_portal_canceled_is_resumed_here,
    what_the_portal_changed_without_our_knowing_is_changed_all_the_same,
    before_the_first_payment_it_can_be_canceled_too,
    the_event_may_come_first_late_or_twice,
    double_clicks_are_one_wish,
    nobody_changes_what_is_somebody_elses,
    programs_get_json,
}

async fn only_members_change_and_only_by_a_post_from_here(app: App) {
    let stranger = app.visitor();
    let ada = subscriber(&app).await;
    for path in [CANCEL, RESUME] {
        let refused = stranger.post(path, &[]).await.is(303);
        assert!(refused.location().unwrap().starts_with("/login"), "{refused:?}");
        let told = stranger.send(Method::POST, path, |request| request.header("Accept", JSON)).await.is(401);
        assert_eq!(told.json()["code"], "UNAUTHENTICATED");
        ada.get(path).await.is(405);
        let foreign = |request: reqwest::RequestBuilder| {
            request.header("Sec-Fetch-Site", "cross-site").header("Origin", "https://evil.example")
        };
        ada.send(Method::POST, path, foreign).await.is(403);
    }
    assert_eq!(changes(&app).await, Vec::<Value>::new());
    assert_eq!(ada.me().await["access"]["renews"], true);
}

async fn without_a_subscription_that_runs_nothing_is_done(app: App) {
    let (in_trial, ended) = (app.member().await, app.member().await);
    let snapshot = ended.is_subscribed_by_event("sub_ended").await;
    app.advance(TimeDelta::seconds(1));
    app.deliver(&snapshot.canceled(app.now()).event("evt_end", "deleted", app.now())).await.is(200);
    for nobody in [&in_trial, &ended] {
        let before = nobody.me().await;
        nobody.post(CANCEL, &[]).await.is(409).says("There is nothing to cancel").says("href=\"/account\"");
        nobody.post(RESUME, &[]).await.is(409).says("There is nothing to resume").says("href=\"/plans\"");
        for (path, code) in [(CANCEL, "NOTHING_TO_CANCEL"), (RESUME, "NOTHING_TO_RESUME")] {
            let told = nobody.send(Method::POST, path, |request| request.header("Accept", JSON)).await.is(409).json();
            assert_eq!(told["code"], code);
            assert!(told["message"].as_str().unwrap().len() > 20, "{told}");
        }
        assert_eq!(nobody.me().await, before);
        let account = nobody.get("/account").await.is(200);
        account.keeps_quiet_about(CANCEL).keeps_quiet_about(RESUME);
    }
    assert_eq!(changes(&app).await, Vec::<Value>::new());
}

async fn an_open_payment_or_a_pause_comes_first(app: App) {
    for (status, code, words) in [
        ("past_due", "PAYMENT_OPEN", "Your last payment did not go through"),
        ("unpaid", "PAYMENT_OPEN", "Your last payment did not go through"),
        ("paused", "PAUSED", "Your subscription is paused"),
    ] {
        let ada = app.member_after_trial().await;
        let subscription = format!("sub_{status}");
        let snapshot = ada.is_subscribed_by_event(&subscription).await;
        app.advance(TimeDelta::seconds(1));
        app.deliver(&snapshot.status(status).event(&format!("evt_{status}"), "updated", app.now())).await.is(200);
        let before = ada.me().await;
        for path in [CANCEL, RESUME] {
            ada.post(path, &[]).await.is(409).says(words).says("Nothing was changed").says("href=\"/account\"");
            let told = ada.send(Method::POST, path, |request| request.header("Accept", JSON)).await.is(409);
            assert_eq!(told.json()["code"], code);
        }
        assert_eq!(ada.me().await, before);
        ada.get("/account").await.is(200).keeps_quiet_about(CANCEL).keeps_quiet_about(RESUME);
    }
    assert_eq!(changes(&app).await, Vec::<Value>::new());
}

async fn one_that_ended_at_stripe_without_our_knowing_is_told(app: App) {
    for path in [CANCEL, RESUME] {
        let ada = subscriber(&app).await;
        if path == RESUME {
            ada.post(CANCEL, &[]).await.is(303);
        }
        app.stripe_keeps_events(true).await;
        let id = id_of(&app, &ada).await;
        app.at_stripe(Method::DELETE, &format!("/v1/subscriptions/{id}"), &[]).await;
        ada.post(path, &[]).await.is(409).says("Your subscription has ended").says("href=\"/plans\"");
        assert_eq!(ada.me().await["subscription"]["status"], "canceled", "Stripe's word was not kept");
        app.stripe_keeps_events(false).await;
        app.deliveries_done().await;
        assert_eq!(ada.me().await["subscription"]["status"], "canceled");
    }
}

async fn while_stripe_does_not_help_nothing_is_said_that_is_not_known(app: App) {
    let ada = subscriber(&app).await;
    let before = ada.me().await;
    for (fault, words) in [
        (json!({ "status": 429, "times": 10 }), "try again"),
        (json!({ "status": 500, "times": 10 }), "try again"),
        (json!({ "status": 400, "times": 10, "method": "POST" }), "Nothing was changed"),
        (json!({ "hang_ms": 30_000, "times": 10 }), "try again"),
    ] {
        let mut fault = fault;
        fault["path_prefix"] = json!("/v1/subscriptions");
        app.stripe_fails(fault.clone()).await;
        let start = Instant::now();
        ada.post(CANCEL, &[]).await.is(503).says(words).keeps_quiet_about("charged");
        assert!(start.elapsed() < Duration::from_secs(14), "{fault}: {:?}", start.elapsed());
        assert_eq!(ada.me().await, before, "{fault}");
        app.stripe_works().await;
    }
    // Stripe did it, but its answer got lost: the page follows as soon as Stripe is asked, or tells.
    app.stripe_keeps_events(true).await;
    app.stripe_fails(
        json!({ "path_prefix": "/v1/subscriptions", "method": "POST", "status": 500, "times": 10, "after": true }),
    )
    .await;
    ada.post(CANCEL, &[]).await.is(503).says("Look at your account");
    assert_eq!(app.database.count("subscriptions", "refresh_due_at IS NOT NULL"), 1, "nobody looks after it");
    app.stripe_works().await;
    app.stripe_keeps_events(false).await;
    app.deliveries_done().await;
    ada.get("/account").await.is(200).says("Ends on");
}

async fn a_cancellation_ends_it_with_what_is_paid_for(app: App) {
    let ada = subscriber(&app).await;
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
    let calls = changes(&app).await;
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
    let ada = subscriber(&app).await;
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
    let ada = subscriber(&app).await;
    for _ in 0..3 {
        ada.post(CANCEL, &[]).await.is(303);
        assert_eq!(ada.me().await["access"]["renews"], false);
        assert_eq!(at_stripe(&app, &ada).await["cancel_at_period_end"], true);
        ada.post(RESUME, &[]).await.is(303);
        assert_eq!(ada.me().await["access"]["renews"], true);
        assert_eq!(at_stripe(&app, &ada).await["cancel_at_period_end"], false);
    }
    assert_eq!(changes(&app).await.len(), 6);
    app.deliveries_done().await;
    assert_eq!(ada.me().await["access"]["renews"], true);
}

async fn what_the_portal_canceled_is_resumed_here(app: App) {
    let ada = subscriber(&app).await;
    let end = ada.me().await["access"]["until"].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap();
    let id = id_of(&app, &ada).await;
    app.advance(TimeDelta::seconds(5));
    let date = end.timestamp().to_string();
    app.at_stripe(Method::POST, &format!("/v1/subscriptions/{id}"), &[("cancel_at", &date)]).await;
    app.deliveries_done().await;
    let me = ada.me().await;
    assert_eq!(me["subscription"]["cancel_at_period_end"], false, "this test needs a date without the flag: {me}");
    ada.get("/account").await.is(200).says("Ends on").says("Resume subscription");
    ada.post(RESUME, &[]).await.is(303);
    ada.get("/account").await.is(200).says("Renews on");
    assert_eq!(at_stripe(&app, &ada).await["cancel_at"], Value::Null);
    let calls = changes(&app).await;
    let own = calls.iter().filter(|call| call["idempotency_key"].is_string()).collect::<Vec<_>>();
    assert_eq!(own.len(), 1, "{calls:?}");
    assert_eq!(parameter(own[0], "cancel_at").as_deref(), Some(""));
}

async fn what_the_portal_changed_without_our_knowing_is_changed_all_the_same(app: App) {
    let ada = subscriber(&app).await;
    let id = id_of(&app, &ada).await;
    ada.post(CANCEL, &[]).await.is(303);
    app.deliveries_done().await;
    app.advance(TimeDelta::seconds(5));
    app.stripe_keeps_events(true).await;
    // In the portal it was resumed and canceled again, in the other way.
    let date = (app.now() + TimeDelta::days(3)).timestamp().to_string();
    app.at_stripe(Method::POST, &format!("/v1/subscriptions/{id}"), &[("cancel_at", &date)]).await;
    ada.post(RESUME, &[]).await.is(303);
    assert_eq!(at_stripe(&app, &ada).await["cancel_at"], Value::Null);
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
    let ada = subscriber(&app).await;
    for (path, renews) in [(CANCEL, false), (RESUME, true)] {
        let before = changes(&app).await.len();
        for answer in join_all((0..10).map(|_| ada.post(path, &[]))).await {
            assert_eq!(answer.is(303).location().as_deref(), Some("/account"));
        }
        ada.post(path, &[]).await.is(303);
        app.deliveries_done().await;
        assert_eq!(ada.me().await["access"]["renews"], renews);
        let calls = changes(&app).await.split_off(before);
        assert!(!calls.is_empty());
        app.advance(TimeDelta::seconds(1));
    }
}

async fn nobody_changes_what_is_somebody_elses(app: App) {
    let ada = subscriber(&app).await;
    let eve = app.member().await;
    let id = id_of(&app, &ada).await;
    let forms: [&[(&str, &str)]; 2] = [&[("subscription", &id), ("id", &id)], &[("user_id", "1")]];
    for form in forms {
        eve.post(CANCEL, form).await.is(409);
        eve.post(&format!("{CANCEL}?subscription={id}"), form).await.is(409);
    }
    assert_eq!(ada.me().await["access"]["renews"], true);
    assert_eq!(changes(&app).await, Vec::<Value>::new());
}

async fn programs_get_json(app: App) {
    let ada = subscriber(&app).await;
    for (path, renews) in [(CANCEL, false), (CANCEL, false), (RESUME, true), (RESUME, true)] {
        let told = ada.send(Method::POST, path, |request| request.header("Accept", JSON)).await.is(200);
        assert_eq!(told.header("cache-control"), Some("private, no-store"));
        let told = told.json();
        assert_eq!(told["access"]["renews"], renews, "{told}");
        assert_eq!(told, ada.me().await);
    }
    assert_eq!(changes(&app).await.len(), 2, "what is so already is not asked for");
}

/// Somebody who has paid at the sandbox.
async fn subscriber(app: &App) -> Member {
    let ada = app.member_after_trial().await;
    ada.pays_for("monthly").await;
    ada
}

async fn at_stripe(app: &App, member: &Member) -> Value {
    app.subscriptions_of(member).await.remove(0)
}

async fn id_of(app: &App, member: &Member) -> String {
    at_stripe(app, member).await["id"].as_str().unwrap().to_owned()
}

/// What Stripe was told to change.
async fn changes(app: &App) -> Vec<Value> {
    let calls = app.requests().await.into_iter();
    let about = |call: &Value| call["path"].as_str().unwrap().starts_with("/v1/subscriptions/");
    calls.filter(|call| call["method"] == "POST" && about(call)).collect()
}

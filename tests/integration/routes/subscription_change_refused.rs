//! What `/subscription/cancellation` and `/subscription/resumption` refuse, and what they say then (`docs/rules.md §8`).

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{app::App, client::JSON},
};

const CANCEL: &str = "/subscription/cancellation";
const RESUME: &str = "/subscription/resumption";

on_both! {
    only_members_change_and_only_by_a_post_from_here,
    without_a_subscription_that_runs_nothing_is_done,
    an_open_payment_or_a_pause_comes_first,
    one_that_ended_at_stripe_without_our_knowing_is_told,
    while_stripe_does_not_help_nothing_is_said_that_is_not_known,
    nobody_changes_what_is_somebody_elses,
}

async fn only_members_change_and_only_by_a_post_from_here(app: App) {
    let stranger = app.visitor();
    let ada = app.subscriber().await;
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
    assert_eq!(app.changes_asked().await, Vec::<Value>::new());
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
    assert_eq!(app.changes_asked().await, Vec::<Value>::new());
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
    assert_eq!(app.changes_asked().await, Vec::<Value>::new());
}

async fn one_that_ended_at_stripe_without_our_knowing_is_told(app: App) {
    for path in [CANCEL, RESUME] {
        let ada = app.subscriber().await;
        if path == RESUME {
            ada.post(CANCEL, &[]).await.is(303);
        }
        app.stripe_keeps_events(true).await;
        let id = app.subscription_id(&ada).await;
        app.at_stripe(Method::DELETE, &format!("/v1/subscriptions/{id}"), &[]).await;
        ada.post(path, &[]).await.is(409).says("Your subscription has ended").says("href=\"/plans\"");
        assert_eq!(ada.me().await["subscription"]["status"], "canceled", "Stripe's word was not kept");
        app.stripe_keeps_events(false).await;
        app.deliveries_done().await;
        assert_eq!(ada.me().await["subscription"]["status"], "canceled");
    }
}

async fn while_stripe_does_not_help_nothing_is_said_that_is_not_known(app: App) {
    let ada = app.subscriber().await;
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
    app.advance(TimeDelta::seconds(5));
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

async fn nobody_changes_what_is_somebody_elses(app: App) {
    let ada = app.subscriber().await;
    let eve = app.member().await;
    let id = app.subscription_id(&ada).await;
    let forms: [&[(&str, &str)]; 2] = [&[("subscription", &id), ("id", &id)], &[("user_id", "1")]];
    for form in forms {
        eve.post(CANCEL, form).await.is(409);
        eve.post(&format!("{CANCEL}?subscription={id}"), form).await.is(409);
    }
    assert_eq!(ada.me().await["access"]["renews"], true);
    assert_eq!(app.changes_asked().await, Vec::<Value>::new());
}

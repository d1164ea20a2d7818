//! `/plans` → `/checkout` → Stripe's page → `/checkout/return` (`docs/rules.md §7, §8`).

use chrono::TimeDelta;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{app::App, client::JSON, sandbox::parameter},
};

on_both! {
    only_members_buy_and_only_what_there_is,
    stripe_learns_who_buys_what_and_what_is_left_of_the_trial,
    with_two_days_or_less_left_whole_days_are_carried_over,
    with_nothing_left_the_payment_is_due_at_once,
    ten_clicks_at_once_make_one_customer,
    stripe_out_of_reach_is_503_and_nothing_is_lost,
    one_failure_of_stripe_is_not_seen_by_the_buyer,
    the_return_page_waits_for_stripes_word,
    a_declined_card_leaves_everything_as_it_was,
    who_has_a_subscription_is_not_sold_a_second,
    deliveries_twice_shuffled_late_and_in_the_old_shape_end_the_same,
}

async fn only_members_buy_and_only_what_there_is(app: App) {
    let stranger = app.visitor();
    let refused = stranger.post("/checkout", &[("plan", "monthly")]).await;
    assert!(refused.status == 303 && refused.location().unwrap().starts_with("/login"), "{refused:?}");
    let told =
        stranger.send(Method::POST, "/checkout", |request| request.header("Accept", JSON).form(&[("plan", "monthly")]));
    assert_eq!(told.await.is(401).json()["code"], "UNAUTHENTICATED");
    let ada = app.member().await;
    for plan in ["", "weekly", "price_monthly", "MONTHLY", "monthly\u{0}", "../monthly", &"m".repeat(10_000)] {
        let answer = ada.post("/checkout", &[("plan", plan)]).await;
        assert!((400..500).contains(&answer.status), "{plan:?}: {}", answer.status);
    }
    let answer = ada.post_raw("/checkout", "plan=%ff").await;
    assert!((400..500).contains(&answer.status), "{}", answer.status);
    let answer = ada.post("/checkout", &[]).await;
    assert!((400..500).contains(&answer.status), "{}", answer.status);
    assert_eq!(app.asked("POST", "/v1/checkout/sessions").await.len(), 0);
}

async fn stripe_learns_who_buys_what_and_what_is_left_of_the_trial(app: App) {
    let ada = app.member().await;
    let target = ada.post("/checkout", &[("plan", "monthly")]).await.is(303).location().unwrap();
    assert!(target.contains(&app.sandbox_address().to_string()), "{target}");
    let user = ada.id().await;
    let sessions = app.asked("POST", "/v1/checkout/sessions").await;
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    let asked_for = &sessions[0];
    let parameter = |name: &str| parameter(asked_for, name);
    assert_eq!(parameter("mode"), Some("subscription".to_owned()), "{asked_for}");
    assert_eq!(parameter("client_reference_id"), Some(user.clone()));
    assert_eq!(parameter("line_items[0][price]"), Some("price_monthly".to_owned()));
    assert_eq!(parameter("subscription_data[trial_end]"), Some(ada.trial_end.timestamp().to_string()));
    assert!(
        asked_for.to_string().matches(&user).count() >= 2,
        "the subscription's metadata does not name the user: {asked_for}"
    );
    let customers = app.asked("POST", "/v1/customers").await;
    assert_eq!(customers.len(), 1);
    assert!(customers[0].to_string().contains(&ada.email), "{customers:?}");
    for call in
        app.requests().await.iter().filter(|call| {
            call["method"] == "POST" && call["path"].as_str().is_some_and(|path| path.starts_with("/v1/"))
        })
    {
        assert!(call["idempotency_key"].as_str().is_some_and(|key| key.len() > 8), "no idempotency key: {call}");
    }
}

async fn with_two_days_or_less_left_whole_days_are_carried_over(app: App) {
    let ada = app.member().await;
    app.move_to(ada.trial_end - TimeDelta::hours(47));
    ada.log_in().await;
    ada.opens_checkout("monthly").await;
    let call = app.asked("POST", "/v1/checkout/sessions").await.remove(0);
    assert_eq!(parameter(&call, "subscription_data[trial_end]"), None, "{call}");
    assert_eq!(parameter(&call, "subscription_data[trial_period_days]"), Some("2".to_owned()), "{call}");
}

async fn with_nothing_left_the_payment_is_due_at_once(app: App) {
    let ada = app.member_after_trial().await;
    ada.opens_checkout("monthly").await;
    let call = app.asked("POST", "/v1/checkout/sessions").await.remove(0);
    assert_eq!(parameter(&call, "subscription_data[trial_end]"), None, "{call}");
    assert_eq!(parameter(&call, "subscription_data[trial_period_days]"), None, "{call}");
}

async fn ten_clicks_at_once_make_one_customer(app: App) {
    let ada = app.member_after_trial().await;
    let answers = join_all((0..10).map(|_| ada.post("/checkout", &[("plan", "monthly")]))).await;
    for answer in answers {
        assert_eq!(answer.status, 303, "{}", answer.text());
    }
    let customers: Vec<String> = app
        .asked("POST", "/v1/checkout/sessions")
        .await
        .iter()
        .filter_map(|call| parameter(call, "customer"))
        .collect();
    assert!(!customers.is_empty() && customers.iter().all(|customer| *customer == customers[0]), "{customers:?}");
    assert_eq!(app.database.count("users", "stripe_customer_id IS NOT NULL"), 1);
}

async fn stripe_out_of_reach_is_503_and_nothing_is_lost(app: App) {
    let ada = app.member_after_trial().await;
    app.stripe_fails(json!({ "path_prefix": "/v1/checkout/sessions", "status": 500, "times": 20 })).await;
    let answer = ada.post("/checkout", &[("plan", "monthly")]).await;
    assert!(matches!(answer.status, 502 | 503), "{}", answer.status);
    app.stripe_works().await;
    ada.opens_checkout("monthly").await;
}

async fn one_failure_of_stripe_is_not_seen_by_the_buyer(app: App) {
    let ada = app.member_after_trial().await;
    app.stripe_fails(json!({ "path_prefix": "/v1/checkout/sessions", "status": 503, "times": 1 })).await;
    ada.opens_checkout("monthly").await;
    let keys: Vec<Value> =
        app.asked("POST", "/v1/checkout/sessions").await.iter().map(|call| call["idempotency_key"].clone()).collect();
    assert!(
        keys.len() >= 2 && keys.iter().all(|key| *key == keys[0]),
        "the second try must have the key of the first: {keys:?}"
    );
}

async fn the_return_page_waits_for_stripes_word(app: App) {
    let ada = app.member_after_trial().await;
    app.sandbox(Method::POST, "/_sandbox/delivery", json!({ "hold": true })).await;
    let session = ada.opens_checkout("monthly").await;
    let back = format!("/checkout/return?session_id={session}");
    ada.get(&back).await.is(200).says("being confirmed");
    app.sandbox(Method::POST, &format!("/_sandbox/checkout/{session}"), json!({ "outcome": "paid" })).await;
    ada.get(&back)
        .await
        .is(200)
        .says("being confirmed")
        .says("http-equiv=\"refresh\"")
        .keeps_quiet_about("You are subscribed");
    assert_eq!(ada.me().await["access"]["granted"], false, "a browser that comes back opens nothing");
    app.sandbox(Method::POST, "/_sandbox/delivery", json!({ "hold": false })).await;
    app.eventually("the webhook", || async { ada.me().await["access"]["granted"] == true }).await;
    ada.get(&back).await.is(200).says("You are subscribed").says("Renews on");
    ada.reads().await;
    ada.get("/account").await.is(200).says("Active").says("Monthly");
}

async fn a_declined_card_leaves_everything_as_it_was(app: App) {
    let ada = app.member_after_trial().await;
    let session = ada.opens_checkout("monthly").await;
    app.sandbox(Method::POST, &format!("/_sandbox/checkout/{session}"), json!({ "outcome": "declined" })).await;
    app.deliveries_done().await;
    assert_eq!(ada.me().await["access"]["granted"], false);
    app.sandbox(Method::POST, &format!("/_sandbox/checkout/{session}"), json!({ "outcome": "paid" })).await;
    app.eventually("the webhook", || async { ada.me().await["access"]["granted"] == true }).await;
}

async fn who_has_a_subscription_is_not_sold_a_second(app: App) {
    let ada = app.member_after_trial().await;
    ada.pays_for("monthly").await;
    let before = app.asked("POST", "/v1/checkout/sessions").await.len();
    let answer = ada.post("/checkout", &[("plan", "yearly")]).await.is(303);
    assert!(!answer.location().unwrap().contains("cs_"), "{answer:?}");
    assert_eq!(app.asked("POST", "/v1/checkout/sessions").await.len(), before);
}

async fn deliveries_twice_shuffled_late_and_in_the_old_shape_end_the_same(app: App) {
    for how in [
        json!({ "copies": 2, "order": "reversed" }),
        json!({ "copies": 3, "order": "shuffled", "delay_ms": 20 }),
        json!({ "copies": 1, "order": "as_is", "shape": "subscription" }),
    ] {
        app.sandbox(Method::POST, "/_sandbox/delivery", how.clone()).await;
        let ada = app.member_after_trial().await;
        ada.pays_for("monthly").await;
        app.eventually(&how.to_string(), || async { ada.me().await["subscription"]["status"] == "active" }).await;
        ada.reads().await;
    }
}

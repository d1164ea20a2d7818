//! The plain life of a subscription, played by the sandbox and its clock: every step is a signed event.

use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{
        app::App,
        member::{Member, instant},
    },
};

on_both! {
    created_active_renewed_and_canceled_at_the_period_end,
    a_subscription_bought_early_begins_when_the_trial_is_used_up,
    a_failed_payment_closes_the_gate_and_a_good_one_opens_it,
    a_late_webhook_locks_nobody_out,
    stripe_out_of_reach_leaves_the_rule_of_the_date,
}

async fn created_active_renewed_and_canceled_at_the_period_end(app: App) {
    let ada = app.member_after_trial().await;
    ada.pays_for("monthly").await;
    let first = ada.me().await;
    assert_eq!(first["subscription"]["status"], "active", "{first}");
    assert_eq!(first["subscription"]["plan"], "monthly");
    assert_eq!(first["access"]["renews"], true);
    ada.reads().await;

    let first_end = period_end(&first);
    app.advance_stripe(first_end - app.now() + TimeDelta::hours(3)).await;
    app.eventually("the renewal", || async { period_end(&ada.me().await) > first_end }).await;
    ada.reads().await;
    assert_eq!(ada.me().await["subscription"]["status"], "active");

    ada.post("/subscription/cancellation", &[]).await.is(303);
    app.eventually("the cancellation", || async { ada.me().await["access"]["renews"] == false }).await;
    ada.get("/account").await.is(200).says("Ends on");
    ada.reads().await;

    let last_end = period_end(&ada.me().await);
    app.advance_stripe(last_end - app.now() - TimeDelta::seconds(1)).await;
    ada.log_in().await;
    ada.reads().await;
    app.advance_stripe(TimeDelta::hours(2)).await;
    ada.get("/premium").await.is(403);
    app.eventually("the end", || async { ada.me().await["subscription"]["status"] == "canceled" }).await;
    ada.get("/account").await.is(200).says("Canceled");
}

async fn a_subscription_bought_early_begins_when_the_trial_is_used_up(app: App) {
    let ada = app.member().await;
    ada.pays_for("monthly").await;
    let me = ada.me().await;
    assert_eq!(me["subscription"]["status"], "trialing", "{me}");
    assert_eq!(period_end(&me), ada.trial_end, "a day was lost or won");
    app.advance_stripe(ada.trial_end - app.now() + TimeDelta::hours(3)).await;
    ada.log_in().await;
    app.eventually("the first payment", || async { ada.me().await["subscription"]["status"] == "active" }).await;
    ada.reads().await;
}

async fn a_failed_payment_closes_the_gate_and_a_good_one_opens_it(app: App) {
    let ada = app.member_after_trial().await;
    ada.pays_for("monthly").await;
    let customer = at_stripe(&app, &ada).await;
    pays_with(&app, &customer, "declines").await;
    let first_end = period_end(&ada.me().await);
    app.advance_stripe(first_end - app.now() + TimeDelta::hours(3)).await;
    app.eventually("the failed payment", || async { ada.me().await["subscription"]["status"] == "past_due" }).await;
    let me = ada.me().await;
    assert_eq!(me["access"]["reason"], "payment_failed", "{me}");
    ada.get("/premium").await.is(403).says("data-reason=\"payment_failed\"");

    pays_with(&app, &customer, "works").await;
    app.advance_stripe(TimeDelta::days(8)).await;
    app.eventually("the recovery", || async { ada.me().await["subscription"]["status"] == "active" }).await;
    ada.reads().await;
}

async fn a_late_webhook_locks_nobody_out(app: App) {
    let ada = app.member_after_trial().await;
    ada.pays_for("monthly").await;
    let first_end = period_end(&ada.me().await);
    app.sandbox(Method::POST, "/_sandbox/delivery", json!({ "hold": true })).await;
    app.advance_stripe(first_end - app.now() + TimeDelta::hours(3)).await;
    ada.reads().await;
    assert!(period_end(&ada.me().await) > first_end, "the answer of Stripe was not kept");
}

async fn stripe_out_of_reach_leaves_the_rule_of_the_date(app: App) {
    let ada = app.member_after_trial().await;
    ada.pays_for("monthly").await;
    let first_end = period_end(&ada.me().await);
    app.sandbox(Method::POST, "/_sandbox/delivery", json!({ "hold": true })).await;
    app.sandbox(
        Method::POST,
        "/_sandbox/fail",
        json!({ "path_prefix": "/v1/subscriptions", "status": 500, "times": 1000 }),
    )
    .await;
    app.advance_stripe(first_end - app.now() + TimeDelta::hours(3)).await;
    let start = std::time::Instant::now();
    ada.get("/premium").await.is(403);
    assert!(start.elapsed().as_secs() < 12, "the reader waited {:?}", start.elapsed());
}

fn period_end(me: &Value) -> chrono::DateTime<chrono::Utc> {
    instant(&me["subscription"]["current_period_end"]).unwrap_or_else(|| panic!("no period: {me}"))
}

/// The id under which Stripe knows the member.
async fn at_stripe(app: &App, member: &Member) -> String {
    let user = member.id().await;
    let list = app.sandbox(Method::GET, "/v1/subscriptions?status=all&limit=100", Value::Null).await;
    let mine = list["data"].as_array().unwrap().iter().find(|one| one["metadata"].to_string().contains(&user));
    let mine = mine.unwrap_or_else(|| panic!("{list}"));
    mine["customer"].as_str().unwrap().to_owned()
}

/// From now on renewals are charged to a card that does this.
async fn pays_with(app: &App, customer: &str, card: &str) {
    app.sandbox(Method::POST, &format!("/_sandbox/customers/{customer}/card"), json!({ "card": card })).await;
}

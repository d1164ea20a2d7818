//! The plain life of a subscription, played by the sandbox and its clock: every step is a signed event.

use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{
        app::App,
        client::http_client,
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
    ada.log_in().await;
    assert!(period_end(&ada.me().await) > first_end, "it was not renewed");
    ada.reads().await;
    assert_eq!(ada.me().await["subscription"]["status"], "active");

    cancels_at_period_end(&app, &ada).await;
    assert_eq!(ada.me().await["access"]["renews"], false);
    ada.get("/account").await.is(200).says("Ends on");
    ada.reads().await;

    let last_end = period_end(&ada.me().await);
    app.advance_stripe(last_end - app.now() - TimeDelta::seconds(1)).await;
    ada.log_in().await;
    ada.reads().await;
    app.advance_stripe(TimeDelta::hours(2)).await;
    ada.get("/premium").await.is(403);
    assert_eq!(ada.me().await["subscription"]["status"], "canceled");
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
    assert_eq!(ada.me().await["subscription"]["status"], "active");
    ada.reads().await;
}

async fn a_failed_payment_closes_the_gate_and_a_good_one_opens_it(app: App) {
    let ada = app.member_after_trial().await;
    ada.pays_for("monthly").await;
    let customer = at_stripe(&app, &ada).await["customer"].as_str().unwrap().to_owned();
    pays_with(&app, &customer, "declines").await;
    let first_end = period_end(&ada.me().await);
    app.advance_stripe(first_end - app.now() + TimeDelta::hours(3)).await;
    ada.log_in().await;
    let me = ada.me().await;
    assert_eq!(me["subscription"]["status"], "past_due", "{me}");
    assert_eq!(me["access"]["reason"], "payment_failed", "{me}");
    ada.get("/premium").await.is(403).says("data-reason=\"payment_failed\"");

    pays_with(&app, &customer, "works").await;
    app.advance_stripe(TimeDelta::days(8)).await;
    assert_eq!(ada.me().await["subscription"]["status"], "active");
    ada.reads().await;
}

async fn a_late_webhook_locks_nobody_out(app: App) {
    let ada = app.member_after_trial().await;
    ada.pays_for("monthly").await;
    let first_end = period_end(&ada.me().await);
    app.sandbox(Method::POST, "/_sandbox/delivery", json!({ "hold": true })).await;
    app.move_stripe(first_end - app.now() + TimeDelta::hours(3)).await;
    ada.log_in().await;
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
    app.move_stripe(first_end - app.now() + TimeDelta::hours(3)).await;
    ada.log_in().await;
    let start = std::time::Instant::now();
    ada.get("/premium").await.is(403);
    assert!(start.elapsed().as_secs() < 12, "the reader waited {:?}", start.elapsed());
}

fn period_end(me: &Value) -> chrono::DateTime<chrono::Utc> {
    instant(&me["subscription"]["current_period_end"]).unwrap_or_else(|| panic!("no period: {me}"))
}

/// The member's subscription, as Stripe shows it.
async fn at_stripe(app: &App, member: &Member) -> Value {
    let user = member.id().await;
    let list = app.sandbox(Method::GET, "/v1/subscriptions?status=all&limit=100", Value::Null).await;
    let mine = list["data"].as_array().unwrap().iter().find(|one| one["metadata"].to_string().contains(&user));
    mine.unwrap_or_else(|| panic!("{list}")).clone()
}

/// What the button in Stripe's portal does.
async fn cancels_at_period_end(app: &App, member: &Member) {
    let id = at_stripe(app, member).await["id"].as_str().unwrap().to_owned();
    let request = http_client().post(format!("http://{}/v1/subscriptions/{id}", app.sandbox_address()));
    let request = request.bearer_auth("sk_test_of_the_tests").form(&[("cancel_at_period_end", "true")]);
    assert_eq!(request.send().await.unwrap().status(), 200);
    app.deliveries_done().await;
}

/// From now on renewals are charged to a card that does this.
async fn pays_with(app: &App, customer: &str, card: &str) {
    app.sandbox(Method::POST, &format!("/_sandbox/customers/{customer}/card"), json!({ "card": card })).await;
}

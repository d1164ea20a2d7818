//! Months that are paid once: how they are sold (`docs/rules.md §6`). What a payment gives is told in the tests of
//! payments.

use crate::{
    on_both,
    support::{app::App, sandbox::parameter},
};

on_both! {
    while_a_subscription_renews_no_months_are_sold,
    while_the_last_payment_is_open_the_page_says_so_and_sells_nothing,
    months_whose_payment_nobody_told_of_are_not_sold_again,
    stripe_learns_who_buys_which_months,
    every_plan_is_on_the_page_with_what_it_means,
    a_plan_that_was_chosen_before_logging_in_is_kept,
}

async fn while_a_subscription_renews_no_months_are_sold(app: App) {
    let ada = app.member_after_trial().await;
    ada.pays_for("monthly").await;
    let answer = ada.post("/checkout", &[("plan", "half-year")]).await.is(303);
    assert!(!answer.location().unwrap().contains("cs_"), "{answer:?}");
    assert_eq!(app.asked("POST", "/v1/checkout/sessions").await.len(), 1);
    ada.get("/plans").await.is(200).says("when this one has ended").keeps_quiet_about("action=\"/checkout\"");
    ada.post("/subscription/cancellation", &[]).await.is(303);
    let answer = ada.post("/checkout", &[("plan", "half-year")]).await.is(303);
    assert!(!answer.location().unwrap().contains("cs_"), "it still runs: {answer:?}");
}

async fn while_the_last_payment_is_open_the_page_says_so_and_sells_nothing(app: App) {
    for (status, words) in [
        ("past_due", "Your last payment did not go through"),
        ("unpaid", "Your last payment did not go through"),
        ("paused", "Your subscription is paused"),
    ] {
        let ada = app.member_after_trial().await;
        let subscription = format!("sub_{status}");
        let snapshot = ada.is_subscribed_by_event(&subscription).await;
        app.advance(chrono::TimeDelta::seconds(1));
        app.deliver(&snapshot.status(status).event(&format!("evt_{status}"), "updated", app.now())).await.is(200);
        ada.get("/plans")
            .await
            .is(200)
            .says(words)
            .says("action=\"/billing-portal\"")
            .keeps_quiet_about("action=\"/checkout\"");
    }
}

async fn months_whose_payment_nobody_told_of_are_not_sold_again(app: App) {
    let ada = app.member_after_trial().await;
    let session = ada.opens_checkout("half-year").await;
    app.stripe_keeps_events(true).await;
    app.at_checkout(&session, "paid").await;
    assert_eq!(ada.me().await["access"]["granted"], false);
    for plan in ["half-year", "monthly"] {
        let answer = ada.post("/checkout", &[("plan", plan)]).await.is(303);
        if plan == "half-year" {
            assert_eq!(answer.location().unwrap(), format!("/checkout/return?session_id={session}"), "{answer:?}");
        }
        assert_eq!(ada.me().await["access"]["by"], "prepaid", "Stripe was asked");
    }
    let until = ada.me().await["access"]["until"].clone();
    app.stripe_keeps_events(false).await;
    app.deliveries_done().await;
    assert_eq!(ada.me().await["access"]["until"], until, "the months were given twice");
    assert_eq!(app.database.count("payments", "status = 'paid'"), 1);
}

async fn stripe_learns_who_buys_which_months(app: App) {
    let ada = app.member().await;
    ada.opens_checkout("half-year").await;
    let user = ada.id().await;
    let call = app.asked("POST", "/v1/checkout/sessions").await.remove(0);
    for (name, value) in [
        ("mode", "payment"),
        ("client_reference_id", &user),
        ("line_items[0][price]", "price_half_year"),
        ("line_items[0][quantity]", "1"),
        ("metadata[user_id]", &user),
        ("metadata[plan]", "half-year"),
        ("metadata[months]", "6"),
        ("payment_intent_data[metadata][user_id]", &user),
        ("payment_intent_data[metadata][plan]", "half-year"),
        ("payment_intent_data[metadata][months]", "6"),
    ] {
        assert_eq!(parameter(&call, name).as_deref(), Some(value), "{name}: {call}");
    }
    assert!(parameter(&call, "customer").is_some(), "{call}");
    assert!(!call["form"].to_string().contains("subscription_data"), "{call}");

    ada.opens_checkout("monthly").await;
    let call = app.asked("POST", "/v1/checkout/sessions").await.remove(1);
    for name in ["metadata[plan]", "subscription_data[metadata][plan]"] {
        assert_eq!(parameter(&call, name).as_deref(), Some("monthly"), "{call}");
    }
    assert_eq!(parameter(&call, "subscription_data[metadata][user_id]"), Some(user));
    assert_eq!(parameter(&call, "metadata[months]"), None);
}

async fn every_plan_is_on_the_page_with_what_it_means(app: App) {
    let ada = app.member().await;
    app.eventually("the prices", || async { ada.get("/plans").await.text().contains("49.00") }).await;
    ada.get("/plans")
        .await
        .is(200)
        .says("value=\"half-year\"")
        .says("Paid once: 6 months, from the end of what you have.")
        .says("value=\"monthly\"")
        .says("€9.00")
        .keeps_quiet_about("You left");
    ada.get("/plans?left").await.is(200).says("You left the payment page. Nothing was charged.");
    app.visitor().get("/").await.is(200).says("Paid once: 6 months");
}

async fn a_plan_that_was_chosen_before_logging_in_is_kept(app: App) {
    let stranger = app.visitor();
    let asked = stranger.post("/checkout", &[("plan", "half-year")]).await.is(303).location().unwrap();
    assert_eq!(asked, "/login?next=/plans%3Fplan%3Dhalf-year");
    stranger.get(&asked).await.is(200).says("/signup?next=/plans%3Fplan%3Dhalf-year");
    stranger.get("/signup?next=/plans%3Fplan%3Dhalf-year").await.is(200).says("/login?next=/plans%3Fplan%3Dhalf-year");
    let member = app.member().await;
    member.get("/plans?plan=half-year").await.is(200).says("Go on with this plan");
    for unknown in ["/plans?plan=<script>", "/plans?plan=", "/plans?plan=nothing", "/plans"] {
        member.get(unknown).await.is(200).keeps_quiet_about("Go on with this plan").keeps_quiet_about("<script>");
    }
    let nothing = stranger.post("/checkout", &[("plan", "no-such-plan")]).await.is(303);
    assert_eq!(nothing.location().as_deref(), Some("/login"));
}

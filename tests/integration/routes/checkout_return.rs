//! `/checkout/return`: it tells only whoever paid, tells the truth, and asks Stripe no more than it has to.

use chrono::TimeDelta;
use reqwest::Method;
use serde_json::Value;

use crate::{
    on_both,
    support::{app::App, stripe::Snapshot},
};

const NOTHING: &str = "No payment is being confirmed";

on_both! {
    who_never_opened_a_checkout_has_nothing_to_wait_for,
    somebody_elses_checkout_looks_like_none,
    invented_ids_do_not_make_us_ask_without_end,
    a_checkout_that_was_closed_says_so,
    a_payment_that_is_not_here_yet_is_being_confirmed,
    while_stripe_is_silent_the_page_goes_on_waiting,
    a_bank_that_takes_days_is_told,
    a_payment_that_failed_in_the_end_says_so,
    coming_back_changes_nothing,
}

async fn who_never_opened_a_checkout_has_nothing_to_wait_for(app: App) {
    let refused = app.visitor().get("/checkout/return?session_id=cs_test_1").await.is(303);
    assert!(refused.location().unwrap().starts_with("/login"));
    for after_trial in [false, true] {
        let ada = if after_trial { app.member_after_trial().await } else { app.member().await };
        for path in [
            "/checkout/return",
            "/checkout/return?session_id=",
            "/checkout/return?look=5",
            "/checkout/return?session_id=cs_test_invented",
            "/checkout/return?session_id=sub_1",
            "/checkout/return?session_id=cs_test_1%2F..%2F..%2Fcustomers",
            "/checkout/return?session_id=cs_test_1%00",
            "/checkout/return?session_id=%3Cscript%3E",
            "/checkout/return?session_id=cs_test_1&look=99999999999999999999",
        ] {
            ada.get(path).await.is(200).says(NOTHING).keeps_quiet_about("Your payment is");
        }
    }
    let asked: Vec<Value> = app.requests().await.into_iter().filter(|call| call["method"] == "GET").collect();
    let paths: Vec<&str> = asked.iter().filter_map(|call| call["path"].as_str()).collect();
    let about_sessions = paths.iter().filter(|path| path.starts_with("/v1/checkout"));
    assert!(
        about_sessions.clone().all(|path| [
            "/v1/checkout/sessions/cs_test_invented",
            "/v1/checkout/sessions/cs_test_1"
        ]
        .contains(path)),
        "{paths:?}"
    );
}

async fn somebody_elses_checkout_looks_like_none(app: App) {
    let (ada, eve) = (app.member().await, app.member().await);
    let session = ada.opens_checkout("half-year").await;
    let of_none = eve.get("/checkout/return?session_id=cs_test_invented").await.is(200).says(NOTHING).text();
    for outcome in [None, Some("unpaid_then_paid")] {
        if let Some(outcome) = outcome {
            app.at_checkout(&session, outcome).await;
        }
        let of_ada = eve.get(&format!("/checkout/return?session_id={session}")).await.is(200).text();
        assert_eq!(of_ada, of_none);
    }
}

async fn invented_ids_do_not_make_us_ask_without_end(app: App) {
    let (eve, ada) = (app.member().await, app.member().await);
    for number in 0..60 {
        eve.get(&format!("/checkout/return?session_id=cs_test_{number}")).await.is(200);
    }
    let asked = |calls: Vec<Value>| {
        calls.iter().filter(|call| call["path"].as_str().unwrap().starts_with("/v1/checkout/sessions/")).count()
    };
    assert_eq!(asked(app.requests().await), 30);
    // Others are not kept waiting by that, and in the next minute it is forgotten.
    ada.get("/checkout/return?session_id=cs_test_x").await.is(200).says(NOTHING);
    app.advance(TimeDelta::minutes(1));
    eve.get("/checkout/return?session_id=cs_test_x").await.is(200).says(NOTHING);
    assert_eq!(asked(app.requests().await), 32);
}

async fn a_checkout_that_was_closed_says_so(app: App) {
    let ada = app.member().await;
    let session = ada.opens_checkout("monthly").await;
    app.at_checkout(&session, "expired").await;
    ada.get(&format!("/checkout/return?session_id={session}"))
        .await
        .is(200)
        .says("Nothing was paid")
        .says("/plans")
        .keeps_quiet_about("Your payment is");
}

async fn a_payment_that_is_not_here_yet_is_being_confirmed(app: App) {
    for (plan, name, title, goes_on) in [
        ("monthly", "Monthly", "You are subscribed", "Renews on"),
        ("half-year", "Six months, paid once", "Your payment has arrived", "Ends on"),
    ] {
        app.stripe_keeps_events(true).await;
        let ada = app.member().await;
        let session = ada.opens_checkout(plan).await;
        app.at_checkout(&session, "paid").await;
        let back = format!("/checkout/return?session_id={session}");
        ada.get(&back).await.is(200).says("being confirmed").says(&format!("session_id={session}&#38;look=1"));
        ada.get(&format!("{back}&look=20")).await.is(200).says("still being confirmed").says("look=20");
        app.stripe_keeps_events(false).await;
        app.deliveries_done().await;
        ada.get(&back).await.is(200).says(title).says(name).says(goes_on);
    }
}

async fn while_stripe_is_silent_the_page_goes_on_waiting(app: App) {
    let ada = app.member().await;
    let session = ada.opens_checkout("monthly").await;
    app.stripe_keeps_events(true).await;
    app.at_checkout(&session, "paid").await;
    for fault in [
        serde_json::json!({ "path_prefix": "/v1/checkout", "status": 500, "times": 3 }),
        serde_json::json!({ "path_prefix": "/v1/checkout", "hang_ms": 5000, "times": 1 }),
    ] {
        app.stripe_fails(fault).await;
        let start = std::time::Instant::now();
        ada.get(&format!("/checkout/return?session_id={session}")).await.is(200).says("being confirmed");
        assert!(start.elapsed().as_secs() < 5, "the page took {:?}", start.elapsed());
        app.stripe_works().await;
    }
}

async fn a_bank_that_takes_days_is_told(app: App) {
    let ada = app.member().await;
    let session = ada.opens_checkout("half-year").await;
    app.at_checkout(&session, "unpaid_then_paid").await;
    let back = format!("/checkout/return?session_id={session}");
    for hold in [true, false] {
        app.stripe_keeps_events(hold).await;
        if !hold {
            app.deliveries_done().await;
        }
        ada.get(&back).await.is(200).says("being confirmed by your bank").says("takes a few days");
    }
}

async fn a_payment_that_failed_in_the_end_says_so(app: App) {
    let bob = app.member().await;
    let session = bob.opens_checkout("half-year").await;
    app.at_checkout(&session, "unpaid_then_failed").await;
    app.advance_stripe(TimeDelta::minutes(1)).await;
    bob.get(&format!("/checkout/return?session_id={session}")).await.is(200).says("The payment was refused");

    let ada = app.member_after_trial().await;
    let user = ada.id().await;
    let late = Snapshot { status: "past_due".to_owned(), ..Snapshot::active("sub_late", "cus_late", &user, app.now()) };
    app.deliver(&late.event("evt_late", "updated", app.now())).await.is(200);
    ada.get("/checkout/return?session_id=cs_test_1").await.is(200).says("The payment was refused");
}

async fn coming_back_changes_nothing(app: App) {
    let ada = app.member_after_trial().await;
    app.stripe_keeps_events(true).await;
    let session = ada.opens_checkout("monthly").await;
    app.at_checkout(&session, "paid").await;
    let before = (ada.me().await, app.requests().await.len());
    let back = format!("/checkout/return?session_id={session}");
    for _ in 0..3 {
        ada.get(&back).await.is(200);
        ada.send(Method::HEAD, &back, |request| request).await.is(200);
        ada.post(&back, &[]).await.is(405);
    }
    assert_eq!(ada.me().await, before.0);
    let calls = app.requests().await.split_off(before.1);
    assert!(calls.iter().all(|call| call["method"] == "GET"), "{calls:?}");
    assert_eq!(app.database.count("subscriptions", "kind = 'recurring'"), 0);
}

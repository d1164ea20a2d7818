//! Asking Stripe: when it is asked, how often, and that an older answer never overwrites what came meanwhile
//! (`docs/rules.md §4, §5`).

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use futures_util::join;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{
        app::{App, Setup},
        database::Engine,
        member::instant,
        scripted::ScriptedStripe,
        stripe::Snapshot,
    },
};

on_both! {
    stripe_is_asked_once_a_minute_however_often_somebody_comes,
    a_doubt_is_settled_at_once_and_the_background_work_asks_again_later,
    who_paid_a_failed_renewal_is_let_in_before_the_webhook_comes,
}

/// Runs `body` on both databases, with Stripe's answers in the hand of the test.
fn with_scripted_stripe<F: Future<Output = ()>>(body: impl Fn(App, ScriptedStripe) -> F) {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let stripe = ScriptedStripe::start();
        Setup::on(engine).with("TURNPIKE_STRIPE_API_BASE", &stripe.base()).run(|app| body(app, stripe));
    }
}

async fn later(milliseconds: u64) {
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
}

#[test]
fn an_answer_that_was_overtaken_by_an_event_is_asked_for_again() {
    with_scripted_stripe(|app, stripe| async move {
        let ada = app.member_after_trial().await;
        let old = ada.is_subscribed_by_event("sub_1").await;
        app.move_to(old.end);
        let new = old.renewed();
        stripe.will_answer(800, &old.object());
        stripe.will_answer(0, &new.object());
        let event = new.event("evt_new", "updated", app.now());
        let (page, answer) = join!(ada.get("/premium"), async {
            later(300).await;
            app.deliver(&event).await
        });
        assert_eq!((page.status, answer.status), (200, 200));
        assert_eq!(stripe.asked(), ["GET /v1/subscriptions/sub_1"; 2], "the older answer was taken for the truth");
        let me = ada.me().await;
        assert_eq!(instant(&me["subscription"]["current_period_end"]), Some(new.end), "{me}");
    });
}

#[test]
fn of_two_refreshes_at_once_the_older_answer_does_not_win() {
    with_scripted_stripe(|app, stripe| async move {
        let ada = app.member_after_trial().await;
        let old = ada.is_subscribed_by_event("sub_1").await;
        let (past_due, renewed) = (old.renewed().status("past_due"), old.renewed());
        stripe.will_answer(800, &past_due.object());
        stripe.will_answer(0, &renewed.object());
        stripe.will_answer(0, &renewed.object());
        let billing = app.billing().await;
        let (first, second) = join!(billing.refresh("sub_1"), async {
            later(300).await;
            billing.refresh("sub_1").await
        });
        first.unwrap();
        second.unwrap();
        assert_eq!(stripe.asked().len(), 3, "the answer that was overtaken must be asked for again");
        assert_eq!(ada.me().await["subscription"]["status"], "active");
    });
}

#[test]
fn an_answer_is_newer_than_an_event_of_its_very_second() {
    with_scripted_stripe(|app, stripe| async move {
        let ada = app.member_after_trial().await;
        let renewed = ada.is_subscribed_by_event("sub_1").await;
        let ending = Snapshot { cancel_at_period_end: true, ..renewed.clone() };
        let billing = app.billing().await;
        for (answer, at_period_end) in [(&ending, true), (&renewed, false), (&ending, true)] {
            stripe.will_answer(0, &answer.object());
            billing.refresh("sub_1").await.unwrap();
            assert_eq!(ada.me().await["subscription"]["cancel_at_period_end"], at_period_end);
        }
        app.deliver(&renewed.event("evt_late", "updated", app.now())).await.is(200);
        assert_eq!(ada.me().await["subscription"]["cancel_at_period_end"], true, "an event of that second came later");
        app.deliver(&renewed.event("evt_newer", "updated", app.now() + TimeDelta::seconds(1))).await.is(200);
        assert_eq!(ada.me().await["subscription"]["cancel_at_period_end"], false);
    });
}

#[test]
fn an_answer_about_another_subscription_is_none() {
    with_scripted_stripe(|app, stripe| async move {
        let ada = app.member_after_trial().await;
        let stored = ada.is_subscribed_by_event("sub_1").await;
        let other = Snapshot { id: "sub_2".into(), ..stored.canceled(app.now()) };
        for wrong in [other.object(), json!({}), json!([]), json!({ "id": null })] {
            stripe.will_answer(0, &wrong);
            assert!(app.billing().await.refresh("sub_1").await.is_err(), "{wrong}");
        }
        assert_eq!(ada.me().await["subscription"]["status"], "active");
        assert_eq!(app.database.count("subscriptions", "provider_id = 'sub_2'"), 0);
    });
}

#[test]
fn the_gate_does_not_wait_for_a_stripe_that_hangs() {
    with_scripted_stripe(|app, stripe| async move {
        let ada = app.member_after_trial().await;
        let old = ada.is_subscribed_by_event("sub_1").await;
        app.move_to(old.end);
        stripe.will_answer(30_000, &old.renewed().object());
        let start = Instant::now();
        ada.get("/premium").await.is(403);
        assert!(start.elapsed() < Duration::from_secs(5), "the reader waited {:?}", start.elapsed());
    });
}

async fn stripe_is_asked_once_a_minute_however_often_somebody_comes(app: App) {
    let ada = app.member_after_trial().await;
    ada.pays_for("monthly").await;
    let end = instant(&ada.me().await["subscription"]["current_period_end"]).unwrap();
    hold_everything(&app).await;
    app.sandbox(
        Method::POST,
        "/_sandbox/fail",
        json!({ "path_prefix": "/v1/subscriptions", "status": 404, "times": 99 }),
    )
    .await;
    app.move_to(end);
    ada.log_in().await;
    let before = questions(&app).await;
    for _ in 0..5 {
        ada.get("/premium").await.is(403);
    }
    assert_eq!(questions(&app).await - before, 1);
    app.advance(TimeDelta::seconds(61));
    ada.get("/premium").await.is(403);
    ada.get("/premium").await.is(403);
    assert_eq!(questions(&app).await - before, 2);
}

async fn a_doubt_is_settled_at_once_and_the_background_work_asks_again_later(app: App) {
    let ada = app.member_after_trial().await;
    hold_everything(&app).await;
    let session = ada.opens_checkout("monthly").await;
    app.sandbox(Method::POST, &format!("/_sandbox/checkout/{session}"), json!({ "outcome": "paid" })).await;
    let list = app.sandbox(Method::GET, "/v1/subscriptions?limit=1", Value::Null).await;
    let real = &list["data"][0];
    let id = real["id"].as_str().unwrap();
    let customer = real["customer"].as_str().unwrap();
    let mut stated = Snapshot::active(id, customer, &ada.id().await, app.now()).status("a_word_of_tomorrow");

    let before = questions(&app).await;
    app.deliver(&stated.event("evt_1", "created", app.now())).await.is(200);
    app.eventually("Stripe's answer", || async { ada.me().await["subscription"]["status"] == "active" }).await;
    assert_eq!(questions(&app).await - before, 1);
    ada.reads().await;

    // Within the minute the background work leaves it alone; then it asks.
    stated.status = "another_word".into();
    app.deliver(&stated.event("evt_2", "updated", app.now() + TimeDelta::seconds(1))).await.is(200);
    assert_eq!(ada.me().await["access"]["granted"], false, "a word that we do not know grants nothing");
    app.run_jobs().await;
    assert_eq!(questions(&app).await - before, 1);
    app.advance(TimeDelta::seconds(61));
    app.run_jobs().await;
    assert_eq!(questions(&app).await - before, 2);
    assert_eq!(ada.me().await["subscription"]["status"], "active");
    app.advance(TimeDelta::seconds(3_600));
    app.run_jobs().await;
    assert_eq!(questions(&app).await - before, 2, "what is settled is not asked about again");
}

async fn who_paid_a_failed_renewal_is_let_in_before_the_webhook_comes(app: App) {
    let ada = app.member_after_trial().await;
    ada.pays_for("monthly").await;
    let customer = app.database.text("SELECT stripe_customer_id FROM users").unwrap();
    let card = format!("/_sandbox/customers/{customer}/card");
    app.sandbox(Method::POST, &card, json!({ "card": "declines" })).await;
    let end = instant(&ada.me().await["subscription"]["current_period_end"]).unwrap();
    app.advance_stripe(end - app.now() + TimeDelta::hours(3)).await;
    ada.log_in().await;
    ada.get("/premium").await.is(403).says("data-reason=\"payment_failed\"");

    hold_everything(&app).await;
    app.sandbox(Method::POST, &card, json!({ "card": "works" })).await;
    app.move_stripe(TimeDelta::days(8)).await;
    ada.reads().await;
}

async fn hold_everything(app: &App) {
    app.sandbox(Method::POST, "/_sandbox/delivery", json!({ "hold": true })).await;
}

/// How often the sandbox was asked about one subscription.
async fn questions(app: &App) -> usize {
    let all = app.sandbox(Method::GET, "/_sandbox/requests", Value::Null).await;
    let one = |call: &&Value| {
        call["method"] == "GET" && call["path"].as_str().is_some_and(|path| path.starts_with("/v1/subscriptions/sub_"))
    };
    all["requests"].as_array().unwrap().iter().filter(one).count()
}

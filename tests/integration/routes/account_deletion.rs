//! `/account/deletion`: nobody is charged who is gone, and nothing is left that tells who it was.

use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{
        app::App,
        client::Answer,
        device::Device,
        member::{Member, PASSWORD},
        payment::Checkout,
        stripe::Snapshot,
    },
};

const ADA: &str = "ada@example.com";

on_both! {
    only_the_owner_with_the_password_deletes,
    when_stripe_does_not_help_nothing_is_deleted,
    everything_that_tells_who_it_was_is_gone,
    the_subscription_ends_at_stripe_first,
    one_that_stripe_does_not_know_any_more_is_no_hindrance,
    a_subscription_of_which_no_message_came_is_ended_too,
    late_events_stay_harmless_and_bring_nothing_back,
    an_open_checkout_is_closed_or_nothing_is_deleted,
    unpaid_and_paused_ones_are_ended_too,
    what_runs_on_for_nobody_is_ended_in_the_background,
    a_wish_for_another_address_brings_nothing_back,
    the_address_can_be_used_again_without_a_second_trial,
    of_a_deletion_and_a_webhook_at_once_both_are_done,
}

async fn deletes(member: &Member) -> Answer {
    member.post("/account/deletion", &[("password", PASSWORD)]).await
}

fn alive(app: &App) -> i64 {
    app.database.count("users", "deleted_at IS NULL")
}

async fn only_the_owner_with_the_password_deletes(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    app.visitor().get("/account/deletion").await.is(303);
    app.visitor().post("/account/deletion", &[("password", PASSWORD), ("email", ADA)]).await.is(303);
    let page = ada.get("/account/deletion").await.is(200).says("can’t be undone").says("28 February 2027");
    page.says("autocomplete=\"current-password\"").says("/account/export");
    for password in ["", "not my password, no"] {
        ada.post("/account/deletion", &[("password", password)]).await.is(422).says("password-error");
    }
    ada.send(Method::POST, "/account/deletion", |request| {
        request.header("Sec-Fetch-Site", "cross-site").form(&[("password", PASSWORD)])
    })
    .await
    .is(403);
    ada.get("/account/deletion?password=x").await.is(200);
    assert_eq!(alive(&app), 1);
    for _ in 0..9 {
        ada.post("/account/deletion", &[("password", "not my password, no")]).await.is(422);
    }
    deletes(&ada).await.is(429);
    assert_eq!(alive(&app), 1);
}

async fn when_stripe_does_not_help_nothing_is_deleted(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    ada.pays_for("monthly").await;
    for fault in [
        json!({ "path_prefix": "/v1/subscriptions", "status": 503, "times": 9 }),
        json!({ "path_prefix": "/v1/subscriptions", "status": 403, "times": 9 }),
        json!({ "path_prefix": "/v1/checkout/sessions", "status": 500, "times": 9 }),
    ] {
        app.stripe_fails(fault.clone()).await;
        let answer = deletes(&ada).await.is(503).says("could not be ended at Stripe");
        answer.says("href=\"/account/deletion\"");
        app.stripe_works().await;
        assert_eq!(alive(&app), 1, "{fault}");
        ada.get("/account").await.is(200);
    }
    deletes(&ada).await.is(200);
    assert_eq!(alive(&app), 0);
}

async fn everything_that_tells_who_it_was_is_gone(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let id = ada.id().await;
    Device::of(&app, &ada).await;
    ada.post("/account/email", &[("email", "countess@example.org"), ("password", PASSWORD)]).await.is(303);
    app.deliver(&Checkout::by(&id, "1").paid(app.now())).await.is(200);
    app.outbox().await;
    let stolen = ada.copy();
    deletes(&ada).await.is(200).says("Your account is deleted");
    for dead in [&ada.copy(), &stolen] {
        dead.get("/account").await.is(303);
        assert_eq!(dead.get_json("/api/v1/me").await.status, 401);
        dead.get("/premium").await.is(303);
    }
    let mails = app.outbox().await;
    let last = mails.last().unwrap();
    assert_eq!((last.to.as_slice(), last.subject.as_str()), (&[ADA.to_owned()][..], "Your account is deleted"));
    assert!(!last.text.contains("Ada"), "{}", last.text);
    for table in ["sessions", "tokens", "second_factors", "recovery_codes"] {
        assert_eq!(app.database.count(table, "1 = 1"), 0, "{table}");
    }
    for trace in ["ada@example", "Lovelace", "countess", "7946"] {
        assert!(!app.database.holds(trace), "{trace} is still somewhere");
    }
    assert_eq!(app.database.count("payments", "status = 'paid'"), 1, "what was paid is kept");
    assert_eq!(app.database.count("trial_grants", "1 = 1"), 1, "the trial is remembered");
    let wrong = app.visitor().post("/login", &[("email", ADA), ("password", PASSWORD)]).await.is(422).text();
    let unknown = app.visitor().post("/login", &[("email", ADA), ("password", "never had one here")]).await.is(422);
    assert_eq!(wrong, unknown.text());
    app.visitor().post("/password/reset", &[("email", ADA)]).await.is(200);
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert_eq!(app.outbox().await.len(), mails.len());
}

async fn the_subscription_ends_at_stripe_first(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    ada.pays_for("monthly").await;
    ada.get("/account/deletion").await.is(200).says("Your subscription ends at once");
    deletes(&ada).await.is(200);
    assert_eq!(app.asked_for("DELETE", "/v1/subscriptions/").await, 1);
    app.deliveries_done().await;
    assert_eq!(app.database.count("subscriptions", "kind = 'recurring' AND status = 'canceled'"), 1);
    app.advance_stripe(TimeDelta::days(400)).await;
    assert_eq!(app.database.count("payments", "happened_at > 0 AND status = 'paid' AND amount > 0"), 0);
}

async fn one_that_stripe_does_not_know_any_more_is_no_hindrance(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    ada.is_subscribed_by_event("sub_lost").await;
    deletes(&ada).await.is(200);
    assert_eq!((alive(&app), app.database.count("subscriptions", "status = 'active'")), (0, 0));
}

async fn a_subscription_of_which_no_message_came_is_ended_too(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let session = ada.opens_checkout("monthly").await;
    app.stripe_keeps_events(true).await;
    app.at_checkout(&session, "paid").await;
    deletes(&ada).await.is(200);
    assert_eq!(app.asked_for("DELETE", "/v1/subscriptions/").await, 1);
    app.stripe_keeps_events(false).await;
    app.deliveries_done().await;
    assert_eq!(app.database.count("subscriptions", "kind = 'recurring' AND status <> 'canceled'"), 0);
}

/// A card, which repeats whose it is.
fn card(customer: &str) -> Value {
    json!({
        "id": "pm_1", "object": "payment_method", "customer": customer, "type": "card",
        "billing_details": { "email": ADA, "name": "Ada Lovelace" },
    })
}

async fn late_events_stay_harmless_and_bring_nothing_back(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let id = ada.id().await;
    ada.opens_checkout("monthly").await;
    let customer = app.database.text("SELECT stripe_customer_id FROM users").unwrap();
    let snapshot = ada.is_subscribed_by_event("sub_1").await;
    let checkout = Checkout::by(&id, "late");
    app.deliver(&checkout.paid(app.now())).await.is(200);
    let early = crate::support::stripe::event("evt_early", "payment_method.attached", app.now(), &card(&customer));
    app.deliver(&early).await.is(200);
    let export: Value = ada.get("/account/export").await.is(200).json();
    assert!(export.to_string().contains("evt_early"), "the export leaves the card out");
    deletes(&ada).await.is(200);
    app.advance(TimeDelta::minutes(1));
    let person = json!({
        "id": "cus_of_sub_1", "object": "customer", "email": ADA, "name": "Ada Lovelace", "metadata": { "user_id": id },
    });
    let card = card(&customer);
    for event in [
        snapshot.renewed().event("evt_renewed", "updated", app.now()),
        checkout.refunded(4_900, app.now()),
        checkout.dispute("closed", "lost", app.now()),
        crate::support::stripe::event("evt_customer", "customer.updated", app.now(), &person),
        Checkout::by(&id, "after").paid(app.now()),
        crate::support::stripe::event("evt_card", "payment_method.attached", app.now(), &card),
        Snapshot::active("sub_2", "cus_of_sub_1", &id, app.now()).event("evt_new", "created", app.now()),
    ] {
        app.deliver(&event).await.is(200);
    }
    assert_eq!(alive(&app), 0);
    // The last mail is on its way until it is sent.
    app.outbox().await;
    for trace in ["ada@example", "Lovelace"] {
        assert!(!app.database.holds(trace), "{trace} came back");
    }
    assert_eq!(app.database.count("webhook_events", "payload IS NOT NULL"), 0);
    assert_eq!(app.database.count("payments", "amount_refunded = 4900"), 1, "it is written down");
    let before = app.outbox().await.len();
    app.run_jobs().await;
    assert_eq!(app.outbox().await.len(), before, "nobody is left to be told");
}

async fn an_open_checkout_is_closed_or_nothing_is_deleted(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let session = ada.opens_checkout("half-year").await;
    let path = format!("/v1/checkout/sessions/{session}/expire");
    app.stripe_fails(json!({ "path_prefix": path, "status": 500, "times": 9 })).await;
    deletes(&ada).await.is(503);
    assert_eq!(alive(&app), 1);
    app.stripe_works().await;
    deletes(&ada).await.is(200);
    assert!(app.asked_for("POST", &path).await > 0);
    assert_eq!(alive(&app), 0);
}

async fn unpaid_and_paused_ones_are_ended_too(app: App) {
    for status in ["unpaid", "paused"] {
        let ada = app.member().await;
        ada.pays_for("monthly").await;
        let stored = app
            .database
            .text("SELECT provider_id FROM subscriptions WHERE kind = 'recurring' AND status <> 'canceled'");
        let stored = stored.unwrap();
        let changed = format!("UPDATE subscriptions SET status = 'expired', provider_status = '{status}'");
        app.database.execute(&format!("{changed} WHERE provider_id = '{stored}'"));
        let fault = json!({ "path_prefix": format!("/v1/subscriptions/{stored}"), "status": 403, "times": 9 });
        app.stripe_fails(fault).await;
        deletes(&ada).await.is(503);
        app.stripe_works().await;
        let before = app.asked_for("DELETE", "/v1/subscriptions/").await;
        deletes(&ada).await.is(200);
        assert_eq!(app.asked_for("DELETE", "/v1/subscriptions/").await, before + 1, "{status}");
        app.deliveries_done().await;
    }
}

async fn what_runs_on_for_nobody_is_ended_in_the_background(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let id = ada.id().await;
    deletes(&ada).await.is(200);
    let late = Snapshot::active("sub_late", "cus_late", &id, app.now());
    app.deliver(&late.event("evt_late", "created", app.now())).await.is(200);
    assert_eq!(app.asked_for("DELETE", "/v1/subscriptions/").await, 0);
    app.run_jobs().await;
    assert_eq!(app.asked_for("DELETE", "/v1/subscriptions/sub_late").await, 1);
    assert_eq!(app.database.count("subscriptions", "status = 'active'"), 0);
    app.run_jobs().await;
    assert_eq!(app.asked_for("DELETE", "/v1/subscriptions/").await, 1, "once is enough");
}

async fn a_wish_for_another_address_brings_nothing_back(app: App) {
    for _ in 0..4 {
        let member = app.member().await;
        let wish = [("email", "countess@example.org"), ("password", PASSWORD)];
        let both = futures_util::future::join(deletes(&member), member.post("/account/email", &wish)).await;
        both.0.is(200);
        assert!(both.1.status < 500, "{:?}", both.1);
        app.outbox().await;
        let kept = app.database.count("users", "deleted_at IS NOT NULL AND email_pending IS NOT NULL");
        assert_eq!(kept, 0, "an address came back");
    }
}

async fn the_address_can_be_used_again_without_a_second_trial(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    deletes(&ada).await.is(200);
    let again = app.visitor();
    again.signs_up(ADA).await.is(303);
    assert_eq!(again.get_json("/api/v1/me").await.json()["access"]["reason"], "never_subscribed");
    assert_eq!((alive(&app), app.database.count("users", "1 = 1")), (1, 2));
}

async fn of_a_deletion_and_a_webhook_at_once_both_are_done(app: App) {
    for round in 0..6 {
        let member = app.member().await;
        let id = member.id().await;
        let name = format!("sub_at_once_{round}");
        let event = Snapshot::active(&name, &format!("cus_{name}"), &id, app.now()).event(&name, "created", app.now());
        let (deleted, delivered) = futures_util::future::join(deletes(&member), app.deliver(&event)).await;
        deleted.is(200);
        delivered.is(200);
        app.run_jobs().await;
        assert_eq!(alive(&app), 0, "round {round}");
        assert_eq!(app.database.count("subscriptions", "status = 'active'"), 0, "round {round}");
    }
}

//! What invoices, charges and disputes tell of money, and the list of it on `/account` (`docs/rules.md §6`).

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{
        app::App,
        member::Member,
        order::{permutations, somebody},
        payment::{Checkout, again, invoice_payment},
        stripe::{Snapshot, event, invoice},
    },
};

on_both! {
    a_strangers_money_is_noted_and_does_nothing,
    the_invoice_of_one_is_not_listed_for_another,
    invoices_for_nothing_or_for_something_else_are_not_listed,
    an_invoice_opens_nothing_and_its_refund_closes_nothing,
    a_failed_invoice_is_told_once_and_not_after_it_was_paid,
    whoever_is_just_subscribing_is_not_told_to_confirm,
    an_invoice_its_payment_and_its_refund_end_the_same_in_all_orders,
    in_the_old_shape_the_invoice_names_its_payment_itself,
    an_amount_is_written_in_the_units_of_its_currency,
    the_newest_24_are_listed_and_nothing_that_was_sent_becomes_markup,
    who_never_paid_has_no_list,
    the_sandbox_charges_refunds_and_disputes,
    the_sandbox_bills_a_subscription_in_both_shapes,
}

/// An invoice of nine euros as Stripe sends it now, in `invoice.{what}`.
fn told(id: &str, what: &str, snapshot: &Snapshot, created: DateTime<Utc>) -> Value {
    let mut object = invoice(&format!("in_{id}"), snapshot, what == "paid");
    object["hosted_invoice_url"] = json!(format!("https://invoice.example/{id}"));
    object["status_transitions"] = json!({ "paid_at": (what == "paid").then_some(created.timestamp()) });
    event(&format!("evt_{id}_{what}"), &format!("invoice.{what}"), created, &object)
}

/// Somebody who has used up the trial, their row, and a subscription of theirs that nobody told of yet.
async fn buyer(app: &App) -> (Member, i64, Snapshot) {
    let ada = app.member_after_trial().await;
    let id = ada.id().await;
    let row = app.database.number(&format!("SELECT id FROM users WHERE public_id = '{id}'")).unwrap();
    (ada, row, Snapshot::active("sub_1", "cus_1", &id, app.now()))
}

/// Tells whose the customer of that subscription is, and nothing else.
async fn link(app: &App, snapshot: &Snapshot) {
    let metadata = json!({ "user_id": snapshot.user });
    let customer = json!({ "id": snapshot.customer, "object": "customer", "metadata": metadata });
    app.deliver(&event(&format!("evt_{}", snapshot.customer), "customer.created", app.now(), &customer)).await.is(200);
}

async fn a_strangers_money_is_noted_and_does_nothing(app: App) {
    let ada = app.member().await;
    let stranger = Checkout { customer: Some("cus_of_a_stranger".into()), ..Checkout::by("nobody", "1") };
    let snapshot = Snapshot { user: None, ..Snapshot::active("sub_1", "cus_of_a_stranger", "", app.now()) };
    let now = app.now();
    let bare = |number: i64, kind: &str, object: Value| event(&format!("evt_bare{number}"), kind, now, &object);
    for event in [
        stranger.charge("succeeded", 0, now),
        stranger.refunded(4_900, now),
        stranger.dispute("created", "needs_response", now),
        stranger.dispute("closed", "lost", now),
        told("1", "paid", &snapshot, now),
        told("1", "payment_failed", &snapshot, now),
        told("1", "payment_action_required", &snapshot, now),
        invoice_payment("1", "in_1", "pi_1", now),
        bare(1, "charge.refunded", json!({})),
        bare(
            2,
            "charge.refunded",
            json!({ "id": "ch_2", "amount": -5, "amount_refunded": i64::MIN, "refunded": true }),
        ),
        bare(3, "charge.dispute.closed", json!({ "id": "du_3", "status": "lost" })),
        bare(4, "invoice_payment.paid", json!({ "id": "inpay_4", "payment": [] })),
        bare(5, "invoice.paid", json!({ "id": "in_5", "customer": { "id": "cus_5" }, "subscription": 7 })),
        bare(6, "invoice.paid", json!({ "id": null })),
        bare(7, "checkout.session.async_payment_failed", json!({ "id": "cs_7", "mode": "payment" })),
        bare(8, "checkout.session.expired", json!({ "mode": "payment" })),
    ] {
        let answer = app.deliver(&event).await;
        assert_eq!(answer.status, 200, "{event}: {}", answer.text());
        assert!(matches!(app.outcome(&event).as_str(), "unmatched" | "ignored"), "{event}");
    }
    assert_eq!((app.payment("1 = 1"), app.database.count("mails", "1 = 1")), (None, 0));
    ada.get("/account").await.is(200).keeps_quiet_about("Payments");
}

async fn the_invoice_of_one_is_not_listed_for_another(app: App) {
    let (_, _, snapshot) = buyer(&app).await;
    let (_, eve) = somebody(&app, "eve");
    link(&app, &snapshot).await;
    let mut mixed = told("1", "paid", &snapshot, app.now());
    mixed["data"]["object"]["parent"]["subscription_details"]["metadata"] = json!({ "user_id": eve });
    app.deliver(&mixed).await.is(200);
    assert_eq!((app.outcome(&mixed).as_str(), app.payment("1 = 1")), ("ignored", None));

    // The subscription is kept for one, the customer is another's.
    app.deliver(&snapshot.event("evt_sub", "created", app.now())).await.is(200);
    let others = Snapshot { customer: "cus_of_eve".to_owned(), user: Some(eve), ..snapshot };
    link(&app, &others).await;
    let mixed = told("2", "paid", &others, app.now());
    app.deliver(&mixed).await.is(200);
    assert_eq!((app.outcome(&mixed).as_str(), app.payment("1 = 1")), ("ignored", None));
}

async fn invoices_for_nothing_or_for_something_else_are_not_listed(app: App) {
    let (ada, _, snapshot) = buyer(&app).await;
    link(&app, &snapshot).await;
    let mut free = told("1", "paid", &snapshot, app.now());
    free["data"]["object"]["amount_paid"] = json!(0);
    let mut foreign = told("2", "paid", &snapshot, app.now());
    foreign["data"]["object"]["lines"]["data"] =
        json!([{ "amount": 900, "pricing": { "price_details": { "price": "price_foreign" } } }]);
    let mut single = told("3", "paid", &snapshot, app.now());
    single["data"]["object"]["parent"] = Value::Null;
    for event in [free, foreign, single] {
        app.deliver(&event).await.is(200);
        assert_eq!((app.outcome(&event).as_str(), app.payment("1 = 1")), ("ignored", None), "{event}");
    }
    ada.get("/account").await.is(200).keeps_quiet_about("Payments");

    // Paid from the customer's balance after a failure: no money came, and none is owed.
    app.deliver(&told("4", "payment_failed", &snapshot, app.now())).await.is(200);
    let mut settled = told("4", "paid", &snapshot, app.now());
    settled["data"]["object"]["amount_paid"] = json!(0);
    app.deliver(&settled).await.is(200);
    assert!(app.payment("provider_invoice_id = 'in_4'").unwrap().starts_with("subscription paid 0 "));
}

async fn an_invoice_opens_nothing_and_its_refund_closes_nothing(app: App) {
    let (ada, row, snapshot) = buyer(&app).await;
    link(&app, &snapshot).await;
    let now = app.now();
    let charge = Checkout { amount: 900, ..Checkout::by("", "1") };
    app.deliver(&told("1", "paid", &snapshot, now)).await.is(200);
    app.deliver(&invoice_payment("1", "in_1", "pi_1", now)).await.is(200);
    assert_eq!(ada.me().await["access"]["granted"], false, "a payment alone opened the gate");

    app.deliver(&snapshot.event("evt_sub", "created", now)).await.is(200);
    ada.reads().await;
    app.deliver(&charge.refunded(900, now)).await.is(200);
    app.deliver(&charge.dispute("closed", "lost", now)).await.is(200);
    ada.reads().await;
    assert_eq!(app.mails(row, "refunded"), 1);
    ada.get("/account").await.is(200).says("data-payment=\"charged_back\"").says("€9.00 refunded").says("Monthly");
}

async fn a_failed_invoice_is_told_once_and_not_after_it_was_paid(app: App) {
    let (ada, row, snapshot) = buyer(&app).await;
    app.deliver(&snapshot.event("evt_sub", "created", app.now())).await.is(200);
    for (days, what) in
        [(0, "payment_failed"), (0, "payment_action_required"), (3, "payment_failed"), (8, "payment_failed")]
    {
        let failed = told("1", what, &snapshot, app.now() + TimeDelta::days(days));
        app.deliver(&again(&failed)).await.is(200);
        let mut another = again(&failed);
        another["id"] = json!(format!("evt_{days}_{what}"));
        app.deliver(&another).await.is(200);
    }
    assert_eq!(app.mails(row, "payment_failed"), 1);
    let notice = app.database.text("SELECT notice FROM mails").unwrap();
    assert!(notice.contains("\"plan\":\"monthly\"") && notice.contains("\"minor\":900"), "{notice}");
    ada.get("/account").await.is(200).says("data-payment=\"failed\"");
    app.deliver(&told("1", "paid", &snapshot, app.now() + TimeDelta::days(9))).await.is(200);
    ada.get("/account").await.is(200).says("data-payment=\"paid\"").keeps_quiet_about("data-payment=\"failed\"");

    // The other way round: the failure is old news.
    app.deliver(&told("2", "paid", &snapshot, app.now())).await.is(200);
    let late = told("2", "payment_failed", &snapshot, app.now());
    app.deliver(&late).await.is(200);
    assert_eq!((app.outcome(&late).as_str(), app.mails(row, "payment_failed")), ("stale", 1));
    assert_eq!(
        app.database.count("payments", "status = 'paid' AND failed_at IS NOT NULL"),
        2,
        "that it failed is kept"
    );
}

async fn whoever_is_just_subscribing_is_not_told_to_confirm(app: App) {
    let (_, row, snapshot) = buyer(&app).await;
    link(&app, &snapshot).await;
    for (id, reason, mails) in [("1", "subscription_create", 0), ("2", "subscription_cycle", 1)] {
        let mut asked = told(id, "payment_action_required", &snapshot, app.now());
        asked["data"]["object"]["billing_reason"] = json!(reason);
        app.deliver(&asked).await.is(200);
        assert_eq!(app.mails(row, "payment_failed"), mails, "{reason}");
    }
    assert_eq!(app.database.count("payments", "status = 'pending'"), 2);
}

/// Every order of `events`, each for somebody new. All must end with the same row, and nothing may still wait.
async fn all_orders(app: &App, events: impl Fn(&str, &Snapshot) -> Vec<Value>) -> String {
    let mut ends = Vec::new();
    let count = events("", &Snapshot::active("", "", "", app.now())).len();
    for (number, order) in permutations(count).into_iter().enumerate() {
        let name = format!("number{number}");
        let (user, public_id) = somebody(app, &name);
        let snapshot = Snapshot::active(&format!("sub_{name}"), &format!("cus_{name}"), &public_id, app.now());
        let events = events(&name, &snapshot);
        for position in &order {
            let answer = app.deliver(&events[*position]).await;
            assert_eq!(answer.status, 200, "{order:?}: {}", answer.text());
        }
        let left = format!("event_id LIKE 'evt_{name}_%' AND outcome IN ('unmatched', 'failed', 'pending')");
        assert_eq!(app.database.count("webhook_events", &left), 0, "{order:?}: something still waits");
        assert_eq!(app.database.count("payments", &format!("user_id = {user}")), 1, "{order:?}");
        assert_eq!(app.mails(user, "refunded"), 1, "{order:?}");
        ends.push((order, app.payment(&format!("user_id = {user}")).unwrap().replace(&name, "NAME")));
    }
    for (order, end) in &ends {
        assert_eq!(*end, ends[0].1, "{order:?}");
    }
    ends.swap_remove(0).1
}

async fn an_invoice_its_payment_and_its_refund_end_the_same_in_all_orders(app: App) {
    let now = app.now();
    let end = all_orders(&app, |name, snapshot| {
        // Only the subscription says whose all of this is.
        let charge = Checkout { amount: 900, customer: Some(snapshot.customer.clone()), ..Checkout::by("", name) };
        vec![
            snapshot.event(&format!("evt_{name}_sub"), "created", now),
            told(name, "paid", snapshot, now),
            invoice_payment(name, &format!("in_{name}"), &format!("pi_{name}"), now),
            charge.charge("succeeded", 0, now),
            charge.refunded(900, now),
        ]
    });
    let end = end.await;
    assert!(end.starts_with("subscription paid 900 900 eur"), "{end}");
    for known in ["https://invoice.example/NAME", "pi_NAME", "ch_NAME", "in_NAME", "sub_NAME"] {
        assert!(end.contains(known), "{known} is missing: {end}");
    }
}

async fn in_the_old_shape_the_invoice_names_its_payment_itself(app: App) {
    let now = app.now();
    let end = all_orders(&app, |name, snapshot| {
        let charge = Checkout { amount: 900, customer: Some(snapshot.customer.clone()), ..Checkout::by("", name) };
        let mut paid = told(name, "paid", snapshot, now);
        let object = paid["data"]["object"].as_object_mut().unwrap();
        object.remove("parent");
        object.insert("subscription".to_owned(), json!(snapshot.id));
        object.insert("payment_intent".to_owned(), json!(format!("pi_{name}")));
        let mut refunded = charge.refunded(900, now);
        refunded["data"]["object"]["invoice"] = json!(format!("in_{name}"));
        vec![
            snapshot.event(&format!("evt_{name}_sub"), "created", now),
            paid,
            charge.charge("succeeded", 0, now),
            refunded,
        ]
    });
    let end = end.await;
    assert!(end.starts_with("subscription paid 900 900 eur"), "{end}");
}

async fn an_amount_is_written_in_the_units_of_its_currency(app: App) {
    let ada = app.member().await;
    let user = ada.id().await;
    for (currency, amount, words) in [
        ("jpy", 4_900, "¥4,900"),
        ("kwd", 4_900, "4.900 KWD"),
        ("isk", 4_900, "49 ISK"),
        ("chf", 123_456, "1,234.56 CHF"),
    ] {
        let checkout = Checkout { currency: currency.to_owned(), amount, ..Checkout::by(&user, currency) };
        app.deliver(&checkout.paid(app.now())).await.is(200);
        app.deliver(&checkout.refunded(amount, app.now())).await.is(200);
        ada.get("/account").await.is(200).says(&format!(">{words}<")).says(&format!("{words} refunded"));
    }
}

async fn the_newest_24_are_listed_and_nothing_that_was_sent_becomes_markup(app: App) {
    let ada = app.member().await;
    let user = ada.id().await;
    let nasty = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>";
    for number in 0..24 {
        let checkout = Checkout { amount: 1_000 + number, ..Checkout::by(&user, &number.to_string()) };
        app.deliver(&checkout.paid(app.now() - TimeDelta::days(number))).await.is(200);
    }
    ada.get("/account").await.is(200).says("€10.23").keeps_quiet_about("These are the newest");
    let metadata = json!({ "user_id": user, "plan": nasty, "months": "1" });
    let last = Checkout { metadata, amount: 1, ..Checkout::by(&user, "last") };
    app.deliver(&last.paid(app.now() + TimeDelta::seconds(1))).await.is(200);
    for receipt in ["javascript:alert(1)", "data:text/html,x", "//evil.example", nasty] {
        let mut charge = again(&last.charge("succeeded", 0, app.now()));
        charge["id"] = json!(format!("evt_{receipt:.9}"));
        charge["data"]["object"]["receipt_url"] = json!(receipt);
        app.deliver(&charge).await.is(200);
    }
    let page = ada.get("/account").await.is(200).says("These are the newest 24").keeps_quiet_about("€10.23");
    let page = page.keeps_quiet_about("<script>alert").keeps_quiet_about("<img").keeps_quiet_about("javascript:");
    let text = page.text();
    assert_eq!(text.matches("data-payment=").count(), 24);
    assert!(!text.contains("Receipt"), "a receipt that is no address was linked");
    assert!(text.find("€0.01").unwrap() < text.find("€10.00").unwrap(), "the newest does not come first");

    let mut charge = last.charge("succeeded", 0, app.now());
    charge["data"]["object"]["receipt_url"] = json!("https://pay.example/?a=1&b=\"><script>");
    app.deliver(&charge).await.is(200);
    let page = ada.get("/account").await.is(200).keeps_quiet_about("b=\"><script>");
    page.says("<a href=\"https://pay.example/?a=1&#38;b=&#34;&#62;&#60;script&#62;\" rel=\"noopener\">");
}

async fn who_never_paid_has_no_list(app: App) {
    let (ada, eve) = (app.member().await, app.member().await);
    app.deliver(&Checkout::by(&eve.id().await, "1").paid(app.now())).await.is(200);
    ada.get("/account").await.is(200).keeps_quiet_about("Payments").keeps_quiet_about("data-payment");
    eve.get("/account").await.is(200).says("Payments").says("31 August 2026, 12:15 CEST");
}

/// From the button to the money that goes back, with nothing made up in between.
async fn the_sandbox_charges_refunds_and_disputes(app: App) {
    let ada = app.member().await;
    let ends = async |session: &str, outcome: &str| {
        let path = format!("/_sandbox/checkout/{session}");
        app.sandbox(Method::POST, &path, json!({ "outcome": outcome })).await;
        app.deliveries_done().await;
        ada.me().await["access"]["until"].clone()
    };
    let trial = ada.me().await["access"]["until"].clone();
    assert_eq!(ends(&ada.opens_checkout("half-year").await, "expired").await, trial);
    let declined = ada.opens_checkout("half-year").await;
    assert_eq!(ends(&declined, "declined").await, trial);
    assert_eq!(ends(&ada.opens_checkout("half-year").await, "unpaid_then_failed").await, trial);
    app.advance_stripe(TimeDelta::seconds(10)).await;
    assert_eq!(ada.me().await["access"]["until"], trial);
    ada.get("/account").await.is(200).says("data-payment=\"failed\"");

    assert_eq!(ends(&ada.opens_checkout("half-year").await, "unpaid_then_paid").await, trial, "it is not paid yet");
    app.advance_stripe(TimeDelta::seconds(10)).await;
    assert_eq!(ada.me().await["access"]["until"], "2027-08-28T10:15:30Z");
    let paid = app.payment("status = 'paid'").unwrap();
    let intent = paid.split(' ').find(|word| word.starts_with("pi_")).unwrap().to_owned();
    ada.get("/account")
        .await
        .is(200)
        .says("€49.00")
        .says("Receipt")
        .says(&format!("{}/receipts/", app.sandbox_address()));

    app.at_stripe(Method::POST, "/v1/refunds", &[("payment_intent", &intent), ("amount", "900")]).await;
    app.deliveries_done().await;
    assert_eq!(ada.me().await["access"]["until"], "2027-08-28T10:15:30Z");
    ada.get("/account").await.is(200).says("€9.00 refunded");
    app.at_stripe(Method::POST, "/v1/refunds", &[("payment_intent", &intent)]).await;
    app.deliveries_done().await;
    assert_eq!(ada.me().await["access"]["until"], trial);

    assert_eq!(ends(&ada.opens_checkout("half-year").await, "paid").await, "2027-08-28T10:15:30Z");
    let paid = app.payment("status = 'paid' AND amount_refunded = 0").unwrap();
    let intent = paid.split(' ').find(|word| word.starts_with("pi_")).unwrap().to_owned();
    let dispute = app.sandbox(Method::POST, "/_sandbox/disputes", json!({ "payment_intent": intent })).await;
    let dispute = dispute["id"].as_str().unwrap();
    app.deliveries_done().await;
    ada.get("/account").await.is(200).says("data-payment=\"disputed\"");
    app.sandbox(Method::POST, &format!("/_sandbox/disputes/{dispute}"), json!({ "status": "lost" })).await;
    app.deliveries_done().await;
    assert_eq!(ada.me().await["access"]["until"], trial);
}

async fn the_sandbox_bills_a_subscription_in_both_shapes(app: App) {
    for (shape, order) in [("items", "as_is"), ("subscription", "reversed")] {
        app.sandbox(Method::POST, "/_sandbox/delivery", json!({ "shape": shape, "order": order, "copies": 2 })).await;
        let ada = app.member_after_trial().await;
        let user = ada.id().await;
        let row = app.database.number(&format!("SELECT id FROM users WHERE public_id = '{user}'")).unwrap();
        ada.pays_for("monthly").await;
        app.advance_stripe(TimeDelta::days(32)).await;
        ada.log_in().await;
        let mine = format!("user_id = {row}");
        let whole = "status = 'paid' AND amount = 900 AND provider_payment_id IS NOT NULL AND provider_charge_id IS \
                     NOT NULL AND provider_invoice_id IS NOT NULL AND plan = 'monthly'";
        let paid = app.database.count("payments", &format!("{mine} AND {whole}"));
        assert_eq!((paid, app.database.count("payments", &mine)), (2, 2), "{shape}");
        let account = ada.get("/account").await.is(200).says("Monthly").says("€9.00");
        account.says(&format!("{}/invoices/", app.sandbox_address()));

        let intent = format!("SELECT provider_payment_id FROM payments WHERE {mine} ORDER BY id DESC LIMIT 1");
        let intent = app.database.text(&intent).unwrap();
        app.at_stripe(Method::POST, "/v1/refunds", &[("payment_intent", &intent)]).await;
        app.deliveries_done().await;
        ada.get("/account").await.is(200).says("data-payment=\"refunded\"");
        ada.reads().await;
        assert_eq!((app.mails(row, "refunded"), app.mails(row, "payment_failed")), (1, 0), "{shape}");
    }
}

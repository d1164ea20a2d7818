//! Months that are paid once (`docs/rules.md §6`), told by Stripe's events alone.

use chrono::{DateTime, Months, TimeDelta, Utc};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{
        app::App,
        member::{Member, instant},
        order::somebody,
        payment::{Checkout, again},
    },
};

on_both! {
    what_is_not_paid_gives_nothing,
    what_fails_in_the_end_gives_nothing_and_is_told_once,
    a_failure_after_the_payment_changes_nothing,
    the_money_of_one_gives_nothing_to_another,
    nobody_is_found_by_an_address,
    a_checkout_of_something_else_gives_nothing,
    a_payment_counts_once_however_often_it_is_told,
    what_went_back_is_not_given_again,
    a_payment_extends_the_trial,
    free_of_charge_is_paid,
    a_plan_that_is_no_longer_sold_is_honoured_as_it_was_bought,
    payments_at_once_all_count,
    a_payment_after_the_end_begins_anew,
    a_refund_in_part_takes_nothing_back,
    a_refund_in_full_takes_back_what_is_left_and_closes_the_gate,
    a_refund_of_one_of_two_leaves_the_other,
    a_refund_after_the_end_changes_nothing,
    a_part_that_is_lost_in_a_dispute_takes_nothing_back_until_all_is_gone,
    only_a_lost_dispute_takes_something_back,
    who_was_not_known_gets_their_months_when_they_are,
    a_checkout_tells_whose_customer_it_is,
    the_return_page_waits_for_its_own_checkout,
}

fn until(me: &Value) -> Option<DateTime<Utc>> {
    instant(&me["access"]["until"])
}

/// Somebody who has used up the trial, their row, and a checkout of theirs.
async fn buyer(app: &App) -> (Member, i64, Checkout) {
    let ada = app.member_after_trial().await;
    let id = ada.id().await;
    let row = app.database.number(&format!("SELECT id FROM users WHERE public_id = '{id}'")).unwrap();
    (ada, row, Checkout::by(&id, "1"))
}

async fn what_is_not_paid_gives_nothing(app: App) {
    let (ada, row, checkout) = buyer(&app).await;
    let expired = checkout.session("expired", "unpaid", app.now());
    app.deliver(&expired).await.is(200);
    assert_eq!((app.outcome(&expired).as_str(), app.payment("1 = 1")), ("ignored", None));
    for status in ["unpaid", "PAID", "a_word_of_tomorrow"] {
        app.deliver(&checkout.session("completed", status, app.now())).await.is(200);
        assert_eq!(ada.me().await["access"]["granted"], false, "{status}");
    }
    let charged = checkout.charge("succeeded", 0, app.now());
    app.deliver(&charged).await.is(200);
    assert_eq!(ada.me().await["access"]["granted"], false, "a charge alone opened the gate");
    assert_eq!(app.prepaid(row), None);
    ada.get("/premium").await.is(403);
    ada.get("/account").await.is(200).says("data-payment=\"pending\"").says("Being confirmed");
}

async fn what_fails_in_the_end_gives_nothing_and_is_told_once(app: App) {
    let (ada, row, checkout) = buyer(&app).await;
    app.deliver(&checkout.unpaid(app.now())).await.is(200);
    let failed = checkout.failed(app.now());
    for event in [&failed, &failed, &again(&failed)] {
        app.deliver(event).await.is(200);
    }
    assert_eq!(ada.me().await["access"]["granted"], false);
    assert_eq!((app.prepaid(row), app.mails(row, "payment_failed")), (None, 1));
    ada.get("/account").await.is(200).says("data-payment=\"failed\"").says("Not paid");
}

async fn a_failure_after_the_payment_changes_nothing(app: App) {
    let (ada, row, checkout) = buyer(&app).await;
    app.deliver(&checkout.paid_late(app.now())).await.is(200);
    let before = (app.payment("1 = 1"), app.prepaid(row));
    let failed = checkout.failed(app.now());
    app.deliver(&failed).await.is(200);
    assert_eq!((app.payment("1 = 1"), app.prepaid(row)), before);
    assert_eq!((app.outcome(&failed).as_str(), app.mails(row, "payment_failed")), ("stale", 0));
    ada.reads().await;
}

async fn the_money_of_one_gives_nothing_to_another(app: App) {
    let (ada, row, checkout) = buyer(&app).await;
    let (eve, eves) = somebody(&app, "eve");
    app.database.execute(&format!("UPDATE users SET stripe_customer_id = 'cus_of_eve' WHERE id = {eve}"));
    let (user, name) = (ada.id().await, |name: &str| Checkout { name: name.to_owned(), ..checkout.clone() });
    let mixed = [
        Checkout { customer: Some("cus_of_eve".to_owned()), ..name("customer") },
        Checkout { reference: Some(eves.clone()), ..name("reference") },
        Checkout { reference: Some(user), metadata: Checkout::by(&eves, "").metadata, ..name("metadata") },
    ];
    for checkout in &mixed {
        let paid = checkout.paid(app.now());
        app.deliver(&paid).await.is(200);
        assert_eq!(app.outcome(&paid), "ignored", "{paid}");
        let detail = format!("SELECT detail FROM webhook_events WHERE event_id = '{}'", paid["id"].as_str().unwrap());
        assert!(app.database.text(&detail).unwrap().starts_with("conflict: "), "{paid}");
    }
    assert_eq!((app.prepaid(row), app.prepaid(eve), app.payment("1 = 1")), (None, None, None));

    // A payment that counted for one is not moved to another.
    app.deliver(&checkout.paid(app.now())).await.is(200);
    let taken = Checkout { intent: checkout.intent.clone(), ..Checkout::by(&eves, "2") }.paid(app.now());
    app.deliver(&taken).await.is(200);
    assert_eq!((app.outcome(&taken).as_str(), app.prepaid(eve)), ("ignored", None));
    ada.reads().await;
}

async fn nobody_is_found_by_an_address(app: App) {
    let (ada, row, checkout) = buyer(&app).await;
    let nameless = Checkout { reference: None, metadata: json!({ "plan": "half-year", "months": "6" }), ..checkout };
    let mut paid = nameless.paid(app.now());
    paid["data"]["object"]["customer_details"]["email"] = json!(ada.email);
    paid["data"]["object"]["customer_email"] = json!(ada.email);
    app.deliver(&paid).await.is(200);
    assert_eq!((app.outcome(&paid).as_str(), app.prepaid(row)), ("unmatched", None));
}

async fn a_checkout_of_something_else_gives_nothing(app: App) {
    let (ada, _, checkout) = buyer(&app).await;
    let user = ada.id().await;
    for (number, metadata) in [
        json!(null),
        json!({}),
        json!({ "user_id": user }),
        json!({ "user_id": user, "months": "6" }),
        // Without a number of months a plan must say it.
        json!({ "user_id": user, "plan": "monthly" }),
        json!({ "user_id": user, "plan": "a-plan-of-yesterday" }),
        json!({ "user_id": user, "plan": "monthly", "months": "0" }),
        json!({ "user_id": user, "plan": "monthly", "months": "121" }),
        json!({ "user_id": user, "plan": "monthly", "months": "-6" }),
        json!({ "user_id": user, "plan": "monthly", "months": "six" }),
    ]
    .into_iter()
    .enumerate()
    {
        let paid = Checkout { name: number.to_string(), metadata, ..checkout.clone() }.paid(app.now());
        app.deliver(&paid).await.is(200);
        assert_eq!(app.outcome(&paid), "ignored", "{paid}");
    }
    for mode in ["setup", "subscription", "barter"] {
        let mut paid = Checkout { name: mode.to_owned(), ..checkout.clone() }.paid(app.now());
        paid["data"]["object"]["mode"] = json!(mode);
        app.deliver(&paid).await.is(200);
    }
    let mut live = Checkout { name: "live".to_owned(), ..checkout }.paid(app.now());
    live["livemode"] = json!(true);
    app.deliver(&live).await.is(200);
    assert_eq!(app.payment("1 = 1"), None);
    assert_eq!(ada.me().await["access"]["granted"], false);
}

async fn a_payment_counts_once_however_often_it_is_told(app: App) {
    let (ada, row, checkout) = buyer(&app).await;
    let paid = checkout.paid(app.now());
    for answer in join_all((0..20).map(|_| app.deliver(&paid))).await {
        answer.is(200);
    }
    let end = app.now() + Months::new(6);
    assert_eq!(until(&ada.me().await), Some(end));
    let others = [
        again(&paid),
        checkout.paid_late(app.now()),
        // The same session without its payment, and the same payment in another session.
        again(&Checkout { intent: None, ..checkout.clone() }.paid_late(app.now())),
        Checkout { name: "2".to_owned(), ..checkout.clone() }.paid(app.now()),
    ];
    for event in &others {
        app.deliver(event).await.is(200);
        assert_eq!(until(&ada.me().await), Some(end), "{event}");
    }
    assert_eq!(app.database.count("payments", &format!("user_id = {row}")), 1);
    assert_eq!(app.database.count("subscriptions", "kind = 'prepaid'"), 1);
}

async fn what_went_back_is_not_given_again(app: App) {
    let (ada, row, checkout) = buyer(&app).await;
    app.deliver(&checkout.paid(app.now())).await.is(200);
    ada.reads().await;
    app.deliver(&checkout.refunded(4_900, app.now())).await.is(200);
    let before = (app.payment("1 = 1"), app.prepaid(row));
    for event in [
        checkout.paid(app.now()),
        again(&checkout.paid(app.now())),
        checkout.paid_late(app.now()),
        again(&checkout.refunded(4_900, app.now())),
        checkout.dispute("closed", "lost", app.now()),
    ] {
        app.deliver(&event).await.is(200);
        ada.get("/premium").await.is(403);
    }
    assert_eq!(app.prepaid(row), before.1);
    assert_eq!(app.mails(row, "refunded"), 1);
}

async fn a_payment_extends_the_trial(app: App) {
    let ada = app.member().await;
    let checkout = Checkout::by(&ada.id().await, "1");
    app.deliver(&checkout.paid(app.now())).await.is(200);
    let me = ada.me().await;
    // The trial ends on the last day of February; six months later it is the 28th again.
    assert_eq!(until(&me), Some("2027-08-28T10:15:30Z".parse().unwrap()), "{me}");
    assert_eq!((&me["subscription"]["kind"], &me["access"]["by"]), (&json!("prepaid"), &json!("prepaid")));
    assert_eq!((&me["subscription"]["plan"], &me["access"]["renews"]), (&json!("half-year"), &json!(false)));
    let account = ada.get("/account").await.is(200).says("Six months, paid once").says("€49.00");
    account.says("Ends on").says("28 August 2027, 12:15 CEST").says("data-payment=\"paid\"");

    // A second one goes on from there, and all of it is used up at that instant.
    app.deliver(&Checkout { name: "2".to_owned(), intent: None, ..checkout }.paid(app.now())).await.is(200);
    let end = "2028-02-28T10:15:30Z".parse().unwrap();
    assert_eq!(until(&ada.me().await), Some(end));
    app.move_to(end - TimeDelta::seconds(1));
    ada.log_in().await;
    ada.reads().await;
    app.move_to(end);
    ada.get("/premium").await.is(403).says("data-reason=\"period_ended\"");
}

async fn free_of_charge_is_paid(app: App) {
    let (ada, _, checkout) = buyer(&app).await;
    let free = Checkout { intent: None, amount: 0, ..checkout };
    app.deliver(&free.session("completed", "no_payment_required", app.now())).await.is(200);
    assert_eq!(until(&ada.me().await), Some(app.now() + Months::new(6)));
    ada.get("/account").await.is(200).says("€0.00").says("data-payment=\"paid\"");
}

async fn a_plan_that_is_no_longer_sold_is_honoured_as_it_was_bought(app: App) {
    let (ada, _, checkout) = buyer(&app).await;
    let user = ada.id().await;
    let metadata = json!({ "user_id": user, "plan": "two-years", "months": "24" });
    app.deliver(&Checkout { metadata, ..checkout.clone() }.paid(app.now())).await.is(200);
    assert_eq!(until(&ada.me().await), Some(app.now() + Months::new(24)));
    // What the session does not say, the plan says.
    let metadata = json!({ "user_id": user, "plan": "half-year" });
    let second = Checkout { name: "2".to_owned(), intent: None, metadata, ..checkout };
    app.deliver(&second.paid(app.now())).await.is(200);
    assert_eq!(until(&ada.me().await), Some(app.now() + Months::new(30)));
}

async fn payments_at_once_all_count(app: App) {
    let ada = app.member().await;
    let user = ada.id().await;
    let events: Vec<Value> = (0..8).map(|number| Checkout::by(&user, &number.to_string()).paid(app.now())).collect();
    for answer in join_all(events.iter().map(|event| app.deliver(event))).await {
        answer.is(200);
    }
    assert_eq!(until(&ada.me().await), Some(ada.trial_end + Months::new(48)));
    assert_eq!(app.database.count("payments", "added_until IS NOT NULL"), 8);
    assert_eq!(app.database.count("subscriptions", "kind = 'prepaid'"), 1);
}

async fn a_payment_after_the_end_begins_anew(app: App) {
    let (ada, row, checkout) = buyer(&app).await;
    app.deliver(&checkout.paid(app.now())).await.is(200);
    app.advance(TimeDelta::days(200));
    ada.log_in().await;
    ada.get("/premium").await.is(403);
    app.eventually("the gate to mark it", || async { app.prepaid(row).unwrap().starts_with("expired") }).await;
    app.deliver(&Checkout { name: "2".to_owned(), intent: None, ..checkout }.paid(app.now())).await.is(200);
    let me = ada.me().await;
    assert_eq!(until(&me), Some(app.now() + Months::new(6)));
    assert_eq!(instant(&me["subscription"]["current_period_start"]), Some(app.now()));
    ada.reads().await;
}

async fn a_refund_in_part_takes_nothing_back(app: App) {
    let (ada, row, checkout) = buyer(&app).await;
    app.deliver(&checkout.paid(app.now())).await.is(200);
    let before = app.prepaid(row);
    for (refunded, mails) in [(100, 1), (4_899, 2), (200, 2)] {
        // The last is older than what is known: nobody is told that less went back than did.
        app.deliver(&checkout.refunded(refunded, app.now())).await.is(200);
        assert_eq!((app.prepaid(row), app.mails(row, "refunded")), (before.clone(), mails), "{refunded}");
    }
    ada.get("/account").await.is(200).says("data-payment=\"partly_refunded\"").says("€48.99 refunded");
}

async fn a_refund_in_full_takes_back_what_is_left_and_closes_the_gate(app: App) {
    let (ada, _, checkout) = buyer(&app).await;
    app.deliver(&checkout.paid(app.now())).await.is(200);
    app.advance(TimeDelta::days(10));
    ada.reads().await;
    app.deliver(&checkout.refunded(4_900, app.now())).await.is(200);
    ada.get("/premium").await.is(403);
    let me = ada.me().await;
    assert_eq!(instant(&me["subscription"]["current_period_end"]), Some(app.now()), "{me}");
    ada.get("/account").await.is(200).says("data-payment=\"refunded\"").says("€49.00 refunded");

    // In the trial nothing is left but the trial, as if nothing had been bought.
    let eve = app.member().await;
    let checkout = Checkout::by(&eve.id().await, "2");
    app.deliver(&checkout.paid(app.now())).await.is(200);
    app.deliver(&checkout.refunded(4_900, app.now())).await.is(200);
    let me = eve.me().await;
    assert_eq!((until(&me), &me["subscription"]["kind"]), (Some(eve.trial_end), &json!("trial")));
    app.deliver(&Checkout::by(&eve.id().await, "3").paid(app.now())).await.is(200);
    assert_eq!(until(&eve.me().await), Some(eve.trial_end + Months::new(6)));
}

async fn a_refund_of_one_of_two_leaves_the_other(app: App) {
    let (ada, _, first) = buyer(&app).await;
    let second = Checkout::by(&ada.id().await, "2");
    let bought = app.now();
    for checkout in [&first, &second] {
        app.deliver(&checkout.paid(bought)).await.is(200);
    }
    let half = bought + Months::new(6);
    assert_eq!(until(&ada.me().await), Some(half + Months::new(6)));
    app.advance(TimeDelta::days(10));
    app.deliver(&first.refunded(4_900, app.now())).await.is(200);
    assert_eq!(until(&ada.me().await), Some(half + Months::new(6) - (half - bought)), "it goes back by its own length");
    app.deliver(&second.refunded(4_900, app.now())).await.is(200);
    assert_eq!(ada.me().await["access"]["granted"], false);
}

async fn a_refund_after_the_end_changes_nothing(app: App) {
    let (ada, row, checkout) = buyer(&app).await;
    let bought = app.now();
    app.deliver(&checkout.paid(bought)).await.is(200);
    app.advance(TimeDelta::days(400));
    app.deliver(&checkout.refunded(4_900, app.now())).await.is(200);
    ada.log_in().await;
    let me = ada.me().await;
    assert_eq!(instant(&me["subscription"]["current_period_end"]), Some(bought + Months::new(6)), "{me}");
    assert_eq!((&me["access"]["granted"], app.mails(row, "refunded")), (&json!(false), 1));
}

async fn a_part_that_is_lost_in_a_dispute_takes_nothing_back_until_all_is_gone(app: App) {
    for (refund_first, name) in [(false, "1"), (true, "2")] {
        let (ada, row, _) = buyer(&app).await;
        let checkout = Checkout::by(&ada.id().await, name);
        let bought = app.now();
        app.deliver(&checkout.paid(bought)).await.is(200);
        let mut dispute = checkout.dispute("closed", "lost", bought);
        dispute["data"]["object"]["amount"] = json!(1_000);
        let mut events = [dispute, checkout.refunded(3_900, bought)];
        if refund_first {
            events.reverse();
        }
        let [first, second] = events;
        app.deliver(&first).await.is(200);
        assert_eq!(until(&ada.me().await), Some(bought + Months::new(6)), "refund first: {refund_first}");
        app.deliver(&second).await.is(200);
        assert_eq!(ada.me().await["access"]["granted"], false, "refund first: {refund_first}");
        assert_eq!((app.mails(row, "refunded"), app.mails(row, "dispute_lost")), (1, 1));
    }
}

async fn only_a_lost_dispute_takes_something_back(app: App) {
    let (ada, row, checkout) = buyer(&app).await;
    let user = ada.id().await;
    let second = Checkout::by(&user, "2");
    let bought = app.now();
    for checkout in [&checkout, &second] {
        app.deliver(&checkout.paid(bought)).await.is(200);
        app.deliver(&checkout.charge("succeeded", 0, bought)).await.is(200);
        app.deliver(&checkout.dispute("created", "needs_response", bought)).await.is(200);
    }
    let end = bought + Months::new(6) + Months::new(6);
    assert_eq!(until(&ada.me().await), Some(end));
    ada.get("/account").await.is(200).says("data-payment=\"disputed\"");
    app.deliver(&checkout.dispute("closed", "won", bought)).await.is(200);
    assert_eq!(until(&ada.me().await), Some(end));
    ada.get("/account").await.is(200).says("data-payment=\"paid\"");
    // Old objects name the charge alone.
    let mut lost = second.dispute("closed", "lost", bought);
    lost["data"]["object"]["payment_intent"] = Value::Null;
    app.deliver(&lost).await.is(200);
    let length = (bought + Months::new(6) + Months::new(6)) - (bought + Months::new(6));
    assert_eq!(until(&ada.me().await), Some(end - length));
    app.deliver(&second.refunded(4_900, bought)).await.is(200);
    app.deliver(&again(&lost)).await.is(200);
    assert_eq!(until(&ada.me().await), Some(end - length), "it was taken back twice");
    ada.get("/account").await.is(200).says("data-payment=\"charged_back\"");
    assert_eq!(app.mails(row, "dispute_lost"), 1);
    assert_eq!(app.database.count("payments", &format!("user_id = {row} AND dispute = 'won'")), 1);
}

async fn who_was_not_known_gets_their_months_when_they_are(app: App) {
    let (ada, _, checkout) = buyer(&app).await;
    let nameless = Checkout { reference: None, metadata: json!({ "plan": "half-year", "months": "6" }), ..checkout };
    for event in
        [nameless.charge("succeeded", 0, app.now()), nameless.refunded(100, app.now()), nameless.paid(app.now())]
    {
        app.deliver(&event).await.is(200);
        assert_eq!(app.outcome(&event), "unmatched");
    }
    let customer = json!({
        "id": nameless.customer, "object": "customer", "metadata": { "user_id": ada.id().await },
    });
    let linked = crate::support::stripe::event("evt_link", "customer.updated", app.now(), &customer);
    app.deliver(&linked).await.is(200);
    assert_eq!(until(&ada.me().await), Some(app.now() + Months::new(6)));
    assert_eq!(app.database.count("webhook_events", "outcome = 'unmatched'"), 0);
    let account = ada.get("/account").await.is(200).says("€1.00 refunded");
    account.says("<a href=\"https://pay.example/receipts/1\" rel=\"noopener\">");
}

async fn a_checkout_tells_whose_customer_it_is(app: App) {
    let (ada, row, checkout) = buyer(&app).await;
    let nameless = Checkout { reference: None, metadata: json!({ "plan": "half-year" }), ..checkout.clone() };
    let earlier = Checkout { name: "earlier".to_owned(), intent: None, ..nameless }.paid(app.now());
    app.deliver(&earlier).await.is(200);
    assert_eq!(app.outcome(&earlier), "unmatched");
    app.deliver(&checkout.unpaid(app.now())).await.is(200);
    let customer = app.database.text(&format!("SELECT stripe_customer_id FROM users WHERE id = {row}"));
    assert_eq!((customer, app.outcome(&earlier).as_str()), (checkout.customer, "applied"));
    assert_eq!(until(&ada.me().await), Some(app.now() + Months::new(6)));
}

async fn the_return_page_waits_for_its_own_checkout(app: App) {
    let (ada, _, first) = buyer(&app).await;
    let second = Checkout::by(&ada.id().await, "2");
    let (back, back_again) = ("/checkout/return?session_id=cs_1", "/checkout/return?session_id=cs_2");
    ada.get(back).await.is(200).says("data-state=\"nothing\"");
    app.deliver(&first.unpaid(app.now())).await.is(200);
    ada.get(back).await.is(200).says("data-state=\"delayed\"").says("being confirmed by your bank");
    app.deliver(&first.paid_late(app.now())).await.is(200);
    ada.get(back).await.is(200).says("data-state=\"active\"").says("Six months, paid once").says("Ends on");
    ada.get("/checkout/return").await.is(200).says("data-state=\"active\"");

    // What was paid before is not taken for what is paid now, and nobody sees another's.
    ada.get(back_again).await.is(200).says("data-state=\"nothing\"");
    let eve = app.member().await;
    eve.get(back).await.is(200).says("data-state=\"nothing\"");
    app.deliver(&second.failed(app.now())).await.is(200);
    ada.get(back_again).await.is(200).says("data-state=\"failed\"");
    for odd in ["%00", "cs_%00", "cs_1%27--", "%FF", "cs_1&session_id=cs_2"] {
        ada.get(&format!("/checkout/return?session_id={odd}")).await.is(200);
    }
}

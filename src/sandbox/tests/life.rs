//! The life of a subscription as time passes.

use serde_json::{Value, json};

use super::support::{Bench, DAY, HOUR, START, period, text};

/// Type and instant of each event.
fn story(events: &[Value]) -> Vec<(String, i64)> {
    events.iter().map(|event| (text(&event["type"]), event["created"].as_i64().unwrap())).collect()
}

fn told(rows: &[(&str, i64)]) -> Vec<(String, i64)> {
    rows.iter().map(|(kind, at)| ((*kind).to_owned(), *at)).collect()
}

#[actix_web::test]
async fn at_a_renewal_the_period_moves_first_and_is_charged_an_hour_later() {
    let bench = Bench::boot();
    let (_, subscription) = bench.member().await;
    let end = START + 30 * DAY;
    bench.advance(30 * DAY - 1).await;
    assert_eq!(bench.types().await, Vec::<String>::new());
    bench.advance(1).await;
    let events = bench.settled().await;
    assert_eq!(story(&events), told(&[("customer.subscription.updated", end), ("invoice.created", end)]));
    let moved = &events[0]["data"];
    assert_eq!((&moved["object"]["status"], period(&moved["object"])), (&json!("active"), (end, end + 31 * DAY)));
    assert!(moved["previous_attributes"]["items"]["data"][0]["current_period_end"] == json!(end), "{moved}");
    assert_eq!(events[1]["data"]["object"]["status"], "draft");

    bench.advance(HOUR).await;
    let events = bench.settled().await;
    let paid = end + HOUR;
    let expected = [
        ("invoice.finalized", paid),
        ("charge.succeeded", paid),
        ("payment_intent.succeeded", paid),
        ("invoice.paid", paid),
        ("invoice.payment_succeeded", paid),
    ];
    assert_eq!(story(&events), told(&expected));
    let invoice = &events[3]["data"]["object"];
    assert_eq!((&invoice["billing_reason"], &invoice["amount_paid"]), (&json!("subscription_cycle"), &json!(900)));
    assert_eq!(invoice["lines"]["data"][0]["period"], json!({"start": end, "end": end + 31 * DAY}));
    assert_eq!(bench.subscription(&subscription).await["latest_invoice"], invoice["id"]);
    bench.stop().await;
}

#[actix_web::test]
async fn a_year_in_one_step_has_every_renewal_at_its_own_instant() {
    let bench = Bench::boot();
    let (_, subscription) = bench.member().await;
    bench.advance(365 * DAY + 2 * HOUR).await;
    let events = bench.settled().await;
    let instants: Vec<i64> = events.iter().map(|event| event["created"].as_i64().unwrap()).collect();
    assert!(instants.is_sorted(), "{instants:?}");
    let paid = events.iter().filter(|event| event["type"] == "invoice.paid").count();
    assert_eq!(paid, 12);
    assert_eq!(period(&bench.subscription(&subscription).await).0, START + 365 * DAY);
    bench.stop().await;
}

#[actix_web::test]
async fn a_trial_warns_ends_and_is_charged() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    let end = START + 90 * DAY;
    let session =
        bench.session(&customer, "price_monthly", &[("subscription_data[trial_end]", &end.to_string())]).await;
    bench.finish(&session, json!({"outcome": "paid"})).await;
    bench.settled().await;
    bench.advance(90 * DAY + 2 * HOUR).await;
    let events = bench.settled().await;
    let expected = [
        ("customer.subscription.trial_will_end", end - 3 * DAY),
        ("customer.subscription.updated", end),
        ("invoice.created", end),
        ("invoice.finalized", end + HOUR),
        ("charge.succeeded", end + HOUR),
        ("payment_intent.succeeded", end + HOUR),
        ("invoice.paid", end + HOUR),
        ("invoice.payment_succeeded", end + HOUR),
    ];
    assert_eq!(story(&events), told(&expected));
    let updated = &events[1]["data"];
    assert_eq!(
        (&updated["object"]["status"], &updated["previous_attributes"]["status"]),
        (&json!("active"), &json!("trialing"))
    );
    bench.stop().await;
}

#[actix_web::test]
async fn a_failed_renewal_is_tried_again_after_3_5_and_7_days_and_then_ends() {
    let bench = Bench::boot();
    let (customer, subscription) = bench.member().await;
    bench.control(&format!("/_sandbox/customers/{customer}/card"), json!({"card": "declines"})).await.ok();
    bench.settled().await;
    let due = START + 30 * DAY + HOUR;
    bench.advance(30 * DAY + HOUR).await;
    let events = bench.settled().await;
    let types: Vec<String> = events.iter().map(|event| text(&event["type"])).collect();
    let expected = [
        "customer.subscription.updated",
        "invoice.created",
        "invoice.finalized",
        "charge.failed",
        "payment_intent.payment_failed",
        "invoice.payment_failed",
        "customer.subscription.updated",
    ];
    assert_eq!(types, expected);
    let failed = &events[5]["data"]["object"];
    assert_eq!((&failed["status"], &failed["attempt_count"]), (&json!("open"), &json!(1)));
    assert_eq!(failed["next_payment_attempt"], due + 3 * DAY);
    let unpaid = bench.subscription(&subscription).await;
    assert_eq!((&unpaid["status"], period(&unpaid).0), (&json!("past_due"), START + 30 * DAY));

    bench.advance(15 * DAY).await;
    let events = bench.settled().await;
    let failures: Vec<i64> = events
        .iter()
        .filter(|event| event["type"] == "invoice.payment_failed")
        .map(|event| event["created"].as_i64().unwrap())
        .collect();
    assert_eq!(failures, [due + 3 * DAY, due + 8 * DAY, due + 15 * DAY]);
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &last["created"]), (&json!("customer.subscription.deleted"), &json!(due + 15 * DAY)));
    let object = &last["data"]["object"];
    assert_eq!((&object["status"], &object["ended_at"]), (&json!("canceled"), &json!(due + 15 * DAY)));
    assert_eq!(object["cancellation_details"]["reason"], "payment_failed");
    bench.advance(90 * DAY).await;
    assert_eq!(bench.types().await, Vec::<String>::new());
    bench.stop().await;
}

#[actix_web::test]
async fn a_working_card_brings_a_past_due_subscription_back() {
    let bench = Bench::boot();
    let (customer, subscription) = bench.member().await;
    let card = format!("/_sandbox/customers/{customer}/card");
    bench.control(&card, json!({"card": "needs_second_step"})).await.ok();
    bench.advance(30 * DAY + HOUR).await;
    assert!(bench.types().await.contains(&"invoice.payment_action_required".to_owned()));
    assert_eq!(bench.subscription(&subscription).await["status"], "past_due");
    bench.control(&card, json!({"card": "works"})).await.ok();
    bench.settled().await;
    bench.advance(3 * DAY).await;
    let expected = [
        "charge.succeeded",
        "payment_intent.succeeded",
        "invoice.paid",
        "invoice.payment_succeeded",
        "customer.subscription.updated",
    ];
    assert_eq!(bench.types().await, expected);
    let back = bench.subscription(&subscription).await;
    assert_eq!((&back["status"], period(&back).0), (&json!("active"), START + 30 * DAY));
    bench.stop().await;
}

#[actix_web::test]
async fn what_comes_after_the_last_retry_is_a_setting() {
    let bench = Bench::boot();
    for (setting, status) in [("unpaid", "unpaid"), ("past_due", "past_due")] {
        bench.control("/_sandbox/dunning", json!({"after_last_retry": setting})).await.ok();
        let (customer, subscription) = bench.member().await;
        bench.control(&format!("/_sandbox/customers/{customer}/card"), json!({"card": "declines"})).await.ok();
        bench.advance(47 * DAY).await;
        assert_eq!(bench.subscription(&subscription).await["status"], status);
        bench.settled().await;
    }
    bench.stop().await;
}

#[actix_web::test]
async fn cancelling_at_the_period_end_can_be_taken_back_and_ends_at_its_instant() {
    let bench = Bench::boot();
    let (_, subscription) = bench.member().await;
    let path = format!("/v1/subscriptions/{subscription}");
    let end = START + 30 * DAY;
    let ending = bench.post(&path, &[("cancel_at_period_end", "true")]).await.ok();
    assert_eq!(
        (&ending["cancel_at_period_end"], &ending["cancel_at"], &ending["status"]),
        (&json!(true), &json!(end), &json!("active"))
    );
    let going_on = bench.post(&path, &[("cancel_at_period_end", "false")]).await.ok();
    assert_eq!(
        (&going_on["cancel_at_period_end"], &going_on["cancel_at"], &going_on["canceled_at"]),
        (&json!(false), &json!(null), &json!(null))
    );
    bench.post(&path, &[("cancel_at_period_end", "true")]).await.ok();
    assert_eq!(bench.types().await, ["customer.subscription.updated"; 3]);
    bench.advance(30 * DAY).await;
    let events = bench.settled().await;
    assert_eq!(story(&events), told(&[("customer.subscription.deleted", end)]));
    assert_eq!(events[0]["data"]["object"]["ended_at"], end);
    bench.post(&path, &[("cancel_at_period_end", "false")]).await.refused(404);
    bench.stop().await;
}

#[actix_web::test]
async fn a_date_to_end_at_cuts_the_period_short() {
    let bench = Bench::boot();
    let (_, subscription) = bench.member().await;
    let path = format!("/v1/subscriptions/{subscription}");
    bench.post(&path, &[("cancel_at", &START.to_string())]).await.refused(400);
    let at = START + 10 * DAY;
    let ending = bench.post(&path, &[("cancel_at", &at.to_string())]).await.ok();
    assert_eq!((&ending["cancel_at_period_end"], &ending["cancel_at"]), (&json!(false), &json!(at)));
    bench.settled().await;
    bench.advance(10 * DAY).await;
    assert_eq!(story(&bench.settled().await), told(&[("customer.subscription.deleted", at)]));
    bench.stop().await;
}

#[actix_web::test]
async fn cancelling_now_ends_now_and_stays_so() {
    let bench = Bench::boot();
    let (_, subscription) = bench.member().await;
    let path = format!("/v1/subscriptions/{subscription}");
    let ended = bench.delete(&path).await.ok();
    assert_eq!((&ended["status"], &ended["ended_at"]), (&json!("canceled"), &json!(START)));
    assert_eq!(bench.types().await, ["customer.subscription.deleted"]);
    bench.delete(&path).await.refused(404);
    bench.advance(40 * DAY).await;
    assert_eq!(bench.types().await, Vec::<String>::new());
    bench.stop().await;
}

#[actix_web::test]
async fn while_collection_is_paused_periods_move_and_invoices_are_void() {
    let bench = Bench::boot();
    let (_, subscription) = bench.member().await;
    let path = format!("/v1/subscriptions/{subscription}");
    bench.post(&path, &[("pause_collection[behavior]", "nap")]).await.refused(400);
    let resumes = (START + 35 * DAY).to_string();
    let paused = bench
        .post(&path, &[("pause_collection[behavior]", "void"), ("pause_collection[resumes_at]", &resumes)])
        .await
        .ok();
    assert_eq!((&paused["status"], &paused["pause_collection"]["behavior"]), (&json!("active"), &json!("void")));
    bench.settled().await;
    bench.advance(40 * DAY).await;
    let expected = [
        "customer.subscription.updated",
        "invoice.created",
        "invoice.finalized",
        "invoice.voided",
        "customer.subscription.updated",
    ];
    assert_eq!(bench.types().await, expected);
    assert_eq!(bench.subscription(&subscription).await["pause_collection"], json!(null));
    bench.stop().await;
}

#[actix_web::test]
async fn another_price_of_the_same_rhythm_keeps_the_period_and_another_rhythm_starts_one() {
    let bench = Bench::boot();
    let (_, subscription) = bench.member().await;
    let path = format!("/v1/subscriptions/{subscription}");
    let item = text(&bench.subscription(&subscription).await["items"]["data"][0]["id"]);
    bench.advance(15 * DAY).await;
    bench.post(&path, &[("items[0][id]", &item), ("items[0][price]", "price_half_year")]).await.refused(400);
    bench.post(&path, &[("items[0][id]", "si_x"), ("items[0][price]", "price_foreign")]).await.refused(400);
    let foreign = bench.post(&path, &[("items[0][id]", &item), ("items[0][price]", "price_foreign")]).await.ok();
    assert_eq!(
        (&foreign["items"]["data"][0]["price"]["id"], period(&foreign)),
        (&json!("price_foreign"), (START, START + 30 * DAY))
    );
    let now = bench.now();
    let yearly = bench.post(&path, &[("items[0][id]", &item), ("items[0][price]", "price_yearly")]).await.ok();
    assert_eq!(period(&yearly), (now, now + 365 * DAY));
    let events = bench.settled().await;
    let paid = events.iter().find(|event| event["type"] == "invoice.paid").unwrap();
    assert_eq!(paid["data"]["object"]["amount_paid"], 9_000 - 350);
    bench.stop().await;
}

#[actix_web::test]
async fn a_trial_without_a_card_pauses_cancels_or_bills() {
    let bench = Bench::boot();
    let setting = "subscription_data[trial_settings][end_behavior][missing_payment_method]";
    for (behavior, status, event) in [
        ("pause", "paused", "customer.subscription.paused"),
        ("cancel", "canceled", "customer.subscription.deleted"),
        ("create_invoice", "past_due", "invoice.payment_failed"),
    ] {
        let customer = bench.customer().await;
        let more = [
            ("payment_method_collection", "if_required"),
            ("subscription_data[trial_period_days]", "7"),
            (setting, behavior),
        ];
        let session = bench.session(&customer, "price_monthly", &more).await;
        let session = bench.finish(&session, json!({"outcome": "paid"})).await;
        bench.advance(7 * DAY + 2 * HOUR).await;
        assert!(bench.types().await.contains(&event.to_owned()), "{behavior}");
        let id = text(&session["subscription"]);
        assert_eq!(bench.subscription(&id).await["status"], status);
        if behavior == "pause" {
            assert_eq!(bench.post(&format!("/v1/subscriptions/{id}/resume"), &[]).await.ok()["status"], "active");
        }
        bench.delete(&format!("/v1/customers/{customer}")).await.ok();
        bench.settled().await;
    }
    bench.stop().await;
}

#[actix_web::test]
async fn a_subscription_made_by_the_api_waits_for_its_first_payment() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    let form = [("customer", customer.as_str()), ("items[0][price]", "price_monthly")];
    bench.post("/v1/subscriptions", &form).await.refused(400);
    bench
        .post(
            &format!("/v1/customers/{customer}"),
            &[("invoice_settings[default_payment_method]", "pm_card_chargeCustomerFail")],
        )
        .await
        .ok();
    let incomplete = bench.post("/v1/subscriptions", &form).await.ok();
    assert_eq!(incomplete["status"], "incomplete");
    bench.advance(DAY).await;
    assert_eq!(bench.subscription(&text(&incomplete["id"])).await["status"], "incomplete_expired");
    bench
        .post(&format!("/v1/customers/{customer}"), &[("invoice_settings[default_payment_method]", "pm_card_visa")])
        .await
        .ok();
    assert_eq!(bench.post("/v1/subscriptions", &form).await.ok()["status"], "active");
    bench.stop().await;
}

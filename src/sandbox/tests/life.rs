//! The life of a subscription as time passes.

use serde_json::{Value, json};

use super::support::{Bench, DAY, HOUR, START, period, text};

/// Type and instant of each event.
pub fn story(events: &[Value]) -> Vec<(String, i64)> {
    events.iter().map(|event| (text(&event["type"]), event["created"].as_i64().unwrap())).collect()
}

pub fn told(rows: &[(&str, i64)]) -> Vec<(String, i64)> {
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
        ("invoice_payment.paid", paid),
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
        ("invoice_payment.paid", end + HOUR),
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
        "invoice_payment.paid",
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

//! What people and the API change about a subscription: its end, pauses, its price, its trial.

use serde_json::json;

use super::{
    life::{story, told},
    support::{Bench, DAY, HOUR, START, period, text},
};

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
    let error = bench.post(&path, &[("cancel_at_period_end", "false")]).await.refused(400);
    assert!(text(&error["message"]).starts_with("A canceled subscription can only update"), "{error}");
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

//! One-time payments, delayed methods, refunds, disputes, invoices by hand.

use serde_json::json;

use super::support::{Bench, DAY, HOUR, text};

#[actix_web::test]
async fn a_one_time_payment_is_paid_at_once() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    let session = bench.session(&customer, "price_half_year", &[("payment_intent_data[metadata][user]", "u1")]).await;
    bench.settled().await;
    let session = bench.finish(&session, json!({"outcome": "paid"})).await;
    assert_eq!(
        (&session["payment_status"], &session["amount_total"], &session["subscription"]),
        (&json!("paid"), &json!(4900), &json!(null))
    );
    assert_eq!(bench.types().await, ["charge.succeeded", "payment_intent.succeeded", "checkout.session.completed"]);
    let intent = bench.get(&format!("/v1/payment_intents/{}", text(&session["payment_intent"]))).await.ok();
    assert_eq!((&intent["status"], &intent["metadata"]), (&json!("succeeded"), &json!({"user": "u1"})));
    bench.stop().await;
}

#[actix_web::test]
async fn a_delayed_method_is_unpaid_until_the_bank_answers() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    for (outcome, event, status) in [
        ("unpaid_then_paid", "checkout.session.async_payment_succeeded", "paid"),
        ("unpaid_then_failed", "checkout.session.async_payment_failed", "unpaid"),
    ] {
        let session = bench.session(&customer, "price_half_year", &[]).await;
        bench.settled().await;
        let session = bench.finish(&session, json!({"outcome": outcome})).await;
        assert_eq!((&session["status"], &session["payment_status"]), (&json!("complete"), &json!("unpaid")));
        assert_eq!(bench.types().await, ["payment_intent.processing", "checkout.session.completed"]);
        bench.advance(HOUR).await;
        let events = bench.settled().await;
        assert_eq!((&events.last().unwrap()["type"], events.len()), (&json!(event), 3));
        assert_eq!(events.last().unwrap()["data"]["object"]["payment_status"], status);
        bench.advance(DAY).await;
        assert_eq!(bench.types().await, Vec::<String>::new());
    }
    bench.stop().await;
}

#[actix_web::test]
async fn a_delayed_first_payment_of_a_subscription_that_fails_makes_it_past_due() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    let session = bench.session(&customer, "price_monthly", &[]).await;
    let session = bench.finish(&session, json!({"outcome": "unpaid_then_failed"})).await;
    let types = bench.types().await;
    assert!(
        !types.contains(&"invoice.paid".to_owned()) && !types.contains(&"invoice.payment_failed".to_owned()),
        "{types:?}"
    );
    bench.advance(HOUR).await;
    let types = bench.types().await;
    assert!(
        types.contains(&"invoice.payment_failed".to_owned())
            && types.contains(&"checkout.session.async_payment_failed".to_owned()),
        "{types:?}"
    );
    assert_eq!(bench.subscription(&text(&session["subscription"])).await["status"], "past_due");
    bench.stop().await;
}

#[actix_web::test]
async fn a_payment_is_given_back_in_parts_but_not_more_than_once() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    let session = bench.session(&customer, "price_half_year", &[]).await;
    let intent = text(&bench.finish(&session, json!({"outcome": "paid"})).await["payment_intent"]);
    bench.settled().await;
    bench.post("/v1/refunds", &[("payment_intent", "pi_x")]).await.refused(404);
    bench.post("/v1/refunds", &[("payment_intent", &intent), ("amount", "4901")]).await.refused(400);
    assert_eq!(bench.post("/v1/refunds", &[("payment_intent", &intent), ("amount", "900")]).await.ok()["amount"], 900);
    let events = bench.settled().await;
    let charge = &events[1]["data"]["object"];
    assert_eq!(
        (&events[1]["type"], &charge["amount_refunded"], &charge["refunded"]),
        (&json!("charge.refunded"), &json!(900), &json!(false))
    );
    assert_eq!(bench.post("/v1/refunds", &[("payment_intent", &intent)]).await.ok()["amount"], 4000);
    let events = bench.settled().await;
    assert_eq!(events[1]["data"]["object"]["refunded"], true);
    let error = bench.post("/v1/refunds", &[("payment_intent", &intent)]).await.refused(400);
    assert_eq!(error["code"], "charge_already_refunded");
    bench.stop().await;
}

#[actix_web::test]
async fn a_dispute_is_opened_and_lost_or_won() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    for (verdict, after) in [
        ("lost", &["charge.dispute.closed"][..]),
        ("won", &["charge.dispute.closed", "charge.dispute.funds_reinstated"][..]),
    ] {
        let session = bench.session(&customer, "price_half_year", &[]).await;
        let intent = text(&bench.finish(&session, json!({"outcome": "paid"})).await["payment_intent"]);
        bench.settled().await;
        assert_eq!(bench.control("/_sandbox/disputes", json!({"payment_intent": "pi_x"})).await.status, 400);
        let dispute = bench.control("/_sandbox/disputes", json!({"payment_intent": intent})).await.ok();
        assert_eq!(bench.control("/_sandbox/disputes", json!({"payment_intent": intent})).await.status, 400);
        bench.post("/v1/refunds", &[("payment_intent", &intent)]).await.refused(400);
        assert_eq!(bench.types().await, ["charge.dispute.created", "charge.dispute.funds_withdrawn"]);
        let path = format!("/_sandbox/disputes/{}", text(&dispute["id"]));
        assert_eq!(bench.control(&path, json!({"status": verdict})).await.ok()["status"], verdict);
        assert_eq!(bench.control(&path, json!({"status": verdict})).await.status, 400);
        assert_eq!(bench.types().await, after);
    }
    bench.stop().await;
}

#[actix_web::test]
async fn an_open_invoice_is_paid_by_call() {
    let bench = Bench::boot();
    let (customer, subscription) = bench.member().await;
    let card = format!("/_sandbox/customers/{customer}/card");
    bench.control(&card, json!({"card": "declines"})).await.ok();
    bench.advance(30 * DAY + HOUR).await;
    let list = bench.get(&format!("/v1/invoices?subscription={subscription}&status=open")).await.ok();
    let path = format!("/v1/invoices/{}/pay", text(&list["data"][0]["id"]));
    let error = bench.post(&path, &[]).await.refused(402);
    assert_eq!((&error["type"], &error["code"]), (&json!("card_error"), &json!("card_declined")));
    assert_eq!(error["decline_code"], "generic_decline");
    bench.control(&card, json!({"card": "works"})).await.ok();
    assert_eq!(bench.post(&path, &[]).await.ok()["status"], "paid");
    assert_eq!(bench.subscription(&subscription).await["status"], "active");
    bench.post(&path, &[]).await.refused(400);
    bench.stop().await;
}

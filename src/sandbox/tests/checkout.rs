//! Checkout sessions: what is refused, and how each visit ends.

use serde_json::json;

use super::support::{Bench, DAY, HOUR, START, period, text};

#[actix_web::test]
async fn a_session_that_stripe_would_refuse_is_refused() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    let gone = bench.customer().await;
    bench.delete(&format!("/v1/customers/{gone}")).await.ok();
    let trial = "subscription_data[trial_end]";
    let (soon, late) = ((START + 48 * HOUR - 1).to_string(), (START + 730 * DAY + 1).to_string());
    let cases: [(&[(&str, &str)], &str); 13] = [
        (&[("customer", "cus_unknown")], "customer"),
        (&[("customer", &gone)], "customer"),
        (&[(trial, &soon)], trial),
        (&[(trial, &late)], trial),
        (&[(trial, "tomorrow")], trial),
        (&[("subscription_data[trial_period_days]", "0")], "subscription_data[trial_period_days]"),
        (&[("line_items[0][price]", "price_unknown")], "line_items[0][price]"),
        (&[("line_items[0][quantity]", "0")], "line_items[0][quantity]"),
        (&[("line_items[0][price]", "price_half_year")], "mode"),
        (&[("mode", "payment")], "mode"),
        (&[("success_url", "javascript:alert(1)")], "success_url"),
        (&[("success_url", "")], "success_url"),
        (&[("expires_at", &soon)], "expires_at"),
    ];
    for (change, param) in cases {
        let mut form = vec![
            ("mode", "subscription"),
            ("customer", customer.as_str()),
            ("line_items[0][price]", "price_monthly"),
            ("line_items[0][quantity]", "1"),
            ("success_url", "http://127.0.0.1:9/return"),
        ];
        form.extend_from_slice(change);
        let error = bench.post("/v1/checkout/sessions", &form).await.refused(400);
        assert_eq!((&error["type"], &error["param"]), (&json!("invalid_request_error"), &json!(param)), "{change:?}");
        assert_eq!(error["code"] == "resource_missing", text(&error["message"]).starts_with("No such"), "{error}");
    }
    assert_eq!(bench.get("/v1/checkout/sessions").await.ok()["data"], json!([]));
    bench.stop().await;
}

#[actix_web::test]
async fn paying_starts_the_subscription_and_tells_it_in_stripes_order() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    let session = bench.session(&customer, "price_monthly", &[("subscription_data[metadata][user]", "u1")]).await;
    assert_eq!(
        (&session["status"], &session["payment_status"], &session["amount_total"]),
        (&json!("open"), &json!("unpaid"), &json!(900))
    );
    assert!(text(&session["url"]).starts_with(&bench.url("/c/pay/cs_test_")));
    assert_eq!(bench.types().await, ["customer.created"]);

    let paid = bench.finish(&session, json!({"outcome": "paid"})).await;
    assert_eq!(paid["redirect_url"], format!("http://127.0.0.1:9/checkout/return?session={}", text(&session["id"])));
    let events = bench.settled().await;
    let types: Vec<String> = events.iter().map(|event| text(&event["type"])).collect();
    let expected = [
        "payment_method.attached",
        "customer.subscription.created",
        "invoice.created",
        "invoice.finalized",
        "charge.succeeded",
        "payment_intent.succeeded",
        "invoice.paid",
        "invoice.payment_succeeded",
        "invoice_payment.paid",
        "checkout.session.completed",
    ];
    assert_eq!(types, expected);
    for event in &events {
        assert_eq!(
            (&event["livemode"], &event["created"], &event["pending_webhooks"]),
            (&json!(false), &json!(START), &json!(1))
        );
        assert_eq!(
            (&event["api_version"], &event["request"]),
            (&json!("2026-09-30.endive"), &json!({"id": null, "idempotency_key": null}))
        );
    }
    let created = &events[1]["data"]["object"];
    assert_eq!(
        (&created["status"], &created["metadata"], &created["customer"]),
        (&json!("active"), &json!({"user": "u1"}), &json!(customer))
    );
    assert_eq!(period(created), (START, START + 30 * DAY));
    let invoice = &events[6]["data"]["object"];
    assert_eq!((&invoice["amount_paid"], &invoice["billing_reason"]), (&json!(900), &json!("subscription_create")));
    assert_eq!(invoice["parent"]["subscription_details"]["subscription"], created["id"]);
    let completed = &events[9]["data"]["object"];
    assert_eq!((&completed["client_reference_id"], &completed["payment_status"]), (&json!("u1"), &json!("paid")));
    assert_eq!((&completed["subscription"], &completed["url"]), (&created["id"], &json!(null)));
    bench.stop().await;
}

#[actix_web::test]
async fn a_session_is_finished_once() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    let session = bench.session(&customer, "price_monthly", &[]).await;
    let path = format!("/_sandbox/checkout/{}", text(&session["id"]));
    bench.control(&path, json!({"outcome": "paid"})).await.ok();
    assert_eq!(bench.control(&path, json!({"outcome": "paid"})).await.status, 409);
    assert_eq!(bench.control(&path, json!({"outcome": "bribed"})).await.status, 400);
    assert_eq!(bench.control("/_sandbox/checkout/cs_test_x", json!({"outcome": "paid"})).await.status, 404);
    assert_eq!(bench.get("/v1/subscriptions").await.ok()["data"].as_array().unwrap().len(), 1);
    bench.stop().await;
}

#[actix_web::test]
async fn a_declined_card_leaves_the_session_open() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    let session = bench.session(&customer, "price_monthly", &[]).await;
    bench.settled().await;
    let after = bench.finish(&session, json!({"outcome": "declined"})).await;
    assert_eq!((&after["status"], &after["subscription"]), (&json!("open"), &json!(null)));
    assert_eq!(bench.types().await, ["charge.failed", "payment_intent.payment_failed"]);
    assert_eq!(bench.finish(&session, json!({"outcome": "paid"})).await["status"], "complete");
    bench.stop().await;
}

#[actix_web::test]
async fn what_is_left_of_access_becomes_a_trial() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    let end = START + 48 * HOUR;
    let session =
        bench.session(&customer, "price_monthly", &[("subscription_data[trial_end]", &end.to_string())]).await;
    assert_eq!(session["amount_total"], 0);
    let session = bench.finish(&session, json!({"outcome": "paid"})).await;
    assert_eq!(session["payment_status"], "no_payment_required");
    let subscription = bench.subscription(&text(&session["subscription"])).await;
    assert_eq!((&subscription["status"], &subscription["trial_end"]), (&json!("trialing"), &json!(end)));
    assert_eq!(period(&subscription), (START, end));
    let types = bench.types().await;
    assert!(
        types.contains(&"customer.subscription.trial_will_end".to_owned())
            && !types.contains(&"charge.succeeded".to_owned()),
        "{types:?}"
    );
    bench.stop().await;
}

#[actix_web::test]
async fn trial_days_count_from_the_payment() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    let session = bench.session(&customer, "price_yearly", &[("subscription_data[trial_period_days]", "2")]).await;
    bench.advance(HOUR).await;
    let session = bench.finish(&session, json!({"outcome": "paid"})).await;
    let subscription = bench.subscription(&text(&session["subscription"])).await;
    assert_eq!(period(&subscription), (START + HOUR, START + HOUR + 2 * DAY));
    bench.stop().await;
}

#[actix_web::test]
async fn a_session_expires_by_itself_by_call_and_by_hand() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    let mut sessions = Vec::new();
    for _ in 0..3 {
        sessions.push(bench.session(&customer, "price_monthly", &[]).await);
    }
    bench.settled().await;
    let path = format!("/v1/checkout/sessions/{}", text(&sessions[0]["id"]));
    assert_eq!(bench.post(&format!("{path}/expire"), &[]).await.ok()["status"], "expired");
    bench.post(&format!("{path}/expire"), &[]).await.refused(400);
    assert_eq!(bench.finish(&sessions[1], json!({"outcome": "expired"})).await["url"], json!(null));
    assert_eq!(bench.types().await, ["checkout.session.expired"; 2]);
    bench.advance(DAY).await;
    let event = bench.settled().await.remove(0);
    assert_eq!((&event["type"], &event["created"]), (&json!("checkout.session.expired"), &json!(START + DAY)));
    bench.stop().await;
}

#[actix_web::test]
async fn a_person_without_a_customer_becomes_one() {
    let bench = Bench::boot();
    let session = bench.post(
        "/v1/checkout/sessions",
        &[
            ("mode", "subscription"),
            ("customer_email", "new@example.com"),
            ("line_items[0][price]", "price_monthly"),
            ("line_items[0][quantity]", "1"),
            ("success_url", "http://127.0.0.1:9/return"),
        ],
    );
    let session = session.await.ok();
    let session = bench.finish(&session, json!({"outcome": "paid"})).await;
    let customer = bench.get(&format!("/v1/customers/{}", text(&session["customer"]))).await.ok();
    assert_eq!(customer["email"], "new@example.com");
    bench.stop().await;
}

//! The status `paused`: by a call, and how it ends.

use serde_json::json;

use super::support::{Bench, DAY, HOUR, START, period, text};

#[actix_web::test]
async fn a_paused_subscription_stands_still_until_it_is_resumed() {
    let bench = Bench::boot();
    let (_, subscription) = bench.member().await;
    let path = format!("/v1/subscriptions/{subscription}");
    bench.post(&format!("{path}/resume"), &[]).await.refused(400);
    bench.advance(10 * DAY).await;
    let paused = bench.post(&format!("{path}/pause"), &[]).await.ok();
    let details = json!({"paused": {
        "subscription": {"type": "pause_requested"}, "transitioned_at": START + 10 * DAY, "type": "subscription",
    }});
    assert_eq!((&paused["status"], &paused["status_details"]), (&json!("paused"), &details));
    assert_eq!(bench.types().await, ["customer.subscription.updated", "customer.subscription.paused"]);
    bench.post(&format!("{path}/pause"), &[]).await.refused(400);
    bench.advance(90 * DAY).await;
    assert_eq!(bench.types().await, Vec::<String>::new());

    let resumed = bench.post(&format!("{path}/resume"), &[]).await.ok();
    assert_eq!((&resumed["status"], &resumed["status_details"]), (&json!("active"), &json!(null)));
    assert_eq!(period(&resumed).0, START + 100 * DAY);
    let expected = ["customer.subscription.updated", "invoice.created", "customer.subscription.resumed"];
    assert_eq!(bench.types().await, expected);
    bench.advance(HOUR).await;
    assert!(bench.types().await.contains(&"invoice.paid".to_owned()));
    bench.stop().await;
}

#[actix_web::test]
async fn it_can_be_resumed_on_condition_of_payment() {
    let bench = Bench::boot();
    let (customer, subscription) = bench.member().await;
    let path = format!("/v1/subscriptions/{subscription}");
    let card = format!("/_sandbox/customers/{customer}/card");
    bench.post(&format!("{path}/pause"), &[]).await.ok();
    bench.control(&card, json!({"card": "declines"})).await.ok();
    bench.advance(5 * DAY).await;
    let form = [("payment_behavior", "resume_on_payment_success")];
    bench.post(&format!("{path}/resume"), &[("payment_behavior", "someday")]).await.refused(400);
    let still = bench.post(&format!("{path}/resume"), &form).await.ok();
    assert_eq!((&still["status"], period(&still).0), (&json!("paused"), START));
    bench.settled().await;
    bench.control(&card, json!({"card": "works"})).await.ok();
    bench.settled().await;
    bench.post(&format!("/v1/invoices/{}/pay", text(&still["latest_invoice"])), &[]).await.ok();
    let back = bench.subscription(&subscription).await;
    assert_eq!((&back["status"], period(&back).0), (&json!("active"), START + 5 * DAY));
    assert_eq!(bench.types().await.last().unwrap(), "customer.subscription.resumed");
    bench.stop().await;
}

#[actix_web::test]
async fn a_trial_that_pauses_says_why() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    let more = [
        ("payment_method_collection", "if_required"),
        ("subscription_data[trial_period_days]", "7"),
        ("subscription_data[trial_settings][end_behavior][missing_payment_method]", "pause"),
    ];
    let session = bench.session(&customer, "price_monthly", &more).await;
    let session = bench.finish(&session, json!({"outcome": "paid"})).await;
    bench.advance(8 * DAY).await;
    let paused = bench.subscription(&text(&session["subscription"])).await;
    let reason = &paused["status_details"]["paused"]["subscription"]["type"];
    assert_eq!((&paused["status"], reason), (&json!("paused"), &json!("trial_end_without_payment_method")));
    let events = bench.settled().await;
    let update = events.iter().find(|event| event["type"] == "customer.subscription.updated").unwrap();
    assert_eq!(update["data"]["previous_attributes"]["status"], "trialing");
    bench.stop().await;
}

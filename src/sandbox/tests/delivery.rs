//! Events on their way: signatures, retries, order, copies, delay, hold, both shapes, restarts.

use std::time::{Duration, Instant};

use serde_json::json;

use super::support::{Bench, DAY, SECRET, START, text};
use crate::sandbox::delivery::sign;

#[actix_web::test]
async fn each_event_is_signed_over_the_bytes_that_are_sent() {
    let bench = Bench::boot();
    bench.customer().await;
    let log = bench.get("/_sandbox/deliveries?wait_ms=5000&body=1").await.ok();
    let letter = bench.endpoint.take().remove(0);
    assert_eq!(letter.signature, sign(SECRET, START, &letter.body));
    let entry = &log["deliveries"][0];
    assert_eq!((&entry["body"], &entry["signature"]), (&json!(letter.body), &json!(letter.signature)));
    assert_eq!((&entry["status"], &entry["attempt"], &entry["answer"]), (&json!(200), &json!(1), &json!("noted")));
    assert_eq!((&entry["type"], &entry["event"]), (&json!("customer.created"), &letter.json()["id"]));
    bench.stop().await;
}

#[actix_web::test]
async fn a_failed_delivery_is_tried_again_with_a_new_signature() {
    let bench = Bench::boot();
    bench.endpoint.answer_with(&[500, 302]);
    let started = Instant::now();
    bench.customer().await;
    bench.get("/_sandbox/deliveries?wait_ms=200").await.ok();
    bench.advance(10).await;
    bench.get("/_sandbox/deliveries?wait_ms=200").await.ok();
    bench.advance(10).await;
    let log = bench.get("/_sandbox/deliveries?wait_ms=5000").await.ok();
    assert!(started.elapsed() < Duration::from_secs(4), "moving the clock hurries the retries");
    let letters = bench.endpoint.take();
    let signed: Vec<String> = letters.iter().map(|letter| letter.signature.clone()).collect();
    let expected: Vec<String> = [0, 10, 20].iter().map(|later| sign(SECRET, START + later, &letters[0].body)).collect();
    assert_eq!(signed, expected);
    let statuses: Vec<i64> =
        log["deliveries"].as_array().unwrap().iter().map(|entry| entry["status"].as_i64().unwrap()).collect();
    assert_eq!((statuses, &log["pending"]), (vec![500, 302, 200], &json!(0)));
    bench.stop().await;
}

#[actix_web::test]
async fn retries_come_by_themselves_after_one_and_two_seconds() {
    let bench = Bench::boot();
    bench.endpoint.answer_with(&[500, 500]);
    let started = Instant::now();
    bench.customer().await;
    bench.settled().await;
    let took = started.elapsed();
    assert!(took >= Duration::from_secs(3) && took < Duration::from_secs(8), "{took:?}");
    bench.stop().await;
}

#[actix_web::test]
async fn a_moved_clock_shortens_a_pause_only_when_it_passes_its_end() {
    let bench = Bench::boot();
    bench.endpoint.answer_with(&[500; 4]);
    bench.customer().await;
    let attempts =
        async || bench.get("/_sandbox/deliveries?wait_ms=300").await.ok()["deliveries"].as_array().unwrap().len();
    for (seconds, tried) in [(0, 1), (1, 2), (1, 2), (1, 3), (3, 3), (1, 4)] {
        bench.advance(seconds).await;
        assert_eq!(attempts().await, tried, "after {seconds} more seconds");
    }
    bench.stop().await;
}

#[actix_web::test]
async fn a_failing_event_does_not_stop_the_others() {
    let bench = Bench::boot();
    bench.endpoint.answer_with(&[503]);
    bench.member_started().await;
    let log = bench.get("/_sandbox/deliveries?wait_ms=600").await.ok();
    assert_eq!((&log["pending"], &log["waiting"][0]["type"]), (&json!(1), &json!("customer.created")));
    bench.settled().await;
    bench.stop().await;
}

impl Bench {
    async fn member_started(&self) {
        let customer = self.customer().await;
        let session = self.session(&customer, "price_monthly", &[]).await;
        self.finish(&session, json!({"outcome": "paid"})).await;
    }

    async fn renames(&self, customer: &str, names: &[&str]) {
        for name in names {
            self.post(&format!("/v1/customers/{customer}"), &[("name", name)]).await.ok();
        }
    }

    async fn names(&self) -> Vec<String> {
        self.settled().await.iter().map(|event| text(&event["data"]["object"]["name"])).collect()
    }
}

#[actix_web::test]
async fn what_is_held_back_goes_out_in_the_order_that_is_asked_for() {
    let bench = Bench::boot();
    let customer = bench.customer().await;
    bench.settled().await;
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    bench.control("/_sandbox/delivery", json!({"hold": true})).await.ok();
    bench.renames(&customer, &names).await;
    assert_eq!(bench.get("/_sandbox/deliveries?wait_ms=100").await.ok()["pending"], 8);
    assert!(bench.endpoint.take().is_empty());
    bench.control("/_sandbox/delivery", json!({"hold": false, "order": "reversed"})).await.ok();
    assert_eq!(bench.names().await, ["h", "g", "f", "e", "d", "c", "b", "a"]);

    bench.control("/_sandbox/delivery", json!({"hold": true, "order": "shuffled"})).await.ok();
    bench.renames(&customer, &names).await;
    bench.control("/_sandbox/delivery", json!({"hold": false, "copies": 2})).await.ok();
    let mut shuffled = bench.names().await;
    assert_eq!(shuffled.len(), 16);
    shuffled.sort();
    shuffled.dedup();
    assert_eq!(shuffled, names);
    bench.stop().await;
}

#[actix_web::test]
async fn copies_and_delay() {
    let bench = Bench::boot();
    bench.control("/_sandbox/delivery", json!({"copies": 3, "delay_ms": 300})).await.ok();
    let started = Instant::now();
    bench.customer().await;
    let events = bench.settled().await;
    assert!(started.elapsed() >= Duration::from_millis(300));
    assert_eq!(events.len(), 3);
    assert!(events.iter().all(|event| event["id"] == events[0]["id"]));
    bench.control("/_sandbox/delivery", json!({"copies": 0})).await.refused_plainly();
    bench.control("/_sandbox/delivery", json!({"shape": "round"})).await.refused_plainly();
    bench.stop().await;
}

#[actix_web::test]
async fn the_old_shape_has_the_period_on_the_subscription() {
    let bench = Bench::boot();
    bench.control("/_sandbox/delivery", json!({"shape": "subscription"})).await.ok();
    bench.member_started().await;
    let events = bench.settled().await;
    let find = |kind: &str| &events.iter().find(|event| event["type"] == kind).unwrap()["data"]["object"];
    let subscription = find("customer.subscription.created");
    assert_eq!(
        (&subscription["current_period_start"], &subscription["current_period_end"]),
        (&json!(START), &json!(START + 30 * DAY))
    );
    assert!(
        subscription["items"]["data"][0].get("current_period_end").is_none()
            && subscription.get("billing_mode").is_none()
    );
    let invoice = find("invoice.paid");
    assert_eq!(
        (&invoice["subscription"], &invoice["paid"], invoice.get("parent")),
        (&subscription["id"], &json!(true), None)
    );
    assert!(events.iter().all(|event| event["api_version"] == "2024-06-20"));
    bench.stop().await;
}

#[actix_web::test]
async fn an_endpoint_gets_the_kinds_and_the_version_that_it_was_made_for() {
    let bench = Bench::boot();
    let form =
        [("url", bench.webhook_url.as_str()), ("enabled_events[]", "customer.deleted"), ("api_version", "2024-06-20")];
    bench
        .post("/v1/webhook_endpoints", &[("url", "https://example.com/hook"), ("enabled_events[]", "*")])
        .await
        .refused(400);
    let made = bench.post("/v1/webhook_endpoints", &form).await.ok();
    assert!(text(&made["secret"]).starts_with("whsec_"));
    let list = bench.get("/v1/webhook_endpoints").await.ok();
    assert_eq!(list["data"].as_array().unwrap().len(), 2);
    assert!(!list.to_string().contains("whsec_"));
    let customer = bench.customer().await;
    bench.delete(&format!("/v1/customers/{customer}")).await.ok();
    let events = bench.settled().await;
    let seen: Vec<(String, String)> =
        events.iter().map(|event| (text(&event["type"]), text(&event["api_version"]))).collect();
    let new = "2026-09-30.endive".to_owned();
    let expected =
        [("customer.created", &new), ("customer.deleted", &new), ("customer.deleted", &"2024-06-20".to_owned())];
    assert_eq!(seen, expected.map(|(kind, version)| (kind.to_owned(), version.clone())));
    assert_eq!(bench.delete(&format!("/v1/webhook_endpoints/{}", text(&made["id"]))).await.ok()["deleted"], true);
    bench.stop().await;
}

#[actix_web::test]
async fn a_restart_keeps_everything_and_sends_what_waits() {
    let mut bench = Bench::boot();
    let (customer, subscription) = bench.member().await;
    bench.control("/_sandbox/delivery", json!({"hold": true})).await.ok();
    bench.renames(&customer, &["Ada"]).await;
    let before = bench.subscription(&subscription).await;
    bench.halt().await;
    bench.start();
    assert_eq!(bench.subscription(&subscription).await["items"], before["items"]);
    assert_eq!(bench.get("/_sandbox/deliveries").await.ok()["pending"], 1);
    assert_eq!(bench.get("/_sandbox/requests").await.ok()["requests"].as_array().unwrap().len(), 1);
    bench.control("/_sandbox/delivery", json!({"hold": false})).await.ok();
    assert_eq!(bench.names().await, ["Ada"]);
    bench.stop().await;
}

#[actix_web::test]
async fn events_wait_until_the_endpoint_is_known_and_up() {
    let mut bench = Bench::boot();
    let url = std::mem::replace(&mut bench.webhook_url, "http://127.0.0.1:1/webhooks/stripe".to_owned());
    bench.halt().await;
    bench.start();
    bench.customer().await;
    let log = bench.get("/_sandbox/deliveries?wait_ms=300").await.ok();
    assert_eq!(
        (&log["deliveries"][0]["status"], &log["deliveries"][0]["error"]),
        (&json!(null), &json!("nobody listens there"))
    );
    bench.running.as_ref().unwrap().set_webhook_url(&url);
    assert_eq!(bench.types().await, ["customer.created"]);
    bench.stop().await;
}

#[actix_web::test]
async fn an_event_can_be_sent_again() {
    let bench = Bench::boot();
    bench.customer().await;
    let event = text(&bench.settled().await[0]["id"]);
    bench.control(&format!("/_sandbox/events/{event}/redelivery"), json!({})).await.ok();
    assert_eq!(bench.settled().await[0]["id"], event.as_str());
    assert_eq!(bench.control("/_sandbox/events/evt_x/redelivery", json!({})).await.status, 404);
    let again = bench.get(&format!("/v1/events/{event}")).await.ok();
    assert_eq!((&again["type"], &again["pending_webhooks"]), (&json!("customer.created"), &json!(0)));
    bench.stop().await;
}

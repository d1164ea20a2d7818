//! The control surface: the clock, faults, what was asked.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;

use super::support::{Answer, Bench, DAY, START, text};
use crate::{
    clock::Clock,
    sandbox::{Options, start},
};

impl Answer {
    /// 400 with a sentence.
    pub fn refused_plainly(&self) {
        assert_eq!(self.status, 400, "{}", self.text);
        assert!(self.json()["error"].as_str().is_some_and(|reason| !reason.is_empty()));
    }
}

#[tokio::test]
async fn it_listens_on_loopback_only() {
    let folder = tempfile::tempdir().unwrap();
    let options = |listen: &str| Options {
        listen: listen.parse().unwrap(),
        data_dir: folder.path().to_owned(),
        webhook_url: None,
        webhook_secret: "whsec_hidden".to_owned(),
        clock: Clock::system(),
    };
    for listen in ["0.0.0.0:0", "192.0.2.1:0", "[::]:0"] {
        let error = start(options(listen)).unwrap_err();
        assert!(error.to_string().contains("not a loopback address"), "{error}");
    }
    assert!(!format!("{:?}", options("127.0.0.1:0")).contains("whsec_hidden"));
    let running = start(options("127.0.0.1:0")).unwrap();
    let taken = start(options(&running.address.to_string())).unwrap_err();
    assert!(taken.to_string().contains("can't listen"), "{taken}");
    running.stop().await;
    std::fs::write(folder.path().join("sandbox.json"), "[1, 2").unwrap();
    let broken = start(options("127.0.0.1:0")).unwrap_err();
    assert!(broken.to_string().contains("sandbox.json"), "{broken}");
}

#[actix_web::test]
async fn other_names_and_other_sites_are_refused() {
    let bench = Bench::boot();
    let foreign = bench.send(bench.request(Method::GET, "/v1/customers").header("Host", "sandbox.example.com")).await;
    assert_eq!(foreign.status, 403);
    let cross = bench.http.post(bench.url("/clock")).header("Sec-Fetch-Site", "cross-site").form(&[("to", "day")]);
    assert_eq!(bench.send(cross).await.status, 403);
    assert_eq!(bench.now(), START);
    bench.stop().await;
}

#[actix_web::test]
async fn the_clock_moves_forward_by_seconds_or_to_an_instant() {
    let bench = Bench::boot();
    assert_eq!(bench.get("/_sandbox/clock").await.ok(), json!({"now": START, "time": "2026-06-01T10:00:00Z"}));
    assert_eq!(bench.control("/_sandbox/clock", json!({"advance_seconds": 5})).await.ok()["now"], START + 5);
    assert_eq!(bench.control("/_sandbox/clock", json!({"now": START + DAY})).await.ok()["now"], START + DAY);
    assert_eq!(bench.clock.now().timestamp(), START + DAY, "the app's clock is the same one");
    for wish in [
        json!({"now": START}),
        json!({"advance_seconds": -1}),
        json!({}),
        json!({"now": START + 2 * DAY, "advance_seconds": 1}),
        json!({"advance": 1}),
        json!({"advance_seconds": i64::MAX}),
    ] {
        bench.control("/_sandbox/clock", wish).await.refused_plainly();
    }
    assert_eq!(bench.now(), START + DAY);
    bench.stop().await;
}

#[actix_web::test]
async fn time_that_passes_elsewhere_is_noticed() {
    let bench = Bench::boot();
    bench.member().await;
    bench.clock.advance(31 * DAY).unwrap();
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert!(bench.types().await.contains(&"invoice.paid".to_owned()));
    bench.stop().await;
}

#[actix_web::test]
async fn a_fault_meets_as_many_requests_as_it_was_told() {
    let bench = Bench::boot();
    for wish in [
        json!({"path_prefix": "/v1/customers"}),
        json!({"path_prefix": "/v1/customers", "status": 200}),
        json!({"path_prefix": "/", "status": 500}),
        json!({"status": 500}),
    ] {
        bench.control("/_sandbox/fail", wish).await.refused_plainly();
    }
    bench
        .control("/_sandbox/fail", json!({"path_prefix": "/v1/customers", "status": 503, "times": 2, "method": "POST"}))
        .await
        .ok();
    bench.get("/v1/customers").await.ok();
    bench.post("/v1/customers", &[]).await.refused(503);
    assert_eq!(bench.post("/v1/customers", &[]).await.refused(503)["type"], "api_error");
    bench.post("/v1/customers", &[]).await.ok();
    bench.control("/_sandbox/fail", json!({"path_prefix": "/v1/", "status": 429})).await.ok();
    assert_eq!(bench.get("/v1/prices").await.refused(429)["code"], "rate_limit");
    bench.get("/v1/prices").await.ok();
    assert_eq!(bench.get("/v1/customers").await.ok()["data"].as_array().unwrap().len(), 1);
    bench.stop().await;
}

#[actix_web::test]
async fn an_answer_can_be_lost_after_the_work_and_the_key_finds_it_again() {
    let bench = Bench::boot();
    bench.control("/_sandbox/fail", json!({"path_prefix": "/v1/customers", "status": 500, "after": true})).await.ok();
    let ask = || bench.request(Method::POST, "/v1/customers").header("Idempotency-Key", "k").form(&[("name", "Ada")]);
    bench.send(ask()).await.refused(500);
    let again = bench.send(ask()).await;
    assert_eq!((again.ok()["name"].as_str(), again.header("idempotent-replayed")), (Some("Ada"), "true"));
    assert_eq!(bench.get("/v1/customers").await.ok()["data"].as_array().unwrap().len(), 1);
    bench.stop().await;
}

#[actix_web::test]
async fn the_work_can_be_done_before_the_hanging_starts() {
    let bench = Bench::boot();
    let fault = json!({"path_prefix": "/v1/customers", "method": "POST", "hang_ms": 2_000, "after": true});
    bench.control("/_sandbox/fail", fault).await.ok();
    let ask = || bench.request(Method::POST, "/v1/customers").header("Idempotency-Key", "k").form(&[("name", "Ada")]);
    let hasty = ask().timeout(Duration::from_millis(300)).send().await;
    assert!(hasty.unwrap_err().is_timeout());
    assert_eq!(bench.get("/v1/customers").await.ok()["data"][0]["name"], "Ada");
    assert_eq!(bench.send(ask()).await.header("idempotent-replayed"), "true");
    assert_eq!(bench.get("/v1/customers").await.ok()["data"].as_array().unwrap().len(), 1);
    bench.stop().await;
}

#[actix_web::test]
async fn what_lies_in_between_fails_in_html() {
    let bench = Bench::boot();
    for status in [502, 504] {
        bench.control("/_sandbox/fail", json!({"path_prefix": "/v1/", "status": status})).await.ok();
        let answer = bench.get("/v1/prices").await;
        assert_eq!((answer.status, answer.header("content-type")), (status, "text/html; charset=utf-8"));
        assert!(answer.text.starts_with("<html>") && answer.header("request-id").is_empty(), "{}", answer.text);
    }
    bench.stop().await;
}

#[actix_web::test]
async fn a_request_can_be_made_to_hang_without_holding_up_others() {
    let bench = Bench::boot();
    bench.control("/_sandbox/fail", json!({"path_prefix": "/v1/prices", "hang_ms": 700})).await.ok();
    let started = Instant::now();
    let (slow, quick) = tokio::join!(async { (bench.get("/v1/prices").await, started.elapsed()) }, async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        (bench.get("/v1/products").await, started.elapsed())
    });
    assert!(slow.1 >= Duration::from_millis(700) && quick.1 < Duration::from_millis(600), "{:?} {:?}", slow.1, quick.1);
    assert_eq!((slow.0.status, quick.0.status), (200, 200));
    bench.stop().await;
}

#[actix_web::test]
async fn what_was_asked_is_remembered_without_the_key() {
    let bench = Bench::boot();
    let request = bench
        .request(Method::POST, "/v1/customers")
        .header("Idempotency-Key", "k-1")
        .header("Stripe-Version", "2026-09-30.endive");
    bench.send(request.form(&[("email", "a+b@example.com"), ("metadata[user]", "u 1")])).await.ok();
    let log = bench.get("/_sandbox/requests").await.ok();
    let entry = &log["requests"][0];
    assert_eq!(
        (&entry["method"], &entry["path"], &entry["status"]),
        (&json!("POST"), &json!("/v1/customers"), &json!(200))
    );
    assert_eq!(entry["params"], json!({"email": "a+b@example.com", "metadata": {"user": "u 1"}}));
    assert_eq!(entry["form"], json!({"email": "a+b@example.com", "metadata[user]": "u 1"}));
    assert_eq!((&entry["idempotency_key"], &entry["api_version"]), (&json!("k-1"), &json!("2026-09-30.endive")));
    assert!(!log.to_string().contains("sk_test"));
    assert!(text(&entry["request_id"]).starts_with("req_"));
    bench.stop().await;
}

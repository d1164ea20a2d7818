//! Whatever is asked, the sandbox answers, and never with a fault of its own.

use reqwest::Method;
use serde_json::json;

use super::support::{Bench, DAY, text};

const VALUES: [&str; 6] =
    ["", "-1", "9223372036854775807", "99999999999999999999", "\u{0}\u{202e}🂡%zz", "price_monthly"];

const NAMES: [&str; 30] = [
    "amount",
    "cancel_at",
    "cancel_at_period_end",
    "charge",
    "created[gte]",
    "currency",
    "customer",
    "email",
    "ending_before",
    "expand[]",
    "expires_at",
    "items[0][id]",
    "items[0][price]",
    "items[0][quantity]",
    "limit",
    "line_items[0][price]",
    "line_items[0][quantity]",
    "metadata",
    "metadata[a]",
    "mode",
    "name",
    "pause_collection[behavior]",
    "pause_collection[resumes_at]",
    "payment_intent",
    "product",
    "recurring[interval_count]",
    "status",
    "subscription_data[trial_period_days]",
    "trial_end",
    "unit_amount",
];

#[actix_web::test]
async fn no_parameter_makes_it_fail() {
    let bench = Bench::boot();
    let (customer, subscription) = bench.member().await;
    let session = bench.session(&customer, "price_monthly", &[]).await;
    let paths = [
        "/v1/customers".to_owned(),
        format!("/v1/customers/{customer}"),
        "/v1/checkout/sessions".to_owned(),
        format!("/v1/checkout/sessions/{}", text(&session["id"])),
        "/v1/subscriptions".to_owned(),
        format!("/v1/subscriptions/{subscription}"),
        "/v1/prices".to_owned(),
        "/v1/refunds".to_owned(),
        "/v1/events".to_owned(),
        "/v1/billing_portal/sessions".to_owned(),
    ];
    for path in &paths {
        for name in NAMES {
            for value in VALUES {
                let answer = bench.post(path, &[("customer", &customer), (name, value)]).await;
                assert!(answer.status < 500, "{path} {name}={value:?}: {} {}", answer.status, answer.text);
                assert!(answer.json().is_object());
            }
        }
    }
    for name in ["created[gte]", "ending_before", "expand[]", "limit", "status", "type"] {
        for value in VALUES {
            let query = serde_urlencoded::to_string([(name, value)]).unwrap();
            let answer = bench.get(&format!("/v1/events?{query}")).await;
            assert!(answer.status < 500, "{name}={value:?}: {} {}", answer.status, answer.text);
        }
    }
    bench.advance(400 * DAY).await;
    bench.stop().await;
}

#[actix_web::test]
async fn no_body_makes_it_fail() {
    let bench = Bench::boot();
    for path in [
        "/v1/customers",
        "/_sandbox/clock",
        "/_sandbox/delivery",
        "/_sandbox/fail",
        "/_sandbox/checkout/x",
        "/_sandbox/disputes",
        "/clock",
        "/c/pay/x",
        "/switches",
    ] {
        for body in
            [&b"\xff\xfe\x00"[..], b"[[[[", b"{", b"{\"now\": 1e99}", b"a[b]=1&a=2&a[b][c]=3&[]=4", b"null", b"\"\""]
        {
            let answer = bench.send(bench.request(Method::POST, path).body(body)).await;
            assert!(answer.status < 500, "{path} {body:?}: {} {}", answer.status, answer.text);
        }
    }
    let large = vec![b'a'; 2_000_000];
    assert_eq!(bench.send(bench.request(Method::POST, "/v1/customers").body(large)).await.status, 413);
    assert_eq!(bench.get("/_sandbox/clock").await.ok()["now"], json!(bench.now()));
    bench.stop().await;
}

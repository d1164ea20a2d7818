//! Keys, errors, idempotency, lists, versions.

use reqwest::Method;
use serde_json::json;

use super::support::{Bench, DAY, START, text};

#[actix_web::test]
async fn a_request_without_a_test_key_is_refused() {
    let bench = Bench::boot();
    for (key, words) in [
        (None, "did not provide an API key"),
        (Some("sk_live_1234"), "real money"),
        (Some("pk_test_1"), "Invalid API Key"),
    ] {
        let mut request = bench.http.get(bench.url("/v1/customers"));
        if let Some(key) = key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let error = bench.send(request).await.refused(401);
        assert_eq!(error["type"], "invalid_request_error");
        assert!(text(&error["message"]).contains(words), "{error}");
        assert!(!error.to_string().contains("sk_live_1234"));
    }
    bench.stop().await;
}

#[actix_web::test]
async fn what_is_not_there_is_named() {
    let bench = Bench::boot();
    for (path, noun) in [
        ("/v1/customers/cus_x", "customer"),
        ("/v1/subscriptions/sub_x", "subscription"),
        ("/v1/checkout/sessions/cs_x", "checkout.session"),
        ("/v1/prices/price_x", "price"),
        ("/v1/events/evt_x", "event"),
    ] {
        let error = bench.get(path).await.refused(404);
        assert_eq!(error["code"], "resource_missing", "{path}");
        assert!(text(&error["message"]).starts_with(&format!("No such {noun}: ")), "{error}");
    }
    assert!(text(&bench.get("/v1/nonsense").await.refused(404)["message"]).contains("Unrecognized request URL"));
    assert_eq!(bench.send(bench.request(Method::PUT, "/v1/customers")).await.status, 404);
    bench.stop().await;
}

#[actix_web::test]
async fn unknown_and_missing_parameters_are_refused_by_name() {
    let bench = Bench::boot();
    let error = bench.post("/v1/customers", &[("e-mail", "a@b.c")]).await.refused(400);
    assert_eq!((&error["code"], &error["param"]), (&json!("parameter_unknown"), &json!("e-mail")));
    let error = bench.post("/v1/checkout/sessions", &[("customer", "cus_x")]).await.refused(400);
    assert_eq!((&error["code"], &error["param"]), (&json!("parameter_missing"), &json!("mode")));
    let error = bench.get("/v1/customers?limit=0").await.refused(400);
    assert_eq!(error["param"], "limit");
    let error = bench.post("/v1/customers", &[("email", "nonsense")]).await.refused(400);
    assert_eq!(error["code"], "email_invalid");
    bench.stop().await;
}

#[actix_web::test]
async fn a_key_gives_the_same_answer_once_more_and_refuses_another_question() {
    let bench = Bench::boot();
    let ask = |email: &'static str| {
        bench.request(Method::POST, "/v1/customers").header("Idempotency-Key", "k").form(&[("email", email)])
    };
    let first = bench.send(ask("a@example.com")).await;
    let again = bench.send(ask("a@example.com")).await;
    assert_eq!(first.ok(), again.ok());
    assert_eq!((first.header("idempotent-replayed"), again.header("idempotent-replayed")), ("", "true"));
    assert_eq!(again.header("original-request"), first.header("request-id"));
    assert_ne!(again.header("request-id"), first.header("request-id"));
    assert_eq!(bench.send(ask("b@example.com")).await.refused(400)["type"], "idempotency_error");
    assert_eq!(bench.get("/v1/customers").await.ok()["data"].as_array().unwrap().len(), 1);
    let events = bench.settled().await;
    assert_eq!((events.len(), &events[0]["request"]["idempotency_key"]), (1, &json!("k")));
    assert_eq!(events[0]["request"]["id"], first.header("request-id"));
    bench.advance(DAY).await;
    assert_ne!(bench.send(ask("b@example.com")).await.ok()["id"], first.ok()["id"]);
    bench.stop().await;
}

#[actix_web::test]
async fn a_declined_card_stays_declined_under_its_key() {
    let bench = Bench::boot();
    let (customer, subscription) = bench.member().await;
    let card = format!("/_sandbox/customers/{customer}/card");
    bench.control(&card, json!({"card": "declines"})).await.ok();
    bench.advance(31 * DAY).await;
    let invoice = text(&bench.subscription(&subscription).await["latest_invoice"]);
    let pay = |key: &'static str| {
        bench.request(Method::POST, &format!("/v1/invoices/{invoice}/pay")).header("Idempotency-Key", key)
    };
    let declined = bench.send(pay("k")).await.refused(402);
    bench.control(&card, json!({"card": "works"})).await.ok();
    let again = bench.send(pay("k")).await;
    assert_eq!((again.refused(402), again.header("idempotent-replayed")), (declined, "true"));
    assert_eq!(bench.send(pay("l")).await.ok()["status"], "paid");
    bench.stop().await;
}

#[actix_web::test]
async fn ten_questions_with_one_key_at_once_make_one_customer() {
    let bench = Bench::boot();
    let ask = || {
        bench.send(
            bench
                .request(Method::POST, "/v1/customers")
                .header("Idempotency-Key", "k")
                .form(&[("email", "a@example.com")]),
        )
    };
    let answers = futures_util::future::join_all((0..10).map(|_| ask())).await;
    let ids: std::collections::HashSet<String> = answers.iter().map(|answer| text(&answer.ok()["id"])).collect();
    assert_eq!(ids.len(), 1);
    bench.stop().await;
}

#[actix_web::test]
async fn lists_have_pages() {
    let bench = Bench::boot();
    let mut ids = Vec::new();
    for number in 0..5 {
        ids.push(text(&bench.post("/v1/customers", &[("name", &number.to_string())]).await.ok()["id"]));
    }
    ids.reverse();
    let page = |query: String| {
        let bench = &bench;
        async move {
            let list = bench.get(&format!("/v1/customers?{query}")).await.ok();
            let names: Vec<String> = list["data"].as_array().unwrap().iter().map(|row| text(&row["id"])).collect();
            (names, list["has_more"].as_bool().unwrap())
        }
    };
    assert_eq!(page("limit=2".into()).await, (ids[0..2].to_vec(), true));
    assert_eq!(page(format!("limit=2&starting_after={}", ids[1])).await, (ids[2..4].to_vec(), true));
    assert_eq!(page(format!("limit=2&starting_after={}", ids[3])).await, (ids[4..].to_vec(), false));
    assert_eq!(page(format!("limit=2&ending_before={}", ids[3])).await, (ids[1..3].to_vec(), true));
    assert_eq!(page(format!("created[gte]={}", START + 1)).await, (vec![], false));
    bench.get("/v1/customers?starting_after=cus_x").await.refused(400);
    bench.stop().await;
}

#[actix_web::test]
async fn expand_puts_whole_objects_in_place_of_names() {
    let bench = Bench::boot();
    let (customer, subscription) = bench.member().await;
    let path = format!(
        "/v1/subscriptions/{subscription}?expand[]=customer&expand[]=latest_invoice.customer&expand[]=items.data.price.product"
    );
    let whole = bench.get(&path).await.ok();
    assert_eq!(whole["customer"]["id"], customer.as_str());
    assert_eq!(whole["latest_invoice"]["customer"]["email"], "ada@example.com");
    assert_eq!(whole["items"]["data"][0]["price"]["product"]["name"], "Membership");
    let list = bench.get("/v1/subscriptions?status=all&expand[]=data.customer").await.ok();
    assert_eq!(list["data"][0]["customer"]["id"], customer.as_str());
    let error = bench.get(&format!("/v1/subscriptions/{subscription}?expand[]=nonsense")).await.refused(400);
    assert!(text(&error["message"]).contains("cannot be expanded (nonsense)"));
    bench.stop().await;
}

#[actix_web::test]
async fn the_version_that_is_asked_for_decides_the_shape() {
    let bench = Bench::boot();
    let (_, subscription) = bench.member().await;
    let ask = |version: &'static str| {
        bench.send(
            bench.request(Method::GET, &format!("/v1/subscriptions/{subscription}")).header("Stripe-Version", version),
        )
    };
    let old = ask("2024-06-20").await;
    assert_eq!(old.header("stripe-version"), "2024-06-20");
    let old = old.ok();
    assert!(old["current_period_end"].is_i64() && old["items"]["data"][0].get("current_period_end").is_none(), "{old}");
    let new = ask("2026-09-30.endive").await.ok();
    assert!(new.get("current_period_end").is_none() && new["items"]["data"][0]["current_period_end"].is_i64(), "{new}");
    assert!(!new.to_string().contains("_legacy") && !old.to_string().contains("_legacy"));
    bench.stop().await;
}

#[actix_web::test]
async fn a_customer_is_changed_and_deleted() {
    let bench = Bench::boot();
    let (customer, subscription) = bench.member().await;
    let path = format!("/v1/customers/{customer}");
    let changed = bench.post(&path, &[("name", "Ada"), ("metadata[user]", ""), ("metadata[x]", "1")]).await.ok();
    assert_eq!((&changed["name"], &changed["metadata"]), (&json!("Ada"), &json!({"x": "1"})));
    let event = bench.settled().await.remove(0);
    assert_eq!(event["data"]["previous_attributes"], json!({"name": null, "metadata": {"user": "u1", "x": null}}));
    assert_eq!(bench.delete(&path).await.ok()["deleted"], true);
    assert_eq!(bench.types().await, ["customer.subscription.deleted", "customer.deleted"]);
    assert_eq!(bench.subscription(&subscription).await["status"], "canceled");
    assert_eq!(bench.get(&path).await.ok(), json!({"id": customer, "object": "customer", "deleted": true}));
    bench.post(&path, &[("name", "Bob")]).await.refused(404);
    bench.stop().await;
}

#[actix_web::test]
async fn answers_carry_the_time_of_the_moved_clock() {
    let bench = Bench::boot();
    bench.advance(40 * DAY).await;
    assert_eq!(bench.get("/v1/prices").await.header("date"), "Sat, 11 Jul 2026 10:00:00 GMT");
    bench.stop().await;
}

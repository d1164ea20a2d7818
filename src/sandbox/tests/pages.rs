//! What a person sees and clicks.

use reqwest::Method;
use serde_json::json;

use super::support::{Answer, Bench, DAY, text};

impl Bench {
    async fn page(&self, path: &str) -> Answer {
        self.send(self.http.request(Method::GET, self.url(path)).header("Accept", "text/html")).await
    }

    /// Clicks a button: the address that the answer leads to.
    async fn click(&self, path: &str, form: &[(&str, &str)]) -> String {
        let answer = self.send(self.http.post(self.url(path)).header("Sec-Fetch-Site", "same-origin").form(form)).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        answer.header("location").to_owned()
    }

    async fn checkout(&self, price: &str) -> (String, String) {
        let customer = self.customer().await;
        let session = self.session(&customer, price, &[]).await;
        (format!("/c/pay/{}", text(&session["id"])), text(&session["id"]))
    }
}

#[actix_web::test]
async fn every_page_says_that_it_is_a_sandbox_and_runs_no_script() {
    let bench = Bench::boot();
    let (customer, _) = bench.member().await;
    let (pay, _) = bench.checkout("price_monthly").await;
    let portal = bench
        .post("/v1/billing_portal/sessions", &[("customer", &customer), ("return_url", "http://127.0.0.1:9/account")])
        .await
        .ok();
    let invoice = &bench.get("/v1/invoices").await.ok()["data"][0];
    let charge = &bench.get("/v1/charges").await.ok()["data"][0];
    let path = |url: &serde_json::Value| text(url).replace(&bench.url(""), "");
    let pages = [
        ("/".to_owned(), 200),
        ("/_sandbox/clock".to_owned(), 200),
        ("/_sandbox/deliveries".to_owned(), 200),
        ("/_sandbox/requests".to_owned(), 200),
        (format!("/customers/{customer}"), 200),
        (path(&portal["url"]), 200),
        (path(&invoice["hosted_invoice_url"]), 200),
        (path(&charge["receipt_url"]), 200),
        (pay.clone(), 200),
        (format!("{pay}/confirm"), 200),
        ("/c/pay/cs_test_x".to_owned(), 404),
        ("/p/session/x".to_owned(), 404),
        ("/customers/x".to_owned(), 404),
        ("/receipts/x".to_owned(), 404),
        ("/nonsense".to_owned(), 404),
    ];
    for (path, status) in pages {
        let page = bench.page(&path).await;
        assert_eq!(page.status, status, "{path}");
        assert!(page.text.contains("no money moves here"), "{path}");
        assert!(!page.text.contains("<script") && !page.text.contains(" style="), "{path}");
        assert!(page.header("content-security-policy").starts_with("default-src 'none'"), "{path}");
        assert_eq!(page.header("cache-control"), "no-store", "{path}");
    }
    assert!(bench.page("/_sandbox/style.css").await.text.contains("prefers-color-scheme"));
    bench.stop().await;
}

#[actix_web::test]
async fn paying_leads_back_to_the_shop() {
    let bench = Bench::boot();
    let (path, id) = bench.checkout("price_monthly").await;
    let page = bench.page(&path).await;
    assert!(page.text.contains("€9.00") && page.text.contains("http://127.0.0.1:9/plans"), "{}", page.text);
    assert!(page.header("content-security-policy").contains("form-action 'self' http://127.0.0.1:9"));
    assert!(!page.text.contains("name=\"number\""), "the card's number is never sent");
    let back = format!("http://127.0.0.1:9/checkout/return?session={id}");
    assert_eq!(bench.click(&path, &[("act", "pay")]).await, back);
    assert_eq!(bench.click(&path, &[("act", "pay")]).await, back, "a double click pays once");
    assert_eq!(bench.get("/v1/subscriptions").await.ok()["data"].as_array().unwrap().len(), 1);
    assert!(bench.page(&path).await.text.contains("Paid already"));
    bench.stop().await;
}

#[actix_web::test]
async fn a_declined_card_says_so_on_the_same_page() {
    let bench = Bench::boot();
    let (path, _) = bench.checkout("price_monthly").await;
    let back = bench.click(&path, &[("act", "decline")]).await;
    assert!(bench.page(&back).await.text.contains("Your card was declined"));
    assert_eq!(bench.click(&path, &[("act", "nonsense")]).await, path);
    assert_eq!(bench.get("/v1/subscriptions").await.ok()["data"], json!([]));
    bench.stop().await;
}

#[actix_web::test]
async fn a_second_step_is_confirmed_or_refused() {
    let bench = Bench::boot();
    let (path, _) = bench.checkout("price_half_year").await;
    let step = bench.click(&path, &[("act", "second_step")]).await;
    assert!(bench.page(&step).await.text.contains("Your bank asks you to confirm"));
    let back = bench.click(&path, &[("act", "refuse")]).await;
    assert!(bench.page(&back).await.text.contains("not confirmed"));
    assert!(bench.click(&path, &[("act", "confirm")]).await.starts_with("http://127.0.0.1:9/checkout/return"));
    bench.stop().await;
}

#[actix_web::test]
async fn an_expired_checkout_leads_back() {
    let bench = Bench::boot();
    let (path, _) = bench.checkout("price_monthly").await;
    bench.advance(2 * DAY).await;
    let page = bench.page(&path).await;
    assert_eq!(page.status, 410);
    assert!(page.text.contains("has expired") && page.text.contains("http://127.0.0.1:9/plans"));
    assert_eq!(bench.click(&path, &[("act", "pay")]).await, path);
    bench.stop().await;
}

#[actix_web::test]
async fn the_portal_cancels_resumes_changes_and_pays() {
    let bench = Bench::boot();
    let (customer, subscription) = bench.member().await;
    let (_, foreign) = bench.member().await;
    let portal = bench.post("/v1/billing_portal/sessions", &[("customer", &customer)]).await.ok();
    let path = text(&portal["url"]).replace(&bench.url(""), "");
    let act = |act: &'static str, id: &str| {
        let (path, id, bench) = (path.clone(), id.to_owned(), &bench);
        async move { bench.click(&path, &[("act", act), ("subscription", &id), ("price", "price_yearly")]).await }
    };
    act("cancel_now", &foreign).await;
    assert_eq!(
        bench.subscription(&foreign).await["status"],
        "active",
        "another customer's subscription is out of reach"
    );

    act("cancel_at_period_end", &subscription).await;
    let ending = bench.subscription(&subscription).await;
    assert_eq!(
        (&ending["cancel_at_period_end"], ending["cancel_at"].is_i64()),
        (&json!(false), true),
        "flexible billing names the date"
    );
    assert!(bench.page(&path).await.text.contains("Ends on"));
    act("resume", &subscription).await;
    assert_eq!(bench.subscription(&subscription).await["cancel_at"], json!(null));
    act("change_plan", &subscription).await;
    assert_eq!(bench.subscription(&subscription).await["items"]["data"][0]["price"]["id"], "price_yearly");
    act("card_declines", "").await;
    bench.advance(366 * DAY).await;
    assert_eq!(bench.subscription(&subscription).await["status"], "past_due");
    act("card_works", "").await;
    let invoice =
        text(&bench.get(&format!("/v1/invoices?subscription={subscription}&status=open")).await.ok()["data"][0]["id"]);
    bench.click(&path, &[("act", "pay_invoice"), ("invoice", &invoice)]).await;
    assert_eq!(bench.subscription(&subscription).await["status"], "active");
    act("cancel_now", &subscription).await;
    assert_eq!(bench.subscription(&subscription).await["status"], "canceled");
    bench.stop().await;
}

#[actix_web::test]
async fn the_old_portal_sets_the_flag() {
    let bench = Bench::boot();
    bench.control("/_sandbox/delivery", json!({"shape": "subscription"})).await.ok();
    let (customer, subscription) = bench.member().await;
    let portal = bench.post("/v1/billing_portal/sessions", &[("customer", &customer)]).await.ok();
    let path = text(&portal["url"]).replace(&bench.url(""), "");
    bench.click(&path, &[("act", "cancel_at_period_end"), ("subscription", &subscription)]).await;
    assert_eq!(bench.subscription(&subscription).await["cancel_at_period_end"], true);
    bench.stop().await;
}

#[actix_web::test]
async fn the_first_page_moves_the_clock_and_the_switches() {
    let bench = Bench::boot();
    let (customer, subscription) = bench.member().await;
    assert_eq!(bench.click("/clock", &[("to", "period_end")]).await, "/");
    assert_eq!(
        bench.subscription(&subscription).await["items"]["data"][0]["current_period_start"],
        super::support::START + 30 * DAY
    );
    assert!(bench.types().await.contains(&"invoice.paid".to_owned()));
    bench
        .click("/switches", &[("order", "reversed"), ("shape", "subscription"), ("copies", "2"), ("delay_ms", "0")])
        .await;
    let settings = bench.get("/_sandbox/delivery").await.ok();
    assert_eq!(
        (&settings["order"], &settings["shape"], &settings["copies"]),
        (&json!("reversed"), &json!("subscription"), &json!(2))
    );
    let charge = text(&bench.get("/v1/charges").await.ok()["data"][0]["id"]);
    bench.click(&format!("/customers/{customer}"), &[("act", "refund"), ("charge", &charge)]).await;
    assert_eq!(bench.get(&format!("/v1/charges/{charge}")).await.ok()["refunded"], true);
    bench.stop().await;
}

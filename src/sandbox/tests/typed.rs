//! The client library's own types, which are tight, read what the sandbox answers.

use serde_json::json;

use super::support::{Bench, text};

fn reads<T: miniserde::Deserialize>(text: &str) {
    assert!(miniserde::json::from_str::<T>(text).is_ok(), "{} can't read {text}", std::any::type_name::<T>());
}

#[actix_web::test]
async fn the_typed_objects_of_our_client_library_read_the_answers() {
    let bench = Bench::boot();
    let (customer, subscription) = bench.member().await;
    let session = bench.session(&customer, "price_half_year", &[]).await;
    bench.finish(&session, json!({"outcome": "paid"})).await;
    let portal = bench.post("/v1/billing_portal/sessions", &[("customer", &customer)]).await;
    reads::<stripe_billing::BillingPortalSession>(&portal.text);
    reads::<stripe_shared::Customer>(&bench.get(&format!("/v1/customers/{customer}")).await.text);
    reads::<stripe_shared::Subscription>(&bench.get(&format!("/v1/subscriptions/{subscription}")).await.text);
    reads::<stripe_shared::CheckoutSession>(
        &bench.get(&format!("/v1/checkout/sessions/{}", text(&session["id"]))).await.text,
    );
    reads::<stripe_shared::Price>(&bench.get("/v1/prices/price_monthly?expand[]=product").await.text);
    let first = |list: &serde_json::Value| list["data"][0].to_string();
    reads::<stripe_shared::Invoice>(&first(&bench.get("/v1/invoices").await.ok()));
    reads::<stripe_shared::Charge>(&first(&bench.get("/v1/charges").await.ok()));
    reads::<stripe_shared::PaymentIntent>(&first(&bench.get("/v1/payment_intents").await.ok()));
    reads::<stripe_shared::Product>(&first(&bench.get("/v1/products").await.ok()));
    let intent = text(&bench.get("/v1/payment_intents").await.ok()["data"][0]["id"]);
    reads::<stripe_shared::Refund>(
        &bench.post("/v1/refunds", &[("payment_intent", &intent), ("amount", "1")]).await.text,
    );
    bench.stop().await;
}

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

#[actix_web::test]
async fn our_client_library_subscribes_and_cancels() {
    use std::collections::HashMap;

    use stripe_billing::{
        billing_portal_session::CreateBillingPortalSession,
        subscription::{CancelSubscription, RetrieveSubscription, UpdateSubscription},
    };
    use stripe_checkout::checkout_session::{
        CreateCheckoutSession, CreateCheckoutSessionLineItems, CreateCheckoutSessionSubscriptionData,
    };
    use stripe_core::customer::CreateCustomer;

    // Another test may have been first: one provider for the process is enough.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let bench = Bench::boot();
    let client = stripe::ClientBuilder::new("sk_test_bench").url(bench.url("/")).build().unwrap();
    let user = HashMap::from([("user".to_owned(), "u1".to_owned())]);
    let customer = CreateCustomer::new().email("ada@example.com").metadata(user.clone()).send(&client).await.unwrap();
    let item = CreateCheckoutSessionLineItems {
        price: Some("price_monthly".to_owned()),
        quantity: Some(1),
        ..Default::default()
    };
    let mut data = CreateCheckoutSessionSubscriptionData::new();
    data.metadata = Some(user);
    data.trial_end = Some(super::support::START + 90 * super::support::DAY);
    let session = CreateCheckoutSession::new()
        .mode(stripe_shared::CheckoutSessionMode::Subscription)
        .customer(customer.id.as_str())
        .client_reference_id("u1")
        .line_items(vec![item])
        .subscription_data(data)
        .success_url("http://127.0.0.1:9/return")
        .send(&client)
        .await
        .unwrap();
    assert!(session.url.unwrap().contains("/c/pay/cs_test_"));
    let done = bench.finish(&json!({"id": session.id.as_str()}), json!({"outcome": "paid"})).await;
    let id = text(&done["subscription"]);
    let subscription = RetrieveSubscription::new(id.as_str()).send(&client).await.unwrap();
    assert_eq!(subscription.status, stripe_shared::SubscriptionStatus::Trialing);
    let ending = UpdateSubscription::new(id.as_str()).cancel_at_period_end(true).send(&client).await.unwrap();
    assert!(ending.cancel_at_period_end);
    CreateBillingPortalSession::new().customer(customer.id.as_str()).send(&client).await.unwrap();
    let ended = CancelSubscription::new(id.as_str()).send(&client).await.unwrap();
    assert_eq!(ended.status, stripe_shared::SubscriptionStatus::Canceled);
    bench.stop().await;
}

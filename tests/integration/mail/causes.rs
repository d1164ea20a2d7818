//! What happens at Stripe, as people are told of it.

use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{on_both, support::app::App};

on_both! {
    a_card_that_fails_until_the_end,
    money_that_goes_back,
}

async fn a_card_that_fails_until_the_end(app: App) {
    let ada = app.member_after_trial().await;
    ada.pays_for("monthly").await;
    assert!(app.outbox().await.is_empty(), "who pays has nothing to be told");
    let customer = app.database.text("SELECT stripe_customer_id FROM users").unwrap();
    let path = format!("/_sandbox/customers/{customer}/card");
    app.sandbox(Method::POST, &path, json!({ "card": "declines" })).await;

    app.advance_stripe(TimeDelta::days(31)).await;
    let [failed] = app.outbox().await.try_into().unwrap();
    assert_eq!(failed.to, [ada.email.as_str()]);
    assert_eq!(failed.subject, "Your payment did not go through");
    for words in ["€9.00 for \"Monthly\"", "It will be tried again by itself on", "the premium pages stay closed"] {
        assert!(failed.text.contains(words), "{words}: {}", failed.text);
    }
    ada.log_in().await;
    ada.get("/premium").await.is(403);

    // More tries for the same invoice, and then the end.
    app.advance_stripe(TimeDelta::days(13)).await;
    let [_, ended] = app.outbox().await.try_into().unwrap();
    assert_eq!(ended.subject, "Your subscription has ended");
    for words in ["Your subscription \"Monthly\" ended on", "The premium pages are closed for you now."] {
        assert!(ended.text.contains(words), "{words}: {}", ended.text);
    }

    // Once for each cause, whatever Stripe sends once more.
    let events = app.sandbox(Method::GET, "/v1/events?limit=100", Value::Null).await;
    for event in events["data"].as_array().unwrap() {
        let path = format!("/_sandbox/events/{}/redelivery", event["id"].as_str().unwrap());
        app.sandbox(Method::POST, &path, Value::Null).await;
    }
    app.deliveries_done().await;
    app.run_jobs().await;
    assert_eq!(app.outbox().await.len(), 2);
}

async fn money_that_goes_back(app: App) {
    let ada = app.member_after_trial().await;
    ada.pays_for("monthly").await;
    let paid = "SELECT provider_payment_id FROM payments WHERE status = 'paid'";
    let intent = app.database.text(paid).expect("the payment");
    app.at_stripe(Method::POST, "/v1/refunds", &[("payment_intent", &intent), ("amount", "300")]).await;
    app.deliveries_done().await;
    let [part] = app.outbox().await.try_into().unwrap();
    assert_eq!(part.subject, "Your refund is on its way");
    assert!(part.text.contains("€3.00 of your payment for \"Monthly\" has been refunded so far."), "{}", part.text);
    assert!(!part.text.contains("premium pages"), "{}", part.text);

    app.at_stripe(Method::POST, "/v1/refunds", &[("payment_intent", &intent)]).await;
    app.deliveries_done().await;
    let [_, rest] = app.outbox().await.try_into().unwrap();
    assert!(rest.text.contains("Your payment of €9.00 for \"Monthly\" was refunded in full."), "{}", rest.text);
    assert!(rest.text.contains("5 to 10 working days") && rest.html.contains("5 to 10 working days"));
}

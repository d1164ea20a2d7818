//! `/webhooks/stripe`: how a customer at Stripe becomes somebody's here, and stops being it (`docs/rules.md §5, §8`).

use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{app::App, case::Cases, stripe::Snapshot},
};

on_both! {
    a_customer_that_is_gone_is_nobodys_whatever_comes_afterwards,
    after_a_customer_is_gone_the_next_checkout_makes_a_new_one_once,
    a_customer_links_what_waited_for_it,
    a_second_customer_does_not_take_the_place_of_the_first,
}

fn customer(id: &str, user: &str) -> Value {
    json!({ "id": id, "object": "customer", "email": "somebody.else@example.com", "metadata": { "user_id": user } })
}

fn session(customer: &str, user: &str) -> Value {
    json!({
        "id": format!("cs_of_{customer}"), "object": "checkout.session", "mode": "subscription", "customer": customer,
        "client_reference_id": user, "subscription": null, "payment_status": "paid", "metadata": { "user_id": user },
    })
}

fn customer_of(cases: &Cases) -> Option<String> {
    cases.app.database.text(&format!("SELECT stripe_customer_id FROM users WHERE public_id = '{}'", cases.user))
}

async fn a_customer_that_is_gone_is_nobodys_whatever_comes_afterwards(app: App) {
    let cases = Cases::after_trial(&app).await;
    let billing = app.billing().await;
    for deleted_first in [false, true] {
        let id = cases.next().await.customer;
        let mut gone = customer(&id, &cases.user);
        gone["deleted"] = json!(true);
        let made = cases.event("customer.created", &customer(&id, &cases.user));
        let changed = cases.event("customer.updated", &customer(&id, &cases.user));
        let paid = cases.event("checkout.session.completed", &session(&id, &cases.user));
        let deleted = cases.event("customer.deleted", &gone);
        let order = if deleted_first { [&deleted, &paid, &changed, &made] } else { [&made, &changed, &paid, &deleted] };
        for event in order {
            cases.takes(event).await;
        }
        assert_eq!(customer_of(&cases), None, "deleted first: {deleted_first}");
        for event in [made, changed, paid, deleted] {
            billing.replay(event["id"].as_str().unwrap()).await.unwrap();
            assert_eq!(customer_of(&cases), None, "deleted first: {deleted_first}, replayed {event}");
        }
    }
}

async fn after_a_customer_is_gone_the_next_checkout_makes_a_new_one_once(app: App) {
    let cases = Cases::after_trial(&app).await;
    cases.member.opens_checkout("monthly").await;
    app.deliveries_done().await;
    let first = customer_of(&cases).unwrap();
    app.sandbox(Method::DELETE, &format!("/v1/customers/{first}"), Value::Null).await;
    app.deliveries_done().await;
    assert_eq!(customer_of(&cases), None, "the customer is gone at Stripe");

    // Stripe answers an equal question of the same ten minutes as it did before.
    app.advance_stripe(TimeDelta::hours(1)).await;
    for _ in 0..3 {
        cases.member.opens_checkout("monthly").await;
        app.deliveries_done().await;
    }
    let second = customer_of(&cases).unwrap();
    assert_ne!(second, first);
    let list = app.sandbox(Method::GET, "/v1/customers?limit=100", Value::Null).await;
    let ids: Vec<&str> = list["data"].as_array().unwrap().iter().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!(ids, [second.as_str()], "one customer for each person");
    cases.member.pays_for("monthly").await;
    cases.is_open("paid").await;
}

async fn a_customer_links_what_waited_for_it(app: App) {
    let cases = Cases::after_trial(&app).await;
    for (kind, tells) in [
        ("customer.created", customer as fn(&str, &str) -> Value),
        ("customer.updated", customer),
        ("checkout.session.completed", session),
    ] {
        let snapshot = Snapshot { user: None, ..cases.next().await };
        let early = cases.event("customer.subscription.created", &snapshot.object());
        let renewed = cases.event("customer.subscription.updated", &snapshot.renewed().object());
        for event in [&early, &renewed] {
            cases.takes(event).await;
            assert_eq!(cases.noted(event, "outcome").as_deref(), Some("unmatched"), "{kind}");
        }
        cases.is_closed(kind).await;
        let link = cases.event(kind, &tells(&snapshot.customer, &cases.user));
        cases.takes(&link).await;
        assert_eq!(cases.is_open(kind).await.until, Some(snapshot.renewed().end), "{kind}");
        for event in [&early, &renewed, &link] {
            assert_eq!(cases.noted(event, "outcome").as_deref(), Some("applied"), "{kind}");
            let whose = "(SELECT public_id FROM users WHERE users.id = user_id)";
            assert_eq!(cases.noted(event, whose), Some(cases.user.clone()), "{kind}");
        }
        assert_eq!(customer_of(&cases), Some(snapshot.customer), "{kind}");
    }
}

async fn a_second_customer_does_not_take_the_place_of_the_first(app: App) {
    let cases = Cases::after_trial(&app).await;
    let first = cases.next().await.customer;
    cases.takes(&cases.event("customer.created", &customer(&first, &cases.user))).await;
    for (kind, object) in [
        ("customer.created", customer("cus_second", &cases.user)),
        ("customer.updated", customer("cus_second", &cases.user)),
        ("checkout.session.completed", session("cus_second", &cases.user)),
        ("customer.deleted", customer("cus_second", &cases.user)),
    ] {
        let event = cases.event(kind, &object);
        cases.takes(&event).await;
        assert_eq!(cases.noted(&event, "outcome").as_deref(), Some("ignored"), "{kind}");
        assert_eq!(customer_of(&cases).as_deref(), Some(first.as_str()), "{kind}");
    }
}

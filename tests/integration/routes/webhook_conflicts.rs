//! `/webhooks/stripe`: what names two people is given to neither, and nobody is found by an address
//! (`docs/rules.md §5`).

use chrono::Utc;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{
        app::App,
        case::Cases,
        client::Visitor,
        member::Member,
        process::Process,
        stripe::{self, Snapshot, event},
    },
};

on_both! {
    a_subscription_of_two_people_opens_nothing_for_either,
    what_is_kept_for_one_is_not_given_to_another,
    a_checkout_that_names_two_people_links_neither,
    a_customer_of_one_that_names_another_stays_where_it_is,
    nobody_is_found_by_an_address,
}

/// Two people after their trials; the first is the customer `cus_ada`, the second `cus_bob`.
struct Pair {
    app: App,
    ada: Cases,
    bob: Member,
    bob_id: String,
}

impl Pair {
    async fn new(app: App) -> Self {
        let bob = app.member().await;
        let ada = Cases::after_trial(&app).await;
        bob.log_in().await;
        let bob_id = bob.id().await;
        let pair = Self { app, ada, bob, bob_id };
        pair.link();
        pair
    }

    fn link(&self) {
        for (user, customer) in [(&self.ada.user, "cus_ada"), (&self.bob_id, "cus_bob")] {
            self.app
                .database
                .execute(&format!("UPDATE users SET stripe_customer_id = '{customer}' WHERE public_id = '{user}'"));
        }
    }

    fn links(&self) -> [Option<String>; 2] {
        [&self.ada.user, &self.bob_id].map(|user| {
            self.app.database.text(&format!("SELECT stripe_customer_id FROM users WHERE public_id = '{user}'"))
        })
    }

    /// Delivers what must be refused: with 200, so that it does not come again.
    async fn is_refused(&self, case: &str, event: &Value) {
        self.ada.takes(event).await;
        assert_eq!(self.ada.noted(event, "outcome").as_deref(), Some("ignored"), "{case}");
        let detail = self.ada.noted(event, "detail").unwrap_or_default();
        assert!(detail.starts_with("conflict"), "{case}: {detail}");
        assert_eq!(self.ada.noted(event, "change"), None, "{case}");
    }

    async fn neither_reads(&self, case: &str) {
        self.ada.is_closed(case).await;
        assert_eq!(self.bob.me().await["access"]["granted"], false, "{case}");
        self.bob.get("/premium").await.is(403);
    }
}

async fn a_subscription_of_two_people_opens_nothing_for_either(app: App) {
    let pair = Pair::new(app).await;
    for (customer, user) in [("cus_ada", &pair.bob_id), ("cus_bob", &pair.ada.user)] {
        for (kind, status) in
            [("created", "active"), ("updated", "trialing"), ("deleted", "canceled"), ("resumed", "active")]
        {
            let snapshot = pair.ada.next().await.status(status);
            pair.link();
            let mixed = Snapshot { customer: customer.to_owned(), user: Some(user.clone()), ..snapshot };
            let event = pair.ada.event(&format!("customer.subscription.{kind}"), &mixed.object());
            pair.is_refused(kind, &event).await;
            pair.neither_reads(kind).await;
            assert_eq!(pair.app.database.count("subscriptions", "kind = 'recurring'"), 0, "{kind}");
        }
    }
}

async fn what_is_kept_for_one_is_not_given_to_another(app: App) {
    let pair = Pair::new(app).await;
    let kept = Snapshot { customer: "cus_new".into(), ..pair.ada.next().await };
    pair.link();
    pair.ada.hears_of(&kept).await;
    let open = pair.ada.is_open("kept").await;
    let longer = Snapshot { end: kept.renewed().end, ..kept };
    for (case, customer, user) in [
        ("named by the metadata", "cus_new", Some(pair.bob_id.clone())),
        ("named by the customer", "cus_bob", None),
        ("named by both", "cus_bob", Some(pair.bob_id.clone())),
        ("both named", "cus_ada", Some(pair.bob_id.clone())),
    ] {
        for status in ["active", "canceled"] {
            let mixed = Snapshot { customer: customer.to_owned(), user: user.clone(), ..longer.status(status) };
            let event = pair.ada.event("customer.subscription.updated", &mixed.object());
            pair.is_refused(case, &event).await;
            assert_eq!(pair.ada.is_open(case).await, open, "{case}");
            assert_eq!(pair.bob.me().await["access"]["granted"], false, "{case}");
        }
    }
    pair.ada.hears_of(&longer).await;
    assert_eq!(pair.ada.is_open("it still follows its own events").await.until, Some(longer.end));
}

async fn a_checkout_that_names_two_people_links_neither(app: App) {
    let pair = Pair::new(app).await;
    let (ada, bob) = (json!(pair.ada.user), json!(pair.bob_id));
    let nobody = json!("nobody-here");
    for (case, customer, reference, named) in [
        ("the reference of one, the metadata of another", "cus_new", &ada, &bob),
        ("the other way round", "cus_new", &bob, &ada),
        ("the customer of another", "cus_bob", &ada, &ada),
        ("the other way round", "cus_ada", &bob, &bob),
        ("the customer of another, by the reference alone", "cus_bob", &ada, &Value::Null),
        ("the customer of another, by the metadata alone", "cus_bob", &Value::Null, &ada),
        ("the customer of another, by the metadata beside nobody", "cus_bob", &nobody, &ada),
    ] {
        for mode in ["subscription", "payment", "setup"] {
            for linked in [true, false] {
                pair.ada.next().await;
                pair.link();
                if !linked && customer == "cus_new" {
                    pair.app.database.execute("UPDATE users SET stripe_customer_id = NULL");
                }
                let before = pair.links();
                let session = json!({
                    "id": "cs_1", "object": "checkout.session", "mode": mode, "status": "complete", "payment_status": "paid",
                    "customer": customer, "client_reference_id": reference, "subscription": "sub_of_nobody",
                    "payment_intent": "pi_1", "amount_total": 4_900, "currency": "eur",
                    "metadata": { "user_id": named, "plan": "half-year", "months": "6" },
                });
                let event = pair.ada.event("checkout.session.completed", &session);
                pair.is_refused(&format!("{mode}: {case}"), &event).await;
                assert_eq!(pair.links(), before, "{mode}: {case}");
                pair.neither_reads(case).await;
            }
        }
    }
}

async fn a_customer_of_one_that_names_another_stays_where_it_is(app: App) {
    let pair = Pair::new(app).await;
    let before = pair.links();
    for (customer, user) in [("cus_ada", &pair.bob_id), ("cus_bob", &pair.ada.user)] {
        for kind in ["customer.created", "customer.updated"] {
            let object = json!({ "id": customer, "object": "customer", "metadata": { "user_id": user } });
            let event = pair.ada.event(kind, &object);
            pair.is_refused(kind, &event).await;
            assert_eq!(pair.links(), before, "{kind}");
        }
    }
}

/// At Stripe anybody may type any address.
async fn nobody_is_found_by_an_address(app: App) {
    let cases = Cases::after_trial(&app).await;
    let email = cases.member.email.clone();
    let snapshot = Snapshot { user: None, ..cases.next().await };
    let customer = json!({ "id": snapshot.customer, "object": "customer", "email": email, "metadata": {} });
    let mut expanded = snapshot.object();
    expanded["customer"] = customer.clone();
    expanded["metadata"] = json!({ "email": email, "user_email": email });
    let session = json!({
        "id": "cs_1", "object": "checkout.session", "mode": "subscription", "customer": snapshot.customer,
        "client_reference_id": null, "subscription": snapshot.id, "payment_status": "paid", "metadata": {},
        "customer_email": email, "customer_details": { "email": email },
    });
    let by_reference = |reference: &str| {
        let mut session = session.clone();
        session["client_reference_id"] = json!(reference);
        session
    };
    for (kind, object) in [
        ("customer.created", customer.clone()),
        ("customer.updated", customer),
        ("customer.subscription.created", snapshot.object()),
        ("customer.subscription.updated", expanded),
        ("checkout.session.completed", session.clone()),
        ("checkout.session.completed", by_reference(&email)),
        ("invoice.paid", stripe::invoice("in_1", &snapshot, true)),
    ] {
        cases.takes(&cases.event(kind, &object)).await;
        cases.is_closed(kind).await;
        let linked = app.database.count("users", "stripe_customer_id IS NOT NULL");
        assert_eq!((linked, app.database.count("subscriptions", "kind = 'recurring'")), (0, 0), "{kind}");
    }
    assert_eq!(app.database.count("payments", "1 = 1"), 0);
}

#[test]
fn a_conflict_stands_in_the_log_without_anybodys_address() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::serve(folder.path(), &[("TURNPIKE_STRIPE_WEBHOOK_SECRET", stripe::WEBHOOK_SECRET)]);
    let address = server.address();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut people = Vec::new();
        for email in ["ada@example.com", "bob@example.com"] {
            let visitor = Visitor::new(address);
            visitor.signs_up(email).await.is(303);
            let me = visitor.get_json("/api/v1/me").await.json();
            people.push(me["user"]["id"].as_str().unwrap().to_owned());
        }
        #[expect(clippy::disallowed_methods, reason = "the program that runs here has the system's clock")]
        let now = Utc::now();
        let customer = json!({ "id": "cus_of_ada", "object": "customer", "metadata": { "user_id": people[0] } });
        let mixed = Snapshot::active("sub_of_both", "cus_of_ada", &people[1], now);
        let session = json!({
            "id": "cs_of_both", "object": "checkout.session", "mode": "subscription", "customer": "cus_else",
            "client_reference_id": people[0], "metadata": { "user_id": people[1] },
        });
        let events = [
            event("evt_1", "customer.created", now, &customer),
            mixed.event("evt_2", "created", now),
            event("evt_3", "checkout.session.completed", now, &session),
        ];
        for event in events {
            let body = event.to_string();
            let signature = stripe::signature(stripe::WEBHOOK_SECRET, now.timestamp(), body.as_bytes());
            let deliver = |request: reqwest::RequestBuilder| request.header("Stripe-Signature", signature).body(body);
            Visitor::new(address).send(Method::POST, "/webhooks/stripe", deliver).await.is(200);
        }
    });
    let printed = server.printed();
    for name in ["sub_of_both", "cus_else"] {
        let refused = printed.lines().any(|line| line.contains("ERROR") && line.contains(name));
        assert!(refused, "nobody is told about {name}:\n{printed}");
    }
    assert!(!printed.contains("@example.com"), "{printed}");
}

//! `/webhooks/stripe`: what is written down of each event (`docs/rules.md §5, §10`).

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{
        app::App,
        case::Cases,
        stripe::{self, Snapshot, invoice},
    },
};

on_both! {
    what_is_not_signed_by_stripe_leaves_nothing,
    each_event_is_kept_with_what_became_of_it,
    what_it_changed_is_kept_from_before_to_after,
    a_redelivery_is_counted_and_changes_nothing,
}

async fn what_is_not_signed_by_stripe_leaves_nothing(app: App) {
    let cases = Cases::after_trial(&app).await;
    let event = cases.event("customer.subscription.created", &cases.next().await.object());
    let body = event.to_string().into_bytes();
    let now = app.now().timestamp();
    for signature in [
        String::new(),
        stripe::signature("whsec_of_somebody_else", now, &body),
        stripe::signature(stripe::WEBHOOK_SECRET, now - 301, &body),
        stripe::signature(stripe::WEBHOOK_SECRET, now + 301, &body),
        stripe::signature(stripe::WEBHOOK_SECRET, now, b"{}"),
    ] {
        app.deliver_signed(body.clone(), &signature).await.is(400);
        assert_eq!(app.events_recorded(), 0, "{signature}");
    }
    cases.is_closed("nothing came from Stripe").await;
    cases.takes(&event).await;
    assert_eq!(app.events_recorded(), 1);
}

/// What has to stand in the journal: outcome, subscription, customer, whether it is the person's.
type Kept = (&'static str, Option<&'static str>, Option<&'static str>, bool);

async fn each_event_is_kept_with_what_became_of_it(app: App) {
    let cases = Cases::after_trial(&app).await;
    let ours = Snapshot { id: "sub_a".into(), customer: "cus_a".into(), ..cases.next().await };
    let strange = Snapshot { id: "sub_b".into(), customer: "cus_b".into(), user: None, ..ours.clone() };
    let foreign = Snapshot { price: "price_of_something_else".into(), ..strange.clone() };
    let session = json!({
        "id": "cs_1", "object": "checkout.session", "mode": "subscription", "customer": { "id": "cus_a" },
        "client_reference_id": cases.user, "subscription": { "id": "sub_a" }, "metadata": null,
    });
    let card = json!({ "id": "card_1", "object": "card", "customer": "cus_a" });
    let named = json!({ "id": "cus_a", "object": "customer", "metadata": { "user_id": cases.user } });
    let both = (Some("sub_a"), Some("cus_a"));
    let rows: [(&str, Value, Kept); 10] = [
        ("customer.subscription.created", ours.object(), ("applied", both.0, both.1, true)),
        ("customer.subscription.updated", ours.renewed().object(), ("applied", both.0, both.1, true)),
        ("customer.subscription.updated", strange.object(), ("unmatched", Some("sub_b"), Some("cus_b"), false)),
        ("customer.subscription.updated", foreign.object(), ("ignored", Some("sub_b"), Some("cus_b"), false)),
        ("customer.subscription.updated", json!({}), ("ignored", None, None, false)),
        ("checkout.session.completed", session, ("applied", both.0, both.1, true)),
        ("customer.updated", named, ("applied", None, Some("cus_a"), true)),
        ("customer.source.created", card, ("ignored", None, Some("cus_a"), false)),
        ("invoice.created", invoice("in_1", &ours, false), ("ignored", both.0, both.1, false)),
        ("a.type.of_tomorrow", json!({ "id": "x" }), ("ignored", None, None, false)),
    ];
    for (number, (kind, object, (outcome, subscription, customer, known))) in rows.into_iter().enumerate() {
        let mut event = cases.event(kind, &object);
        if number % 2 == 1 {
            event["api_version"] = Value::Null;
        }
        app.advance(TimeDelta::seconds(7));
        cases.takes(&event).await;
        let noted = |column: &str| cases.noted(&event, column);
        let case = format!("{kind}: {object:.50}");
        assert_eq!(noted("event_type").as_deref(), Some(kind), "{case}");
        assert_eq!(noted("outcome").as_deref(), Some(outcome), "{case}");
        assert_eq!(noted("detail").is_some(), outcome != "applied", "{case}: {:?}", noted("detail"));
        assert_eq!(noted("provider_subscription_id").as_deref(), subscription, "{case}");
        assert_eq!(noted("provider_customer_id").as_deref(), customer, "{case}");
        let whose = noted("(SELECT public_id FROM users WHERE users.id = user_id)");
        assert_eq!(whose, known.then(|| cases.user.clone()), "{case}");
        assert_eq!(noted("payload"), Some(event.to_string()), "{case}: not as it came");
        assert_eq!(noted("api_version").as_deref(), event["api_version"].as_str(), "{case}");
        assert_eq!(noted("created_at"), Some((event["created"].as_i64().unwrap() * 1_000_000).to_string()), "{case}");
        let now = Some(app.now().timestamp_micros().to_string());
        assert_eq!((noted("received_at"), noted("finished_at")), (now.clone(), now), "{case}");
        assert_eq!((noted("attempts").as_deref(), noted("retry_at")), (Some("1"), None), "{case}");
    }
    assert_eq!(app.events_recorded(), 10);
}

async fn what_it_changed_is_kept_from_before_to_after(app: App) {
    let cases = Cases::after_trial(&app).await;
    let first = cases.next().await;
    let steps =
        [first.clone(), first.renewed(), first.renewed().status("past_due"), first.renewed().canceled(app.now())];
    let mut last = Value::Null;
    for (snapshot, word) in steps.iter().zip(["active", "active", "past_due", "canceled"]) {
        let event = cases.event("customer.subscription.updated", &snapshot.object());
        cases.takes(&event).await;
        let change: Value = serde_json::from_str(&cases.noted(&event, "change").unwrap()).unwrap();
        assert_eq!(change["before"], last, "{change}");
        assert_eq!(
            (&change["after"]["status"], &change["after"]["plan"]),
            (&json!(word), &json!("monthly")),
            "{change}"
        );
        assert!(change["after"]["period"].to_string().contains(&snapshot.end.format("%FT%T").to_string()), "{change}");
        last = change["after"].clone();
    }
    for (outcome, snapshot) in [("stale", first.clone()), ("ignored", first.status("incomplete"))] {
        let event = cases.event("customer.subscription.updated", &snapshot.object());
        cases.takes(&event).await;
        assert_eq!(cases.noted(&event, "outcome").as_deref(), Some(outcome));
        assert_eq!(cases.noted(&event, "change"), None, "{outcome}");
    }
}

async fn a_redelivery_is_counted_and_changes_nothing(app: App) {
    let cases = Cases::after_trial(&app).await;
    let snapshot = cases.next().await;
    let stranger = Snapshot { id: "sub_else".into(), customer: "cus_else".into(), user: None, ..snapshot.clone() };
    let events = [
        cases.event("customer.subscription.created", &snapshot.object()),
        cases.event("customer.subscription.updated", &stranger.object()),
        cases.event("a.type.of_tomorrow", &json!({})),
    ];
    let columns = "outcome || ' ' || coalesce(detail, '-') || ' ' || coalesce(change, '-') || CAST(received_at AS TEXT) || payload";
    for event in events {
        cases.takes(&event).await;
        let (standing, kept) = (cases.standing("once").await, cases.noted(&event, columns));
        for attempts in 2..=4 {
            app.advance(TimeDelta::seconds(1));
            let answer = cases.takes(&event).await.json();
            let waits = kept.as_ref().unwrap().starts_with("unmatched");
            assert_eq!(answer["outcome"], if waits { "unmatched" } else { "seen" });
            assert_eq!(cases.noted(&event, "attempts"), Some(attempts.to_string()));
            assert_eq!(cases.noted(&event, columns), kept);
            assert_eq!(cases.standing("again").await, standing);
        }
    }
    // Nor does another body under the same id.
    let mut other = cases.event("customer.subscription.updated", &snapshot.canceled(app.now()).object());
    other["id"] = json!("evt_1");
    let kept = cases.noted(&other, columns);
    assert_eq!(cases.takes(&other).await.json()["outcome"], "seen");
    assert_eq!(cases.noted(&other, columns), kept);
    cases.is_open("the first counts").await;
    assert_eq!(app.database.count("subscriptions", "kind = 'recurring' AND version = 1"), 1);
}

//! `/webhooks/stripe`: what may stand in and around a subscription (`docs/stripe.md`, "Shapes: be tolerant").

use serde_json::{Value, json};

use crate::{
    on_both,
    support::{app::App, case::Cases, stripe::Snapshot},
};

on_both! {
    what_names_nobody_opens_nothing,
    dates_of_other_ages_are_shown_and_nothing_breaks,
    all_that_stands_around_it_may_be_anything,
    a_customer_of_ours_is_enough_when_the_metadata_names_nobody,
}

/// Changes a subscription as `Snapshot` makes it.
type Change = fn(&mut Value);

fn remove(object: &mut Value, key: &str) {
    object.as_object_mut().unwrap().remove(key);
}

async fn what_names_nobody_opens_nothing(app: App) {
    let rows: [(&str, Change, &str); 9] = [
        ("no metadata", |object| remove(object, "metadata"), "unmatched"),
        ("metadata null", |object| object["metadata"] = Value::Null, "unmatched"),
        ("other keys", |object| object["metadata"] = json!({ "user": object["metadata"]["user_id"] }), "unmatched"),
        ("a number", |object| object["metadata"]["user_id"] = json!(1), "unmatched"),
        ("a list", |object| object["metadata"]["user_id"] = json!([object["metadata"]["user_id"]]), "unmatched"),
        ("somebody else's id", |object| object["metadata"]["user_id"] = json!("somebody-else"), "unmatched"),
        ("no id at all", |object| remove(object, "id"), "ignored"),
        ("a number as id", |object| object["id"] = json!(7), "ignored"),
        ("an object as id", |object| object["id"] = json!({ "id": object["id"] }), "ignored"),
    ];
    let cases = Cases::after_trial(&app).await;
    for (case, change, outcome) in rows {
        let mut object = cases.next().await.object();
        change(&mut object);
        let event = cases.event("customer.subscription.created", &object);
        cases.takes(&event).await;
        cases.is_closed(case).await;
        assert_eq!(app.database.count("subscriptions", "kind = 'recurring'"), 0, "{case}");
        assert_eq!(cases.noted(&event, "outcome").as_deref(), Some(outcome), "{case}");
    }
}

async fn dates_of_other_ages_are_shown_and_nothing_breaks(app: App) {
    const YEAR_9999: i64 = 253_402_300_799;
    const LAST: i64 = 8_210_266_876_799;
    let cases = Cases::after_trial(&app).await;
    for (start, end, open) in [
        (-2_000_000_000, -1_000_000_000, false),
        (-1, 0, false),
        (0, 1, false),
        (-8_334_601_228_800, LAST, true),
        (0, YEAR_9999, true),
        (YEAR_9999, LAST, true),
        (YEAR_9999, 0, false),
    ] {
        for status in ["active", "trialing", "past_due", "canceled"] {
            let case = format!("{status} from {start} to {end}");
            let mut object = cases.next().await.status(status).object();
            let line = &mut object["items"]["data"][0];
            line["current_period_start"] = json!(start);
            line["current_period_end"] = json!(end);
            if status == "active" && open {
                object["cancel_at"] = json!(end);
            }
            if status == "canceled" {
                object["ended_at"] = json!(end);
            }
            cases.hears(&object).await;
            let paid = open && (status != "past_due" || start > app.now().timestamp());
            assert_eq!(cases.standing(&case).await.granted, paid, "{case}");
            cases.member.get("/account").await.is(200);
        }
    }
}

async fn all_that_stands_around_it_may_be_anything(app: App) {
    let rows: [(&str, &str, Vec<Value>); 14] = [
        (
            "/request",
            "request",
            vec![json!("req_1"), Value::Null, json!({ "id": "req_1", "idempotency_key": "key" }), json!(7)],
        ),
        ("/api_version", "version", vec![Value::Null, json!("2014-01-31"), json!("2031-02-03.quince"), json!(3)]),
        ("/pending_webhooks", "deliveries", vec![Value::Null, json!(u64::MAX), json!("many")]),
        ("/account", "account", vec![json!("acct_1"), json!({})]),
        (
            "/data/previous_attributes",
            "what was before",
            vec![Value::Null, json!({ "status": "canceled", "items": [] })],
        ),
        (
            "/data/object/customer",
            "customer",
            vec![
                json!({ "id": "cus_1", "object": "customer", "metadata": null, "email": "somebody.else@example.com" }),
                json!({ "id": "cus_1", "object": "customer", "deleted": true }),
                Value::Null,
                json!(1),
                json!({}),
                json!([]),
            ],
        ),
        (
            "/data/object/latest_invoice",
            "invoice",
            vec![
                json!({ "id": "in_1", "object": "invoice", "status": "a_word_of_tomorrow", "lines": null }),
                Value::Null,
                json!(1),
            ],
        ),
        (
            "/data/object/collection_method",
            "collection",
            vec![json!("by_pigeon"), Value::Null, json!(["send_invoice"])],
        ),
        (
            "/data/object/billing_mode",
            "mode",
            vec![json!({ "type": "flexible" }), json!({ "type": "of_tomorrow" }), Value::Null],
        ),
        (
            "/data/object/pause_collection",
            "pause",
            vec![Value::Null, json!({}), json!({ "behavior": null }), json!("void"), json!(false)],
        ),
        ("/data/object/cancel_at_period_end", "the flag", vec![Value::Null, json!("true"), json!(1)]),
        ("/data/object/cancel_at", "the date", vec![Value::Null, json!("soon"), json!(1e300), json!({}), json!(true)]),
        ("/data/object/ended_at", "the end", vec![Value::Null, json!("0"), json!([0])]),
        (
            "/data/object/a_field_of_tomorrow",
            "more",
            vec![json!({ "deep": [[[{ "er": [null, 1e-9, "\u{202e}"] }]]] }), nested(100)],
        ),
    ];
    let cases = Cases::after_trial(&app).await;
    for (pointer, what, values) in rows {
        for value in values {
            let case = format!("{what}: {value:.60}");
            let snapshot = cases.next().await;
            let mut event = cases.event("customer.subscription.created", &snapshot.object());
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            event.pointer_mut(parent).unwrap()[key] = value;
            cases.takes(&event).await;
            let open = cases.is_open(&case).await;
            assert_eq!((open.until, open.renews), (Some(snapshot.end), true), "{case}");
        }
    }
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(Value::Null, |inner, _| json!([inner]))
}

async fn a_customer_of_ours_is_enough_when_the_metadata_names_nobody(app: App) {
    let rows: [(&str, Change); 5] = [
        ("no metadata", |object| remove(object, "metadata")),
        ("null", |object| object["metadata"] = Value::Null),
        ("other keys", |object| object["metadata"] = json!({ "shop": "7", "user": "somebody", "user_id": null })),
        ("garbage", |object| object["metadata"] = json!([["user_id"]])),
        ("expanded", |object| {
            object["metadata"] = json!({});
            object["customer"] = json!({ "id": object["customer"], "object": "customer", "metadata": null });
        }),
    ];
    let cases = Cases::after_trial(&app).await;
    for (case, change) in rows {
        let snapshot = cases.next().await;
        belongs_to(&cases, &snapshot);
        let mut object = snapshot.object();
        change(&mut object);
        cases.hears(&object).await;
        assert_eq!(cases.is_open(case).await.until, Some(snapshot.end), "{case}");
    }
}

fn belongs_to(cases: &Cases, snapshot: &Snapshot) {
    let (user, customer) = (&cases.user, &snapshot.customer);
    cases
        .app
        .database
        .execute(&format!("UPDATE users SET stripe_customer_id = '{customer}' WHERE public_id = '{user}'"));
}

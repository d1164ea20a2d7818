//! `/webhooks/stripe`: the frame of an event, whatever subscription stands in it (`docs/rules.md §5`).

use serde_json::{Value, json};

use crate::{
    on_both,
    support::{
        app::{App, Setup},
        case::Cases,
        database::Engine,
        stripe::invoice,
    },
};

on_both! {
    what_is_no_event_is_refused,
    what_is_of_no_type_that_we_know_changes_nothing,
    events_of_the_other_mode_change_nothing,
    invoices_change_no_access_wherever_they_name_the_subscription,
}

async fn what_is_no_event_is_refused(app: App) {
    let cases = Cases::after_trial(&app).await;
    let good = cases.event("customer.subscription.created", &cases.next().await.object());
    for (pointer, values) in [
        (
            "/id",
            vec![Value::Null, json!(1), json!({ "id": "evt_1" }), json!(""), json!("evt\u{0}"), json!("e".repeat(256))],
        ),
        ("/type", vec![Value::Null, json!(["customer.subscription.created"]), json!("")]),
        (
            "/created",
            vec![Value::Null, json!("1780000000"), json!(1.5), json!(u64::MAX), json!(i64::MIN), json!(1e300)],
        ),
        ("/data", vec![Value::Null, json!([]), json!({})]),
        ("/data/object", vec![Value::Null, json!("sub_1"), json!([1])]),
    ] {
        for value in values {
            let mut event = good.clone();
            *event.pointer_mut(pointer).unwrap() = value.clone();
            let answer = app.deliver(&event).await;
            assert_eq!(answer.status, 400, "{pointer} {value:.40}: {}", answer.text());
        }
    }
    let before = app.events_recorded();
    for body in ["", "null", "[]", "{", "id=evt_1", "\u{feff}{}"] {
        app.deliver_bytes(body.into()).await.is(400);
    }
    app.deliver_bytes("[".repeat(500_000).into_bytes()).await.is(400);
    assert_eq!(app.events_recorded(), before);
    cases.is_closed("nothing of it is an event").await;
    cases.takes(&good).await;
    cases.is_open("the same, whole").await;
}

#[test]
fn a_live_key_takes_live_events_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("turnpike.toml");
    let plan = "[[plans]]\nkey = \"monthly\"\nname = \"Monthly\"\nprice = \"price_monthly\"\nkind = \"recurring\"\n";
    std::fs::write(&file, plan).unwrap();
    let live = Setup::on(Engine::Sqlite)
        .with("TURNPIKE_CONFIG", file.to_str().unwrap())
        .with("TURNPIKE_STRIPE_SECRET_KEY", "sk_live_of_the_tests")
        .with("TURNPIKE_STRIPE_API_BASE", "https://stripe.invalid");
    live.run(|app| async move {
        let cases = Cases::after_trial(&app).await;
        for (mode, open) in [(json!(false), false), (Value::Null, false), (json!("true"), false), (json!(true), true)] {
            let mut event = cases.event("customer.subscription.created", &cases.next().await.object());
            event["livemode"] = mode;
            cases.takes(&event).await;
            let case = format!("{}", event["livemode"]);
            assert_eq!(cases.standing(&case).await.granted, open, "{case}");
            let outcome = if open { "applied" } else { "ignored" };
            assert_eq!(cases.noted(&event, "outcome").as_deref(), Some(outcome), "{case}");
        }
    });
}

async fn what_is_of_no_type_that_we_know_changes_nothing(app: App) {
    let cases = Cases::after_trial(&app).await;
    for (kind, open) in [
        ("customer.subscription.pending_update_applied", false),
        ("customer.subscription.of_tomorrow", false),
        ("customer.subscription", false),
        ("CUSTOMER.SUBSCRIPTION.UPDATED", false),
        ("subscription_schedule.updated", false),
        ("entitlements.active_entitlement_summary.updated", false),
        ("*", false),
        ("customer.subscription.created", true),
        ("customer.subscription.updated", true),
        ("customer.subscription.paused", true),
        ("customer.subscription.resumed", true),
        ("customer.subscription.trial_will_end", true),
        ("customer.subscription.deleted", true),
    ] {
        let event = cases.event(kind, &cases.next().await.object());
        cases.takes(&event).await;
        assert_eq!(cases.standing(kind).await.granted, open, "{kind}: the object says active");
        let outcome = if open { "applied" } else { "ignored" };
        assert_eq!(cases.noted(&event, "outcome").as_deref(), Some(outcome), "{kind}");
    }
}

/// Our key is one for tests here.
async fn events_of_the_other_mode_change_nothing(app: App) {
    let cases = Cases::after_trial(&app).await;
    for (on_event, on_object, open) in [
        (json!(true), json!(true), false),
        (json!(true), json!(false), false),
        (json!(false), json!(false), true),
        (json!(false), Value::Null, true),
        (Value::Null, json!(false), true),
    ] {
        let case = format!("event {on_event}, subscription {on_object}");
        let mut event = cases.event("customer.subscription.created", &cases.next().await.object());
        event["livemode"] = on_event;
        event["data"]["object"]["livemode"] = on_object;
        cases.takes(&event).await;
        assert_eq!(cases.standing(&case).await.granted, open, "{case}");
        if !open {
            assert_eq!(cases.noted(&event, "outcome").as_deref(), Some("ignored"), "{case}");
            assert!(cases.noted(&event, "detail").unwrap().contains("mode"), "{case}");
        }
    }
}

async fn invoices_change_no_access_wherever_they_name_the_subscription(app: App) {
    let cases = Cases::after_trial(&app).await;
    let snapshot = cases.next().await;
    let new = invoice("in_1", &snapshot, true);
    let mut old = new.clone();
    old["subscription"] = old["parent"]["subscription_details"]["subscription"].take();
    old.as_object_mut().unwrap().remove("parent");
    let mut expanded = old.clone();
    expanded["subscription"] = snapshot.object();
    let mut none = old.clone();
    none.as_object_mut().unwrap().remove("subscription");
    for (case, invoice, named) in
        [("new", new, true), ("old", old, true), ("expanded", expanded, true), ("none", none, false)]
    {
        for kind in ["invoice.paid", "invoice.payment_failed", "invoice.created", "invoice.payment_action_required"] {
            let event = cases.event(kind, &invoice);
            cases.takes(&event).await;
            let about = cases.noted(&event, "provider_subscription_id");
            assert_eq!(about, named.then(|| snapshot.id.clone()), "{kind}, {case}");
        }
        cases.is_closed(&format!("{case}: money moved, and that opens nothing")).await;
    }
    cases.hears_of(&snapshot).await;
    let open = cases.is_open("the subscription itself").await;
    let mut unpaid = cases.event("invoice.payment_failed", &invoice("in_2", &snapshot.renewed(), false));
    unpaid["data"]["object"]["status"] = json!("uncollectible");
    cases.takes(&unpaid).await;
    assert_eq!(cases.is_open("a failed payment alone closes nothing").await, open);
}

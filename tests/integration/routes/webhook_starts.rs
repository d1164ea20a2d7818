//! `/webhooks/stripe`: what never starts, and what a paid subscription does beside the trial (`docs/rules.md §5, §7`).

use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{app::App, case::Cases, stripe::Snapshot},
};

on_both! {
    what_never_starts_stores_nothing_and_leaves_the_trial_alone,
    what_never_starts_overwrites_nothing,
    a_paid_subscription_that_ends_in_the_trial_leaves_the_trial,
    an_unknown_word_opens_nothing_until_stripe_answers,
}

const NEVER_STARTED: [&str; 2] = ["incomplete", "incomplete_expired"];

async fn what_never_starts_stores_nothing_and_leaves_the_trial_alone(app: App) {
    let cases = Cases::of(&app, app.member().await).await;
    let trial_end = cases.member.trial_end;
    let before = cases.is_open("the trial").await;
    assert_eq!((before.until, before.status.as_str()), (Some(trial_end), "trialing"));
    for word in NEVER_STARTED {
        for kind in ["created", "updated", "deleted"] {
            let event =
                cases.event(&format!("customer.subscription.{kind}"), &cases.next().await.status(word).object());
            cases.takes(&event).await;
            assert_eq!(cases.standing(word).await, before, "{word}");
            assert_eq!(cases.noted(&event, "outcome").as_deref(), Some("ignored"), "{word}");
            assert_eq!(app.database.count("subscriptions", "kind = 'recurring'"), 0, "{word}");
        }
    }
    app.move_to(trial_end);
    cases.member.log_in().await;
    let closed = cases.is_closed("the trial is over").await;
    assert_eq!(closed.reason.as_deref(), Some("trial_ended"));
}

async fn what_never_starts_overwrites_nothing(app: App) {
    let cases = Cases::after_trial(&app).await;
    for before in ["trialing", "active", "past_due", "canceled", "unpaid", "paused"] {
        for word in NEVER_STARTED {
            let snapshot = cases.next().await;
            cases.hears_of(&snapshot.status(before)).await;
            let standing = cases.standing(before).await;
            cases.hears_of(&snapshot.renewed().status(word)).await;
            assert_eq!(cases.standing(before).await, standing, "{word} after {before}");
        }
    }
    // The payment was late, and then it came.
    let snapshot = cases.next().await;
    cases.hears_of(&snapshot.status("incomplete")).await;
    cases.is_closed("not yet paid").await;
    cases.hears_of(&snapshot).await;
    cases.is_open("paid").await;
}

/// Once given, the trial is neither shortened nor renewed by payments.
async fn a_paid_subscription_that_ends_in_the_trial_leaves_the_trial(app: App) {
    let cases = Cases::of(&app, app.member().await).await;
    let trial = || {
        app.database.text("SELECT status || current_period_start || ' ' || current_period_end FROM subscriptions WHERE kind = 'trial'")
    };
    let (given, trial_end) = (trial(), cases.member.trial_end);
    for (word, shown) in [
        ("canceled", "trialing"),
        ("unpaid", "trialing"),
        ("paused", "trialing"),
        ("past_due", "past_due"),
        ("a_word_of_tomorrow", "trialing"),
    ] {
        let snapshot = cases.next().await;
        cases.hears_of(&snapshot).await;
        let open = cases.is_open("both").await;
        assert_eq!((open.status.as_str(), open.until, open.renews), ("active", Some(trial_end), true), "{word}");
        let ended_at = (word == "canceled").then(|| app.now());
        cases.hears_of(&Snapshot { ended_at, ..snapshot.status(word) }).await;
        let open = cases.is_open(word).await;
        assert_eq!((open.status.as_str(), open.until, open.renews), (shown, Some(trial_end), false), "{word}");
        cases.member.get("/account").await.is(200).says("Ends on").keeps_quiet_about("Renews on");
        assert_eq!(trial(), given, "{word}");
    }
    app.move_to(trial_end);
    cases.member.log_in().await;
    cases.is_closed("the trial is over as it was given").await;
}

/// A subscription that Stripe knows, about which something strange is said.
async fn an_unknown_word_opens_nothing_until_stripe_answers(app: App) {
    let cases = Cases::after_trial(&app).await;
    app.sandbox(Method::POST, "/_sandbox/delivery", json!({ "hold": true })).await;
    let session = cases.member.opens_checkout("monthly").await;
    app.sandbox(Method::POST, &format!("/_sandbox/checkout/{session}"), json!({ "outcome": "paid" })).await;
    let list = app.sandbox(Method::GET, "/v1/subscriptions?limit=1", Value::Null).await;
    let real = &list["data"][0];
    let id = real["id"].as_str().unwrap();
    let mut strange = real.clone();
    strange["status"] = json!("a_word_of_tomorrow");

    let out_of_reach = json!({ "path_prefix": "/v1/subscriptions/", "status": 500, "times": 3 });
    app.sandbox(Method::POST, "/_sandbox/fail", out_of_reach).await;
    cases.hears(&strange).await;
    app.eventually("all tries to fail", || async { cases.questions(id).await == 3 }).await;
    let closed = cases.is_closed("Stripe is out of reach").await;
    let seen = (closed.status.as_str(), closed.provider_status.as_deref());
    assert_eq!(seen, ("expired", Some("a_word_of_tomorrow")));
    let queued = format!("provider_id = '{id}' AND refresh_due_at IS NOT NULL");
    assert_eq!(app.database.count("subscriptions", &queued), 1, "it must be asked about again");

    app.advance(TimeDelta::hours(1));
    app.run_jobs().await;
    let open = cases.is_open("Stripe has answered").await;
    assert_eq!((open.status.as_str(), open.provider_status.as_deref()), ("active", Some("active")));
    assert_eq!(cases.questions(id).await, 4);
    assert_eq!(app.database.count("subscriptions", &queued), 0);
    app.advance(TimeDelta::hours(1));
    app.run_jobs().await;
    assert_eq!(cases.questions(id).await, 4, "what is answered is not asked again");
}

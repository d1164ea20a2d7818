//! `/webhooks/stripe`: an end that is set and cleared, and a collection that pauses (`docs/rules.md §5`).

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{
        app::App,
        case::{Cases, PERIOD},
        stripe::Snapshot,
    },
};

on_both! {
    an_end_that_is_past_closes_whatever_the_period_says,
    an_end_that_is_set_is_told_and_holds,
    what_is_cleared_renews_again,
    a_voiding_pause_keeps_the_period_that_was_reached,
    every_other_pause_is_service_for_nothing,
    a_pause_that_is_over_pays_again,
}

const MINUTE: TimeDelta = TimeDelta::minutes(1);

async fn an_end_that_is_past_closes_whatever_the_period_says(app: App) {
    let cases = Cases::after_trial(&app).await;
    // What lasted longest is shown: in 1972 that is the trial.
    let rows = [
        (0, Some("active"), "period_ended"),
        (60, Some("active"), "period_ended"),
        (1_728_000_000, None, "trial_ended"),
    ];
    for flag in [false, true] {
        for (seconds_ago, word, reason) in rows {
            let case = format!("{seconds_ago} seconds ago, flag {flag}");
            let snapshot = cases.next().await;
            cases.hears_of(&snapshot).await;
            cases.is_open(&case).await;
            let cancel_at = Some(app.now() + TimeDelta::seconds(1 - seconds_ago));
            cases.hears_of(&Snapshot { cancel_at, cancel_at_period_end: flag, ..snapshot }).await;
            let closed = cases.is_closed(&case).await;
            let seen = (closed.status.as_str(), closed.provider_status.as_deref(), closed.reason.as_deref());
            assert_eq!(seen, ("expired", word, Some(reason)), "{case}");
            cases.member.get("/account").await.is(200).says("has ended");
        }
    }
}

/// The date with and without the flag, before the period's end, at it, and after it.
async fn an_end_that_is_set_is_told_and_holds(app: App) {
    let rows: [(bool, Option<TimeDelta>, TimeDelta); 7] = [
        (true, None, PERIOD),
        (true, Some(PERIOD), PERIOD),
        (true, Some(MINUTE), MINUTE),
        (true, Some(PERIOD + MINUTE), PERIOD),
        (false, Some(MINUTE), MINUTE),
        (false, Some(PERIOD), PERIOD),
        (false, Some(PERIOD + MINUTE), PERIOD),
    ];
    let cases = Cases::after_trial(&app).await;
    for (flag, cancel_at, access) in rows {
        let case = format!("flag {flag}, cancel_at after {cancel_at:?}");
        let snapshot = cases.next().await;
        cases.hears_of(&snapshot).await;
        let cancel_at = cancel_at.map(|after| snapshot.start + after);
        cases.hears_of(&Snapshot { cancel_at, cancel_at_period_end: flag, ..snapshot.clone() }).await;
        let end = snapshot.start + access;
        let open = cases.is_open(&case).await;
        assert_eq!((open.status.as_str(), open.until, open.renews), ("active", Some(end), false), "{case}");
        cases.member.get("/account").await.is(200).says("Ends on").says(&in_berlin(end)).keeps_quiet_about("Renews on");
        app.move_to(end - TimeDelta::seconds(1));
        cases.is_open(&case).await;
        app.move_to(end);
        assert_eq!(cases.is_closed(&case).await.reason.as_deref(), Some("period_ended"), "{case}");
    }
}

async fn what_is_cleared_renews_again(app: App) {
    let cases = Cases::after_trial(&app).await;
    for (flag, after) in [(true, None), (false, Some(MINUTE * 30)), (true, Some(PERIOD))] {
        let case = format!("flag {flag}, cancel_at after {after:?}");
        let snapshot = cases.next().await;
        let cancel_at = after.map(|after| snapshot.start + after);
        cases.hears_of(&Snapshot { cancel_at, cancel_at_period_end: flag, ..snapshot.clone() }).await;
        assert!(!cases.is_open(&case).await.renews, "{case}");
        if flag && after.is_some() {
            cases.hears_of(&Snapshot { cancel_at, ..snapshot.clone() }).await;
            assert!(!cases.is_open(&case).await.renews, "{case}: only one of both is cleared");
        }
        cases.hears_of(&snapshot).await;
        let open = cases.is_open(&case).await;
        assert_eq!((open.until, open.renews), (Some(snapshot.end), true), "{case}");
        let told = in_berlin(snapshot.end);
        cases.member.get("/account").await.is(200).says("Renews on").says(&told).keeps_quiet_about("Ends on");
        app.move_to(snapshot.end);
        cases.hears_of(&snapshot.renewed()).await;
        assert_eq!(cases.is_open(&case).await.until, Some(snapshot.renewed().end), "{case}");
    }
}

async fn a_voiding_pause_keeps_the_period_that_was_reached(app: App) {
    let cases = Cases::after_trial(&app).await;
    let snapshot = cases.next().await;
    cases.hears_of(&snapshot).await;
    for renewals in [snapshot.clone(), snapshot.renewed(), snapshot.renewed().renewed()] {
        cases.hears(&paused(&renewals, json!({ "behavior": "void", "resumes_at": null }))).await;
        let open = cases.is_open("while it is paused").await;
        assert_eq!((open.until, open.renews), (Some(snapshot.end), false), "nothing will be charged");
        cases.member.get("/account").await.is(200).says("Ends on").keeps_quiet_about("Renews on");
    }
    app.move_to(snapshot.end);
    assert_eq!(cases.is_closed("the period that was reached is over").await.reason.as_deref(), Some("paused"));
    cases.member.get("/account").await.is(200).says("is paused");

    // Nothing else is known of this one: the first period that is told is the one that was reached.
    let snapshot = cases.next().await;
    cases.hears(&paused(&snapshot, json!({ "behavior": "void" }))).await;
    cases.hears(&paused(&snapshot.renewed(), json!({ "behavior": "void" }))).await;
    assert_eq!(cases.is_open("first heard of in a pause").await.until, Some(snapshot.end));
}

async fn every_other_pause_is_service_for_nothing(app: App) {
    let cases = Cases::after_trial(&app).await;
    for pause in [
        json!({ "behavior": "keep_as_draft", "resumes_at": null }),
        json!({ "behavior": "mark_uncollectible", "resumes_at": 4_000_000_000_u64 }),
        json!({ "behavior": "a_word_of_tomorrow" }),
        json!({ "behavior": null }),
        json!({}),
    ] {
        let snapshot = cases.next().await;
        cases.hears_of(&snapshot).await;
        cases.hears(&paused(&snapshot.renewed(), pause.clone())).await;
        let open = cases.is_open(&pause.to_string()).await;
        let seen = (open.status.as_str(), open.until, open.renews);
        assert_eq!(seen, ("active", Some(snapshot.renewed().end), true), "{pause}");
    }
}

async fn a_pause_that_is_over_pays_again(app: App) {
    let cases = Cases::after_trial(&app).await;
    let snapshot = cases.next().await;
    cases.hears_of(&snapshot).await;
    app.move_to(snapshot.end);
    cases.hears(&paused(&snapshot.renewed(), json!({ "behavior": "void" }))).await;
    cases.is_closed("paused").await;
    cases.hears_of(&snapshot.renewed()).await;
    assert_eq!(cases.is_open("over").await.until, Some(snapshot.renewed().end));
}

fn paused(snapshot: &Snapshot, pause: Value) -> Value {
    let mut object = snapshot.object();
    object["pause_collection"] = pause;
    object
}

/// As the member reads it.
fn in_berlin(moment: DateTime<Utc>) -> String {
    moment.with_timezone(&chrono_tz::Europe::Berlin).format("%-d %B %Y, %H:%M").to_string()
}

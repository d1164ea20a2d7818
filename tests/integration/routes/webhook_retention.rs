//! `/webhooks/stripe`: the text of an event is kept for a time, what became of it for ever (`docs/rules.md §10`).

use chrono::TimeDelta;
use serde_json::json;

use crate::support::{
    app::{App, Setup},
    case::Cases,
    database::Engine,
    stripe::Snapshot,
};

const DAYS: i64 = 3;

fn run<F: Future<Output = ()>>(body: impl Fn(App) -> F) {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        Setup::on(engine).with("TURNPIKE_JOURNAL_DAYS", &DAYS.to_string()).run(&body);
    }
}

fn payloads(app: &App) -> i64 {
    app.database.count("webhook_events", "payload IS NOT NULL")
}

#[test]
fn the_text_goes_after_its_time_and_the_rest_stays() {
    run(|app| async move {
        let cases = Cases::after_trial(&app).await;
        let paid = Snapshot { end: app.now() + TimeDelta::days(20), ..cases.next().await };
        let incomplete = Snapshot { id: "sub_else".into(), ..paid.status("incomplete") };
        let events = [
            cases.event("customer.subscription.created", &paid.object()),
            cases.event("customer.subscription.created", &incomplete.object()),
            cases.event("a.type.of_tomorrow", &json!({})),
        ];
        for event in &events {
            cases.takes(event).await;
        }
        let kept = || app.database.dump("webhook_events", &["payload", "attempts"]);
        let before = kept();
        app.advance(TimeDelta::days(DAYS));
        assert_eq!(app.run_jobs().await.payloads_dropped, 0, "at the very end it is kept yet");
        assert_eq!(payloads(&app), 3);

        app.advance(TimeDelta::seconds(1));
        let young = cases.event("a.type.of_tomorrow", &json!({}));
        cases.takes(&young).await;
        assert_eq!(app.run_jobs().await.payloads_dropped, 3);
        assert_eq!(app.run_jobs().await.payloads_dropped, 0);
        assert_eq!(payloads(&app), 1, "the young one stays");
        assert!(kept().starts_with(&before), "the outcome must stay:\n{before}\n{}", kept());

        let open = cases.is_open("nothing else goes").await;
        let billing = app.billing().await;
        for event in &events {
            assert_eq!(cases.takes(event).await.json()["outcome"], "seen");
            assert_eq!(cases.noted(event, "payload"), None, "a redelivery brings it back");
            assert_eq!(
                billing.replay(event["id"].as_str().unwrap()).await.unwrap(),
                None,
                "there is nothing to replay"
            );
        }
        assert!(kept().starts_with(&before));
        assert_eq!(cases.is_open("as before").await, open);
    });
}

#[test]
fn what_waited_too_long_does_not_stop_what_waits_since_yesterday() {
    run(|app| async move {
        let cases = Cases::after_trial(&app).await;
        let old = Snapshot { user: None, ..cases.next().await };
        let young = Snapshot { id: "sub_young".into(), end: old.end + TimeDelta::days(20), ..old.clone() };
        let too_old = cases.event("customer.subscription.created", &old.object());
        cases.takes(&too_old).await;
        app.advance(TimeDelta::days(DAYS + 1));
        let waits = cases.event("customer.subscription.created", &young.object());
        cases.takes(&waits).await;
        assert_eq!(app.run_jobs().await.payloads_dropped, 1);

        let named = json!({ "id": old.customer, "object": "customer", "metadata": { "user_id": cases.user } });
        let link = cases.event("customer.updated", &named);
        cases.takes(&link).await;
        assert_eq!(cases.noted(&link, "outcome").as_deref(), Some("applied"));
        assert_eq!(cases.noted(&waits, "outcome").as_deref(), Some("applied"));
        assert_eq!(cases.is_open("the young one").await.until, Some(young.end));
        assert_eq!(cases.noted(&too_old, "outcome").as_deref(), Some("unmatched"));

        // Sent again by hand it counts, whatever its age.
        assert_eq!(cases.takes(&too_old).await.json()["outcome"], "applied");
        assert_eq!(app.database.count("subscriptions", "kind = 'recurring'"), 2);
    });
}

#[test]
fn what_failed_is_not_tried_without_its_text() {
    run(|app| async move {
        let cases = Cases::after_trial(&app).await;
        let event = cases.event("customer.subscription.created", &cases.next().await.object());
        cases.takes(&event).await;
        app.database.execute("UPDATE webhook_events SET outcome = 'failed', retry_at = 4000000000000000");
        app.advance(TimeDelta::days(DAYS + 1));
        assert_eq!(app.run_jobs().await.payloads_dropped, 1);
        assert_eq!(cases.noted(&event, "retry_at"), None);
        assert_eq!(cases.noted(&event, "outcome").as_deref(), Some("failed"), "it stays for a person to see");
        assert_eq!(cases.takes(&event).await.json()["outcome"], "stale", "sent again by hand it is read");
    });
}

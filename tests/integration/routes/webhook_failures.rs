//! `/webhooks/stripe`: a failure of ours keeps nothing of the effect, is written down, and is made good
//! (`docs/rules.md §5`).

use chrono::TimeDelta;
use serde_json::Value;

use crate::{
    on_both,
    support::{app::App, case::Cases, database::Engine},
};

on_both! {
    a_failure_keeps_nothing_and_the_event_works_when_it_comes_again,
    what_stripe_never_sends_again_is_tried_again_here,
    what_came_late_is_not_undone_by_a_failure_that_is_made_good,
}

/// After the effect of an event is stored, and before it is committed, the database refuses to go on.
fn break_the_last_step(app: &App) {
    let function = "CREATE FUNCTION broken() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'broken on purpose'; END $$ \
                    LANGUAGE plpgsql; CREATE TRIGGER broken BEFORE UPDATE ON webhook_events FOR EACH ROW \
                    WHEN (NEW.outcome = 'applied') EXECUTE FUNCTION broken()";
    let trigger = "CREATE TRIGGER broken BEFORE UPDATE ON webhook_events WHEN NEW.outcome = 'applied' \
                   BEGIN SELECT RAISE(ABORT, 'broken on purpose'); END";
    app.database.execute(if app.database.engine() == Engine::Postgres { function } else { trigger });
}

fn mend(app: &App) {
    let postgres = app.database.engine() == Engine::Postgres;
    app.database.execute(if postgres { "DROP FUNCTION broken CASCADE" } else { "DROP TRIGGER broken" });
}

fn attempts(cases: &Cases, event: &Value) -> i64 {
    cases.noted(event, "attempts").unwrap().parse().unwrap()
}

async fn a_failure_keeps_nothing_and_the_event_works_when_it_comes_again(app: App) {
    let cases = Cases::after_trial(&app).await;
    let snapshot = cases.next().await;
    cases.hears_of(&snapshot).await;
    let open = cases.is_open("before").await;
    let rows = |what: &str| app.database.text(&format!("SELECT {what} FROM subscriptions WHERE kind = 'recurring'"));
    let stored = "snapshots || CAST(version AS TEXT)";
    let (before, mails) = (rows(stored), app.database.count("mails", "1 = 1"));

    break_the_last_step(&app);
    let event = cases.event("customer.subscription.deleted", &snapshot.canceled(app.now()).object());
    for attempt in 1..=3 {
        app.deliver(&event).await.is(500).keeps_quiet_about("broken");
        let noted = |column: &str| cases.noted(&event, column);
        assert_eq!((noted("outcome").as_deref(), attempts(&cases, &event)), (Some("failed"), attempt));
        assert!(noted("detail").unwrap().contains("broken on purpose"), "{:?}", noted("detail"));
        assert_eq!((noted("change"), noted("user_id")), (None, None));
        assert_eq!(noted("payload"), Some(event.to_string()));
        assert!(noted("retry_at").is_some());
        assert_eq!(rows(stored), before, "something of the effect was kept");
        assert_eq!(app.database.count("mails", "1 = 1"), mails, "a mail about what did not happen");
        assert_eq!(cases.is_open("as before").await, open);
    }

    mend(&app);
    assert_eq!(cases.takes(&event).await.json()["outcome"], "applied");
    assert_eq!(cases.is_closed("it worked").await.reason.as_deref(), Some("canceled"));
    let noted = |column: &str| cases.noted(&event, column);
    assert_eq!((noted("outcome").as_deref(), attempts(&cases, &event)), (Some("applied"), 4));
    assert_eq!((noted("detail"), noted("retry_at")), (None, None));
    assert!(noted("change").is_some());
    assert_eq!(app.database.count("mails", "1 = 1"), mails + 1);
    assert_eq!(cases.takes(&event).await.json()["outcome"], "seen");
    app.advance(TimeDelta::days(1));
    assert_eq!(app.run_jobs().await.retried, 0, "it is done");
}

async fn what_stripe_never_sends_again_is_tried_again_here(app: App) {
    let cases = Cases::after_trial(&app).await;
    break_the_last_step(&app);
    let snapshot = cases.next().await;
    let event = cases.event("customer.subscription.created", &snapshot.object());
    app.deliver(&event).await.is(500);
    let retry_at = || cases.noted(&event, "retry_at").unwrap().parse::<i64>().unwrap();
    let pause = || TimeDelta::microseconds(retry_at() - app.now().timestamp_micros());
    let first = pause();
    assert!(first > TimeDelta::minutes(1) && first < TimeDelta::hours(1), "{first}");
    app.advance(first - TimeDelta::seconds(1));
    assert_eq!(app.run_jobs().await.retried, 0);
    assert_eq!(attempts(&cases, &event), 1, "it was tried before its time");

    let mut last = first;
    for attempt in 2..=4 {
        app.move_to(app.now() + pause());
        assert_eq!(app.run_jobs().await.retried, 0, "it is still broken");
        assert_eq!(attempts(&cases, &event), attempt);
        assert_eq!(cases.noted(&event, "outcome").as_deref(), Some("failed"));
        assert!(pause() > last, "the pause does not grow: {}", pause());
        last = pause();
        assert_eq!(app.database.count("subscriptions", "kind = 'recurring'"), 0);
    }

    mend(&app);
    assert_eq!(app.run_jobs().await.retried, 0);
    app.move_to(app.now() + pause());
    let report = app.run_jobs().await;
    assert_eq!((report.retried, app.run_jobs().await.retried), (1, 0));
    let noted = |column: &str| cases.noted(&event, column);
    assert_eq!((noted("outcome").as_deref(), noted("detail"), noted("retry_at")), (Some("applied"), None, None));
    assert_eq!(cases.is_open("it was tried again").await.until, Some(snapshot.end));
    assert_eq!(cases.takes(&event).await.json()["outcome"], "seen");
}

async fn what_came_late_is_not_undone_by_a_failure_that_is_made_good(app: App) {
    let cases = Cases::after_trial(&app).await;
    let snapshot = cases.next().await;
    break_the_last_step(&app);
    let event = cases.event("customer.subscription.created", &snapshot.object());
    app.deliver(&event).await.is(500);
    mend(&app);
    cases.hears_of(&snapshot.renewed()).await;
    app.advance(TimeDelta::minutes(30));
    assert_eq!(app.run_jobs().await.retried, 1);
    assert_eq!(cases.noted(&event, "outcome").as_deref(), Some("stale"));
    assert_eq!(cases.is_open("the newer one stays").await.until, Some(snapshot.renewed().end));
}

//! `/webhooks/stripe`: each word of Stripe's for a status, before, at and after the end that matters
//! (`docs/rules.md §3, §5`).

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    on_both,
    support::{
        app::{App, Setup},
        case::{Cases, PERIOD, Standing},
        database::Engine,
        member::instant,
        stripe::Snapshot,
    },
};

on_both! {
    every_word_means_what_the_table_says_before_at_and_after_its_end,
    canceled_is_over_when_stripe_says_and_else_with_the_event,
    without_grace_an_unpaid_renewal_closes_at_once,
}

/// Half of a period.
const HALF: TimeDelta = TimeDelta::hours(1);

/// A word of Stripe's, and what it becomes.
struct Row {
    word: &'static str,
    /// After how long access ends, from the start of the period; nothing: it gives none.
    access: Option<TimeDelta>,
    /// What is shown while it lasts, and afterwards.
    status: (&'static str, &'static str),
    /// Why not, in the end.
    reason: &'static str,
    /// What the account says then.
    says: &'static str,
}

fn table() -> [Row; 9] {
    let row = |word, access, status, reason, says| Row { word, access, status, reason, says };
    let ended = "Your subscription has ended";
    let unpaid = "Your last payment did not go through";
    [
        row("trialing", Some(PERIOD), ("trialing", "expired"), "period_ended", ended),
        row("active", Some(PERIOD), ("active", "expired"), "period_ended", ended),
        row("past_due", None, ("past_due", "past_due"), "payment_failed", unpaid),
        row("canceled", Some(HALF), ("canceled", "canceled"), "canceled", "Your subscription was canceled"),
        row("unpaid", None, ("expired", "expired"), "payment_failed", unpaid),
        row("paused", None, ("expired", "expired"), "paused", "Your subscription is paused"),
        row("a_word_of_tomorrow", None, ("expired", "expired"), "period_ended", ended),
        row("Active", None, ("expired", "expired"), "period_ended", ended),
        row("", None, ("expired", "expired"), "period_ended", ended),
    ]
}

async fn every_word_means_what_the_table_says_before_at_and_after_its_end(app: App) {
    let cases = Cases::after_trial(&app).await;
    for row in table() {
        for seen_before in [false, true] {
            let case = format!("{:?}, seen before: {seen_before}", row.word);
            let snapshot = cases.next().await;
            if seen_before {
                cases.hears_of(&snapshot).await;
            }
            let ended_at = (row.word == "canceled").then(|| snapshot.start + HALF);
            cases.hears_of(&Snapshot { ended_at, ..snapshot.status(row.word) }).await;
            let end = snapshot.start + row.access.unwrap_or(PERIOD);
            for moment in [app.now(), end - TimeDelta::seconds(1), end, end + TimeDelta::seconds(1)] {
                app.move_to(moment);
                let open = row.access.is_some() && moment < end;
                let seen = cases.standing(&case).await;
                assert_eq!(seen, expected(&row, open, end), "{case}, {} to the end", end - moment);
                let page = cases.member.get("/account").await.is(200);
                if open {
                    page.says(if row.word == "canceled" { "Ends on" } else { "Renews on" }).says(&in_berlin(end));
                } else {
                    page.says(row.says).keeps_quiet_about("Renews on");
                }
            }
        }
    }
}

fn expected(row: &Row, open: bool, end: DateTime<Utc>) -> Standing {
    Standing {
        granted: open,
        reason: (!open).then(|| row.reason.to_owned()),
        status: if open { row.status.0 } else { row.status.1 }.to_owned(),
        provider_status: Some(row.word.to_owned()),
        until: open.then_some(end),
        renews: open && row.word != "canceled",
    }
}

/// The period runs on for half of it and more.
async fn canceled_is_over_when_stripe_says_and_else_with_the_event(app: App) {
    let cases = Cases::after_trial(&app).await;
    for (case, ended_at) in
        [("now", Some(TimeDelta::zero())), ("before", Some(TimeDelta::minutes(-9))), ("not told", None)]
    {
        for kind in ["customer.subscription.deleted", "customer.subscription.updated"] {
            let snapshot = cases.next().await;
            cases.hears_of(&snapshot).await;
            app.advance(HALF);
            let ended_at = ended_at.map(|after| app.now() + TimeDelta::seconds(1) + after);
            let event = cases.event(kind, &Snapshot { ended_at, ..snapshot.status("canceled") }.object());
            let came = app.now();
            app.advance(TimeDelta::seconds(30));
            cases.takes(&event).await;
            let closed = cases.is_closed(case).await;
            assert_eq!((closed.status.as_str(), closed.reason.as_deref()), ("canceled", Some("canceled")), "{case}");
            let me = cases.member.me().await;
            assert_eq!(instant(&me["subscription"]["ended_at"]), ended_at.or(Some(came)), "{case}");
            assert_eq!(instant(&me["subscription"]["current_period_end"]), Some(snapshot.end), "{case}");
            let page = cases.member.get("/account").await.is(200).says("Canceled").says("Nothing more will be charged");
            page.says(&in_berlin(ended_at.unwrap_or(came)));
        }
    }
}

async fn without_grace_an_unpaid_renewal_closes_at_once(app: App) {
    let cases = Cases::after_trial(&app).await;
    let snapshot = cases.next().await;
    cases.hears_of(&snapshot).await;
    app.move_to(snapshot.end);
    // The period moves first, and is charged an hour later.
    cases.hears_of(&snapshot.renewed()).await;
    cases.is_open("the charge is to come").await;
    app.advance(HALF);
    cases.hears_of(&snapshot.renewed().status("past_due")).await;
    let closed = cases.is_closed("nobody paid the new period").await;
    assert_eq!((closed.status.as_str(), closed.reason.as_deref()), ("past_due", Some("payment_failed")));
    cases.hears_of(&snapshot.renewed()).await;
    assert_eq!(cases.is_open("paid at last").await.until, Some(snapshot.renewed().end));
}

#[test]
fn grace_counts_from_the_start_of_the_unpaid_period() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        Setup::on(engine).with("TURNPIKE_PAST_DUE_GRACE_DAYS", "3").run(|app| async move {
            let cases = Cases::after_trial(&app).await;
            for attempts in [1, 2, 4] {
                let first = cases.next().await;
                let paid = Snapshot { end: first.start + TimeDelta::days(10), ..first };
                cases.hears_of(&paid).await;
                app.move_to(paid.end);
                let unpaid = paid.renewed();
                cases.hears_of(&unpaid).await;
                let grace_end = unpaid.start + TimeDelta::days(3);
                for attempt in 1..=attempts {
                    app.advance(TimeDelta::hours(16));
                    cases.hears_of(&unpaid.status("past_due")).await;
                    let open = cases.is_open(&format!("attempt {attempt}")).await;
                    assert_eq!((open.status.as_str(), open.until), ("past_due", Some(grace_end)), "attempt {attempt}");
                }
                let page = cases.member.get("/account").await.is(200).says("Past due").says("did not go through");
                page.says("Ends on").says(&in_berlin(grace_end)).keeps_quiet_about("Renews on");
                cases.member.reads().await.says("Your access ends on");
                app.move_to(grace_end - TimeDelta::seconds(1));
                cases.is_open("a second before the grace ends").await;
                app.move_to(grace_end);
                cases.is_closed("the grace is over").await;
                app.advance(TimeDelta::seconds(1));
                cases.hears_of(&unpaid.status("past_due")).await;
                let closed = cases.is_closed("one more attempt does not begin it again").await;
                assert_eq!(closed.reason.as_deref(), Some("payment_failed"));
            }
        });
    }
}

#[test]
fn no_grace_reaches_beyond_an_end_that_is_set() {
    Setup::on(Engine::Sqlite).with("TURNPIKE_PAST_DUE_GRACE_DAYS", "3").run(|app| async move {
        let cases = Cases::after_trial(&app).await;
        for ends_with_period in [false, true] {
            let snapshot = cases.next().await.status("past_due");
            let cancel_at = (!ends_with_period).then(|| snapshot.start + HALF);
            cases.hears_of(&Snapshot { cancel_at, ..snapshot.clone() }).await;
            let end = cancel_at.unwrap_or(snapshot.end);
            assert_eq!(cases.is_open("in the grace").await.until, Some(end));
            app.move_to(end);
            cases.is_closed("at its end").await;
        }
    });
}

/// As the member reads it.
fn in_berlin(moment: DateTime<Utc>) -> String {
    moment.with_timezone(&chrono_tz::Europe::Berlin).format("%-d %B %Y, %H:%M").to_string()
}

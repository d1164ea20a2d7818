//! Why premium pages were open or closed for somebody, at any moment, and what made it so.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};

use crate::{
    on_both,
    support::{
        app::{App, Setup},
        client::Answer,
        database::Engine,
        member::Member,
        payment::Checkout,
        staff::{does, page_of},
        stripe::Snapshot,
    },
};

on_both! {
    what_is_no_moment_is_told_and_changes_no_answer,
    the_past_reads_as_it_was_whatever_came_later,
    what_made_it_so_is_named,
    the_present_reads_the_same_by_history_and_by_rows,
}

async fn asks(staff: &Member, page: &str, at: DateTime<Utc>) -> Answer {
    let at = at.to_rfc3339_opts(SecondsFormat::Micros, true);
    staff.get(&format!("{page}?at={at}")).await.is(200)
}

async fn what_is_no_moment_is_told_and_changes_no_answer(app: App) {
    let (ada, admin) = (app.member().await, app.admin().await);
    let page = page_of(&app, &ada);
    let long = "9".repeat(4_000);
    for typed in ["2027-02-30T10:00", "yesterday", "0", "-1", "2027-13-01T00:00", "1e9", "99999-01-01T00:00", &long] {
        admin.get(&format!("{page}?at={typed}")).await.is(200).says("at-error").says("premium pages are open");
    }
    admin.get(&format!("{page}?at=%00")).await.is(200);
    for extreme in ["0001-01-01T00:00", "9999-12-31T23:59", "-262000-01-01T00:00:00Z"] {
        assert!(admin.get(&format!("{page}?at={extreme}")).await.status < 500, "{extreme}");
    }
}

/// A life with everything in it. At each of its moments the gate is asked; at the end the page has to say the same of them.
async fn the_past_reads_as_it_was_whatever_came_later(app: App) {
    let (ada, admin) = (app.member().await, app.admin().await);
    let (page, id) = (page_of(&app, &ada), ada.id().await);
    let mut seen: Vec<(DateTime<Utc>, bool, Option<String>)> = Vec::new();
    let mut note = async |days: i64| {
        app.advance(TimeDelta::days(days));
        let me = if ada.get_json("/api/v1/me").await.status == 200 {
            ada.me().await
        } else {
            ada.log_in().await;
            ada.me().await
        };
        let access = &me["access"];
        let reason = access["reason"].as_str().map(str::to_owned);
        seen.push((app.now(), access["granted"].as_bool().unwrap(), reason));
        // What comes next comes later: of one instant, the last word counts.
        app.advance(TimeDelta::minutes(1));
    };
    note(0).await;
    note(20).await;
    let start = app.now();
    let paid = Snapshot::active("sub_1", "cus_1", &id, start);
    app.deliver(&paid.event("evt_1", "created", app.now())).await.is(200);
    note(10).await;
    app.deliver(&paid.status("past_due").event("evt_2", "updated", app.now())).await.is(200);
    note(1).await;
    app.move_to(ada.trial_end);
    note(1).await;
    let late = Snapshot::active("sub_1", "cus_1", &id, app.now());
    app.deliver(&late.event("evt_3", "updated", app.now())).await.is(200);
    note(5).await;
    app.deliver(&late.canceled(app.now()).event("evt_4", "deleted", app.now())).await.is(200);
    note(3).await;
    admin.log_in().await;
    does(&app, &admin, &ada, "complimentary-months", &[("months", "1")]).await.is(303);
    note(3).await;
    admin.log_in().await;
    does(&app, &admin, &ada, "complimentary-end", &[]).await.is(303);
    note(1).await;
    let checkout = Checkout::by(&id, "months");
    app.deliver(&checkout.paid(app.now())).await.is(200);
    note(2).await;
    app.deliver(&checkout.refunded(4_900, app.now())).await.is(200);
    note(2).await;
    app.run_jobs().await;
    note(400).await;

    let opened: Vec<bool> = seen.iter().map(|(_, granted, _)| *granted).collect();
    assert_eq!(opened, [true, true, true, true, false, true, false, true, false, true, false, false], "{seen:#?}");
    admin.log_in().await;
    for (at, granted, reason) in &seen {
        let answer = asks(&admin, &page, *at).await;
        let word = if *granted { "premium pages are open" } else { "premium pages are closed" };
        let answer = answer.says(word);
        if let Some(reason) = reason {
            answer.says(&format!("<code>{reason}</code>"));
        }
    }
    asks(&admin, &page, seen[0].0 - TimeDelta::days(1)).await.says("premium pages are closed").says("never_subscribed");
}

async fn what_made_it_so_is_named(app: App) {
    let (ada, admin) = (app.member().await, app.admin().await);
    let (page, id, begun) = (page_of(&app, &ada), ada.id().await, app.now());
    admin.get(&page).await.is(200).says("by signing up");
    app.advance(TimeDelta::days(1));
    does(&app, &admin, &ada, "trial-extension", &[("months", "1")]).await.is(303);
    admin.get(&page).await.is(200).says("by the staff").says("asked for it by telephone").says("trial-extension");
    app.advance(TimeDelta::days(1));
    let paid = Snapshot::active("sub_1", "cus_1", &id, app.now());
    app.deliver(&paid.event("evt_1", "created", app.now())).await.is(200);
    let by_event = "/admin/events/evt_1\"><code>customer.subscription.created</code>";
    admin.get(&page).await.is(200).says(by_event);
    app.advance(TimeDelta::days(10));
    // The trial goes on for longer than the period that was paid, and is what opens the gate after it.
    app.deliver(&paid.canceled(app.now()).event("evt_2", "deleted", app.now())).await.is(200);
    admin
        .get(&page)
        .await
        .is(200)
        .says("by the staff")
        .keeps_quiet_about("evt_2\"><code>customer.subscription.deleted</code></a></p>");
    asks(&admin, &page, begun).await.says("by signing up").says("what was known then");
    asks(&admin, &page, app.now() - TimeDelta::days(1)).await.says(by_event);
    let trial_end = ada.trial_end + TimeDelta::days(32);
    asks(&admin, &page, trial_end).await.says("if nothing happens until then").says("premium pages are closed");

    // What ran out by itself stays what it was, when a job has found that out.
    let bob = app.member().await;
    app.move_to(bob.trial_end + TimeDelta::days(1));
    app.run_jobs().await;
    app.advance(TimeDelta::days(1));
    admin.log_in().await;
    let page = page_of(&app, &bob);
    admin.get(&page).await.is(200).says("Its time ran out on").says("by signing up").says("trial_ended");
}

async fn before_the_address_was_confirmed_the_gate_was_closed(app: App) {
    let (ada, admin) = (app.member().await, app.admin().await);
    app.knows_address_of(&admin);
    let (page, begun) = (page_of(&app, &ada), app.now());
    app.asks_new_people();
    app.advance(TimeDelta::days(1));
    ada.post("/email/confirmation", &[]).await.is(303);
    let link = app.mailed_link(&ada.email).await;
    ada.post(&link, &[]).await.is(303);
    let confirmed = app.now();
    app.advance(TimeDelta::days(1));
    for closed in [begun, confirmed - TimeDelta::seconds(1)] {
        asks(&admin, &page, closed).await.says("premium pages are closed").says("email_unconfirmed");
    }
    asks(&admin, &page, confirmed).await.says("premium pages are open");
}

#[test]
fn confirmed_only_on_sqlite() {
    confirmed_only(Engine::Sqlite);
}

#[test]
fn confirmed_only_on_postgres() {
    confirmed_only(Engine::Postgres);
}

fn confirmed_only(engine: Engine) {
    let setup = Setup::on(engine).with("TURNPIKE_REQUIRE_CONFIRMED_EMAIL", "true");
    setup.run(before_the_address_was_confirmed_the_gate_was_closed);
}

/// Rows that no test thought of: what the triggers keep is what the table says.
async fn the_present_reads_the_same_by_history_and_by_rows(app: App) {
    let ada = app.member().await;
    let id = ada.id().await;
    let paid = Snapshot::active("sub_1", "cus_1", &id, app.now());
    for (number, snapshot) in [paid.clone(), paid.status("past_due"), paid.renewed(), paid.renewed()].iter().enumerate()
    {
        app.advance(TimeDelta::minutes(1));
        app.deliver(&snapshot.event(&format!("evt_{number}"), "updated", app.now())).await.is(200);
    }
    let columns = "status, coalesce(plan, '-'), coalesce(provider_status, '-'), current_period_start, current_period_end, \
                   cancel_at_period_end, coalesce(cancel_at, 0), coalesce(ended_at, 0), collection_voided";
    let newest = "SELECT max(id) FROM subscription_history GROUP BY subscription_id";
    let differing = format!(
        "SELECT count(*) FROM (SELECT id, {columns} FROM subscriptions EXCEPT \
         SELECT subscription_id, {columns} FROM subscription_history WHERE id IN ({newest})) AS differing"
    );
    assert_eq!(app.database.number(&format!("({differing})")), Some(0));
    assert_eq!(app.database.count("subscription_history", "1 = 1"), 4, "a message that says nothing new adds no row");
}

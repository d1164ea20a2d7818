//! The figures of the site against a history that is made up here, and counted again row by row.

use chrono::{DateTime, TimeDelta, Utc};
use turnpike::{
    domain::{
        figures::months_up_to,
        history::known_at,
        money::{Currency, Money},
        subscription::{AccessPolicy, Kind, Status},
    },
    store::{
        figures::{self, Months, Share},
        history, roster,
    },
};

use super::roster::insert_person;
use crate::{on_both, support::app::App};

on_both! {
    an_empty_site_has_only_zeros,
    every_figure_is_what_its_rows_say,
    who_stopped_paying_is_what_the_rule_says_of_each_moment,
    what_renews_is_spread_over_the_months_of_its_period,
}

const PEOPLE: i64 = 60;

fn now() -> DateTime<Utc> {
    "2027-03-17T10:15:30Z".parse().unwrap()
}

fn months() -> Months {
    Months { starts: months_up_to(now(), 12), now: now() }
}

fn number_of(at: DateTime<Utc>) -> Option<usize> {
    let months = months();
    (at <= months.now).then(|| months.starts.iter().rposition(|start| *start <= at)).flatten()
}

fn days_ago(days: i64) -> DateTime<Utc> {
    now() - TimeDelta::days(days)
}

fn insert_subscription(app: &App, user: i64, kind: &str, status: &str, span: (DateTime<Utc>, DateTime<Utc>), id: &str) {
    let (start, end) = (span.0.timestamp_micros(), span.1.timestamp_micros());
    let provider = if kind == "recurring" { format!("'{id}'") } else { "NULL".to_owned() };
    app.database.execute(&format!(
        "INSERT INTO subscriptions (user_id, kind, status, provider_id, current_period_start, current_period_end, \
         cancel_at_period_end, version, created_at, updated_at) VALUES ({user}, '{kind}', '{status}', {provider}, {start}, \
         {end}, FALSE, 1, {start}, {start})"
    ));
}

/// Of one person, on a day: amount, status, currency, what went back.
struct Paid<'a> {
    user: i64,
    at: DateTime<Utc>,
    status: &'a str,
    money: (i64, &'a str),
    back: i64,
    failed: Option<DateTime<Utc>>,
    subscription: Option<&'a str>,
}

fn insert_payment(app: &App, paid: &Paid<'_>) {
    let quoted = |text: Option<&str>| text.map_or("NULL".to_owned(), |text| format!("'{text}'"));
    let micros = |at: Option<DateTime<Utc>>| at.map_or("NULL".to_owned(), |at| at.timestamp_micros().to_string());
    let taken_back = if paid.back >= paid.money.0 { micros(Some(paid.at)) } else { "NULL".to_owned() };
    app.database.execute(&format!(
        "INSERT INTO payments (user_id, purpose, status, happened_at, provider_subscription_id, amount, amount_refunded, \
         amount_lost, currency, taken_back_at, failed_at, created_at, updated_at) VALUES ({}, 'subscription', '{}', {}, {}, \
         {}, {}, 0, '{}', {taken_back}, {}, 0, 0)",
        paid.user,
        paid.status,
        micros(Some(paid.at)),
        quoted(paid.subscription),
        paid.money.0,
        paid.back,
        paid.money.1,
        micros(paid.failed)
    ));
}

async fn an_empty_site_has_only_zeros(app: App) {
    let (months, policy) = (months(), AccessPolicy::default());
    app.store
        .read(move |conn| {
            assert!(figures::people(conn)?.iter().all(|(_, count)| *count == 0));
            assert_eq!(figures::sign_ups(conn, &months)?, [0; 12]);
            for shares in [
                figures::conversions(conn, &months)?,
                figures::failures(conn, &months)?,
                figures::churn(conn, &months, &policy)?,
            ] {
                assert_eq!(shares, [Share::default(); 12]);
            }
            assert!(figures::received(conn, &months)?.iter().all(Vec::is_empty));
            assert!(figures::recurring_revenue(conn, now())?.is_empty());
            Ok(())
        })
        .await
        .unwrap();
}

async fn every_figure_is_what_its_rows_say(app: App) {
    let (mut sign_ups, mut conversions) = (vec![0; 12], vec![Share::default(); 12]);
    let (mut failures, mut received) = (vec![Share::default(); 12], vec![(0, 0); 12]);
    for id in 1..=PEOPLE {
        let made = days_ago(id * 7) + TimeDelta::hours(id);
        insert_person(&app, id, "Ada", "Lovelace", &format!("p{id}@example.com"), made);
        let (has_trial, pays, comes_back) = (id % 4 != 0, id % 3 == 0, id % 6 == 0);
        if has_trial {
            insert_subscription(&app, id, "trial", "trialing", (made, made + TimeDelta::days(184)), "");
        }
        if pays {
            let (amount, currency) = (900 + id, if id % 2 == 0 { "eur" } else { "usd" });
            let back = if comes_back { amount } else { id % 5 };
            let (at, failed) = (made + TimeDelta::days(1), (id % 9 == 0).then(|| made + TimeDelta::hours(20)));
            let paid =
                Paid { user: id, at, status: "paid", money: (amount, currency), back, failed, subscription: None };
            insert_payment(&app, &paid);
            if let Some(month) = number_of(at) {
                let sum = if currency == "eur" { &mut received[month].0 } else { &mut received[month].1 };
                *sum += amount - back;
            }
            if let Some(month) = failed.and_then(number_of) {
                failures[month].whole += 1;
                failures[month].part += 1;
            }
        }
        if id % 7 == 0 {
            let (at, money) = (made + TimeDelta::days(3), (500, "eur"));
            let paid = Paid { user: id, at, status: "failed", money, back: 0, failed: Some(at), subscription: None };
            insert_payment(&app, &paid);
            if let Some(month) = number_of(at) {
                failures[month].whole += 1;
            }
        }
        if let Some(month) = number_of(made) {
            sign_ups[month] += 1;
            conversions[month].whole += i64::from(has_trial);
            conversions[month].part += i64::from(has_trial && pays && !comes_back);
        }
    }
    // Whoever has left counts among those who came.
    app.database.execute(&format!("UPDATE users SET deleted_at = {} WHERE id = 3", now().timestamp_micros()));
    let months = months();
    let (counted, money) = app
        .store
        .read(move |conn| {
            let sign_ups = figures::sign_ups(conn, &months)?;
            let shares = (figures::conversions(conn, &months)?, figures::failures(conn, &months)?);
            Ok(((sign_ups, shares.0, shares.1), figures::received(conn, &months)?))
        })
        .await
        .unwrap();
    assert_eq!(counted, (sign_ups, conversions, failures));
    let sum = |month: &Vec<Money>, code: &str| {
        let found = month.iter().find(|money| money.currency == Currency::parse(code).unwrap());
        found.map_or(0, |money| money.minor)
    };
    let money: Vec<(i64, i64)> = money.iter().map(|month| (sum(month, "eur"), sum(month, "usd"))).collect();
    assert_eq!(money, received);
    assert!(money.iter().any(|sums| *sums != (0, 0)));
    roster::bring_up_to_date(&app.store, AccessPolicy::default(), now()).await.unwrap();
    let people = app.store.read(figures::people).await.unwrap();
    let of = |status| people.iter().find(|(one, _)| *one == status).unwrap().1;
    let listed = |status: &str| app.database.count("roster", &format!("status = '{status}'"));
    assert_eq!(people.iter().map(|(_, count)| count).sum::<i64>(), PEOPLE - 1);
    assert_eq!((of(Some(Status::Trialing)), of(None)), (listed("trialing"), listed("none")));
    assert!(of(Some(Status::Trialing)) > 0 && of(Some(Status::Expired)) > 0 && of(None) > 0);
}

/// Changes a subscription at a moment, as the program does: with the moment beside it.
fn change(app: &App, subscription: &str, at: DateTime<Utc>, what: &str) {
    let at = at.timestamp_micros();
    app.database.execute(&format!("UPDATE subscriptions SET {what}, updated_at = {at} WHERE {subscription}"));
}

async fn who_stopped_paying_is_what_the_rule_says_of_each_moment(app: App) {
    for id in 1..=PEOPLE {
        let made = days_ago(30 + id * 7);
        insert_person(&app, id, "Ada", "Lovelace", &format!("p{id}@example.com"), made);
        let kind = ["recurring", "prepaid", "trial", "complimentary", "recurring"][usize::try_from(id % 5).unwrap()];
        let name = format!("sub_{id}");
        insert_subscription(&app, id, kind, "active", (made, made + TimeDelta::days(31)), &name);
        let this = format!("user_id = {id}");
        for renewal in 1..=(id % 8) {
            let (start, next) = (made + TimeDelta::days(31 * renewal), made + TimeDelta::days(31 * (renewal + 1)));
            let span = format!(
                "current_period_start = {}, current_period_end = {}",
                start.timestamp_micros(),
                next.timestamp_micros()
            );
            let status = ["active", "past_due", "active", "canceled"][usize::try_from((id + renewal) % 4).unwrap()];
            change(&app, &this, start, &format!("{span}, status = '{status}'"));
        }
        let late = made + TimeDelta::days(100 + id);
        match id % 6 {
            0 => change(&app, &this, late, &format!("status = 'canceled', ended_at = {}", late.timestamp_micros())),
            1 => change(&app, &this, late, &format!("cancel_at = {}", (late + TimeDelta::days(9)).timestamp_micros())),
            2 => change(&app, &this, late, "status = 'expired'"),
            3 => change(
                &app,
                &format!("{this} AND kind = 'recurring'"),
                late,
                "current_period_start = NULL, current_period_end = NULL",
            ),
            _ => {}
        }
    }
    for grace in [0, 4] {
        let policy = AccessPolicy { past_due_grace: TimeDelta::days(grace), ..AccessPolicy::default() };
        let months = months();
        let mut expected = vec![Share::default(); 12];
        for id in 1..=PEOPLE {
            let known = app.store.read(move |conn| history::of_user(conn, id)).await.unwrap();
            let pays = |at: DateTime<Utc>| {
                let bought = |kind| matches!(kind, Kind::Recurring | Kind::Prepaid);
                known_at(&known, at).iter().any(|one| bought(one.kind) && one.gives_access(&policy, at))
            };
            let moments: Vec<DateTime<Utc>> = months.starts.iter().copied().chain([months.now]).collect();
            for (number, pair) in moments.windows(2).enumerate() {
                expected[number].whole += i64::from(pays(pair[0]));
                expected[number].part += i64::from(pays(pair[0]) && !pays(pair[1]));
            }
        }
        let counted = app.store.read(move |conn| figures::churn(conn, &months, &policy)).await.unwrap();
        assert_eq!(counted, expected, "{grace} days of grace");
        assert!(counted.iter().filter(|month| month.part > 0).count() > 3, "nothing happens: {counted:?}");
    }
}

async fn what_renews_is_spread_over_the_months_of_its_period(app: App) {
    let amounts = [(31, 900, "eur"), (365, 9_000, "eur"), (30, 1_000, "usd"), (7, 700, "usd"), (31, 100, "eur")];
    for (number, (days, amount, currency)) in (1_i64..).zip(amounts) {
        insert_person(&app, number, "Ada", "Lovelace", &format!("p{number}@example.com"), days_ago(400));
        let (start, name) = (days_ago(days) + TimeDelta::days(1), format!("sub_{number}"));
        insert_subscription(&app, number, "recurring", "active", (start, start + TimeDelta::days(days)), &name);
        for (at, amount, status) in
            [(days_ago(390), 1, "paid"), (start, amount, "paid"), (start + TimeDelta::hours(1), 77, "failed")]
        {
            let subscription = Some(name.as_str());
            let paid =
                Paid { user: number, at, status, money: (amount, currency), back: 0, failed: None, subscription };
            insert_payment(&app, &paid);
        }
    }
    let revenue = |app: &App| {
        let store = app.store.clone();
        async move {
            let rows = store.read(|conn| figures::recurring_revenue(conn, now())).await.unwrap();
            rows.into_iter().map(|(money, count)| (money.to_string(), count)).collect::<Vec<_>>()
        }
    };
    let all = [("€17.50".to_owned(), 3), ("$40.42".to_owned(), 2)];
    assert_eq!(revenue(&app).await, all);
    // None of these goes on by itself, or is paid.
    let moment = now().timestamp_micros();
    for what in [
        "status = 'past_due'",
        "status = 'trialing'",
        "status = 'canceled'",
        "cancel_at_period_end = TRUE",
        &format!("cancel_at = {moment}"),
        "collection_voided = TRUE",
        &format!("current_period_end = {moment}"),
    ] {
        app.database.execute(&format!("UPDATE subscriptions SET {what} WHERE provider_id = 'sub_5'"));
        assert_eq!(revenue(&app).await[0], ("€16.50".to_owned(), 2), "{what}");
        app.database.execute(
            "UPDATE subscriptions SET status = 'active', cancel_at_period_end = FALSE, cancel_at = NULL, \
             collection_voided = FALSE, current_period_end = current_period_start + 2678400000000 WHERE provider_id = 'sub_5'",
        );
    }
    assert_eq!(revenue(&app).await, all);
}

//! Lists and counts agree with the gate at any instant, whether or not a job has ever run.

use std::{cell::Cell, collections::BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use turnpike::{
    domain::{
        access::{Access, premium_access, shown},
        subscription::{AccessPolicy, Kind, Status},
    },
    store::{
        roster,
        subscribers::{self, Filter, Order, Sort, Subscriber},
        subscriptions, users,
    },
};

use crate::{on_both, support::app::App};

on_both! {
    lists_and_counts_agree_with_the_gate_at_any_instant,
    another_policy_counts_at_once,
    pages_neither_repeat_nor_drop_anybody,
    more_people_than_are_sorted_at_once_are_listed_all_the_same,
}

const MOST: i64 = 100_000;
const NEWEST: Order = Order { sort: Sort::SignUp, descending: true };

/// Numbers that look random and are the same in every run.
struct Dice(Cell<u64>);

impl Dice {
    fn below(&self, end: u64) -> i64 {
        let next = self.0.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0.set(next);
        i64::try_from((next >> 33) % end).unwrap()
    }

    fn one_of<'a>(&self, all: &[&'a str]) -> &'a str {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }
}

/// Hours from the moment at which the test began, as the database keeps instants.
pub(super) fn at(hours: i64) -> DateTime<Utc> {
    let start: DateTime<Utc> = crate::support::app::START.parse().unwrap();
    start + TimeDelta::hours(hours)
}

pub(super) fn insert_person(app: &App, id: i64, first: &str, last: &str, email: &str, created: DateTime<Utc>) {
    let (first, last) = (first.replace('\'', "''"), last.replace('\'', "''"));
    let micros = created.timestamp_micros();
    app.database.execute(&format!(
        "INSERT INTO users (id, public_id, email, email_canonical, password_hash, first_name, last_name, time_zone, language, \
         role, terms_accepted_at, created_at, updated_at) VALUES ({id}, 'usr_{id}', '{email}', '{email}', '', '{first}', \
         '{last}', 'UTC', 'en', 'user', {micros}, {micros}, {micros})"
    ));
}

/// So many people who differ in nothing but their numbers.
pub(super) fn insert_people(app: &App, people: i64) {
    app.database.execute(&format!(
        "INSERT INTO users (id, public_id, email, email_canonical, password_hash, first_name, last_name, time_zone, language, \
         role, terms_accepted_at, created_at, updated_at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
         WHERE i < {people}) SELECT i, 'usr_' || i, 'p' || i, 'p' || i, '', 'Ada', 'Lovelace', 'UTC', 'en', 'user', i, i, i \
         FROM n"
    ));
}

fn insert_random_subscription(app: &App, dice: &Dice, user: i64) {
    let number = dice.below(1 << 40);
    let kind = dice.one_of(&["trial", "recurring", "prepaid", "complimentary"]);
    let status = dice.one_of(&["trialing", "active", "active", "past_due", "canceled", "expired"]);
    let moment = |dice: &Dice| at(dice.below(48) - 12).timestamp_micros().to_string();
    let sometimes = |dice: &Dice| if dice.below(3) == 0 { moment(dice) } else { "NULL".to_owned() };
    let (start, end) = (moment(dice), moment(dice));
    let (provider, word) = if kind == "recurring" {
        (format!("'sub_{number}'"), dice.one_of(&["'active'", "'unpaid'", "'paused'", "NULL"]))
    } else {
        ("NULL".to_owned(), "NULL")
    };
    let (cancel, ended, plan) = (sometimes(dice), sometimes(dice), dice.one_of(&["NULL", "'monthly'", "'yearly'"]));
    let flag = dice.one_of(&["TRUE", "FALSE"]);
    // A second trial or prepaid one of a person does not fit, and is left out.
    app.database.execute(&format!(
        "INSERT INTO subscriptions (user_id, kind, status, plan, provider_id, provider_status, current_period_start, \
         current_period_end, cancel_at_period_end, cancel_at, ended_at, version, created_at, updated_at) \
         SELECT {user}, '{kind}', '{status}', {plan}, {provider}, {word}, {start}, {end}, {flag}, {cancel}, {ended}, 1, 0, 0 \
         WHERE '{kind}' NOT IN ('trial', 'prepaid') OR NOT EXISTS \
         (SELECT 1 FROM subscriptions WHERE user_id = {user} AND kind = '{kind}')"
    ));
}

pub(super) async fn list(app: &App, filter: Filter) -> Vec<Subscriber> {
    app.store.read(move |conn| subscribers::list(conn, &filter, NEWEST, None, MOST)).await.unwrap()
}

pub(super) fn ids(people: &[Subscriber]) -> BTreeSet<i64> {
    people.iter().map(|one| one.id).collect()
}

/// Everybody, as the functions of the gate see them.
async fn agree(app: &App, policy: AccessPolicy, now: DateTime<Utc>) {
    roster::bring_up_to_date(&app.store, policy, now).await.unwrap();
    let everybody = list(app, Filter::default()).await;
    let known = app.database.count("users", "deleted_at IS NULL");
    assert_eq!(i64::try_from(everybody.len()).unwrap(), known, "somebody is missing at {now}");
    for one in &everybody {
        let id = one.id;
        let (user, rows) = app
            .store
            .read(move |conn| Ok((users::by_id(conn, id)?.unwrap(), subscriptions::of_user(conn, id)?)))
            .await
            .unwrap();
        let access = premium_access(&rows, user.email_confirmed, &policy, now);
        let seen = shown(&rows, &policy, now);
        let told = (one.status, one.kind, one.plan.clone(), one.granted, one.renews);
        let (granted, renews) = match access {
            Access::Granted { renews, .. } => (true, renews),
            Access::Denied { .. } => (false, false),
        };
        let judged = (
            seen.map(|one| one.effective_status(&policy, now)),
            seen.map(|one| one.kind),
            seen.and_then(|one| one.plan.clone()),
            granted,
            renews,
        );
        assert_eq!(told, judged, "person {id} at {now}: {rows:?}");
        if let Access::Granted { until, .. } = access {
            assert_eq!(one.ends_at, Some(until));
        }
        assert_eq!(usize::try_from(one.live).unwrap(), rows.iter().filter(|one| one.is_live_at_provider()).count());
    }
    let mut counted = 0;
    for status in Status::ALL.into_iter().map(Some).chain([None]) {
        let filter = Filter { status: Some(status), ..Filter::default() };
        let listed = list(app, filter.clone()).await;
        let judged = everybody.iter().filter(|one| one.status == status).map(|one| one.id).collect();
        assert_eq!(ids(&listed), judged, "{status:?}");
        let count = app.store.read(move |conn| subscribers::count(conn, &filter, MOST)).await.unwrap();
        assert_eq!(count, i64::try_from(listed.len()).unwrap());
        counted += count;
    }
    assert_eq!(counted, known);
    for (kind, plan) in Kind::ALL.into_iter().flat_map(|kind| [(kind, None), (kind, Some("monthly"))]) {
        for status in Status::ALL.into_iter().map(|status| Some(Some(status))).chain([None, Some(None)]) {
            for unconfirmed in [false, true] {
                let plan = plan.map(str::to_owned);
                let filter = Filter { kind: Some(kind), plan: plan.clone(), status, unconfirmed, ..Filter::default() };
                let fits = |one: &&Subscriber| {
                    one.kind == Some(kind)
                        && (plan.is_none() || one.plan == plan)
                        && status.is_none_or(|status| one.status == status)
                        && !(unconfirmed && one.confirmed)
                };
                let judged: BTreeSet<i64> = everybody.iter().filter(fits).map(|one| one.id).collect();
                assert_eq!(ids(&list(app, filter.clone()).await), judged, "{filter:?}");
            }
        }
    }
    let twice = list(app, Filter { twice: true, ..Filter::default() }).await;
    assert_eq!(ids(&twice), everybody.iter().filter(|one| one.live > 1).map(|one| one.id).collect());
    let unconfirmed = list(app, Filter { unconfirmed: true, ..Filter::default() }).await;
    assert_eq!(ids(&unconfirmed), everybody.iter().filter(|one| !one.confirmed).map(|one| one.id).collect());
}

async fn lists_and_counts_agree_with_the_gate_at_any_instant(app: App) {
    let dice = Dice(Cell::new(7));
    for id in 1..=60 {
        insert_person(&app, id, "Ada", "Lovelace", &format!("p{id}@example.com"), at(-id));
        for _ in 0..dice.below(4) {
            insert_random_subscription(&app, &dice, id);
        }
    }
    let policy = AccessPolicy { past_due_grace: TimeDelta::hours(5), ..AccessPolicy::default() };
    app.store.write(move |conn| roster::keep_policy(conn, &policy)).await.unwrap();
    // The clock goes forwards, stands, and goes back; in between everything may change.
    for hours in [0, 1, 5, 5, 12, 3, 36, -20, 10] {
        agree(&app, policy, at(hours)).await;
        let (one, other, third) = (dice.below(60) + 1, dice.below(60) + 1, dice.below(60) + 1);
        insert_random_subscription(&app, &dice, one);
        let later = at(dice.below(48)).timestamp_micros();
        app.database.execute(&format!("UPDATE subscriptions SET current_period_end = {later} WHERE user_id = {other}"));
        app.database.execute(&format!("UPDATE users SET email_confirmed_at = 1 WHERE id = {third}"));
        app.database.execute(&format!("DELETE FROM subscriptions WHERE user_id = {third}"));
    }
    app.database.execute("UPDATE users SET deleted_at = 1 WHERE id = 1");
    app.database.execute("DELETE FROM users WHERE id = 2");
    agree(&app, policy, at(10)).await;
}

async fn another_policy_counts_at_once(app: App) {
    insert_person(&app, 1, "Ada", "Lovelace", "ada@example.com", at(0));
    let (start, end) = (at(0).timestamp_micros(), at(48).timestamp_micros());
    app.database.execute(&format!(
        "INSERT INTO subscriptions (user_id, kind, status, provider_id, current_period_start, current_period_end, \
         cancel_at_period_end, version, created_at, updated_at) \
         VALUES (1, 'recurring', 'past_due', 'sub_1', {start}, {end}, FALSE, 1, 0, 0)"
    ));
    let now = at(10);
    for (hours, granted) in [(5, false), (20, true), (20, true), (0, false)] {
        let policy = AccessPolicy { past_due_grace: TimeDelta::hours(hours), ..AccessPolicy::default() };
        app.store.write(move |conn| roster::keep_policy(conn, &policy)).await.unwrap();
        roster::bring_up_to_date(&app.store, policy, now).await.unwrap();
        assert_eq!(list(&app, Filter::default()).await[0].granted, granted, "{hours} hours of grace");
    }
}

async fn pages_neither_repeat_nor_drop_anybody(app: App) {
    for id in 1..=41 {
        // Most are equal in everything that a list is sorted by.
        let name = if id % 10 == 0 { "Zeta" } else { "Lovelace" };
        insert_person(&app, id, "Ada", name, &format!("p{id}@example.com"), at(if id % 9 == 0 { -1 } else { 0 }));
    }
    let now = at(1);
    for sort in [Sort::Name, Sort::SignUp, Sort::End] {
        for descending in [false, true] {
            let order = Order { sort, descending };
            roster::bring_up_to_date(&app.store, AccessPolicy::default(), now).await.unwrap();
            let (mut seen, mut place) = (Vec::new(), None);
            loop {
                let from = place.clone();
                let read = move |conn: &mut _| subscribers::list(conn, &Filter::default(), order, from.as_ref(), 7);
                let page = app.store.read(read).await.unwrap();
                seen.extend(page.iter().map(|one| one.id));
                let Some(last) = page.last() else { break };
                place = Some(last.place(sort));
                if seen.len() == 14 {
                    // Somebody of an earlier page goes, and somebody comes who belongs there.
                    let gone = seen[3];
                    app.database.execute(&format!("DELETE FROM users WHERE id = {gone}"));
                    insert_person(&app, gone, "Ada", "Lovelace", &format!("q{gone}@example.com"), at(0));
                    roster::bring_up_to_date(&app.store, AccessPolicy::default(), now).await.unwrap();
                }
            }
            let each: BTreeSet<i64> = seen.iter().copied().collect();
            let others = each.iter().filter(|id| seen.iter().filter(|one| one == id).count() > 1).count();
            assert!(others <= 1, "{order:?}: {seen:?}");
            assert_eq!(each.len(), 41, "{order:?}: {seen:?}");
        }
    }
}

async fn more_people_than_are_sorted_at_once_are_listed_all_the_same(app: App) {
    insert_people(&app, 2_048);
    roster::bring_up_to_date(&app.store, AccessPolicy::default(), at(1)).await.unwrap();
    let filter = Filter { status: Some(None), unconfirmed: true, ..Filter::default() };
    for people in [2_048, 2_001, 2_000] {
        app.database.execute(&format!("DELETE FROM users WHERE id > {people}"));
        let (asked, page) = (filter.clone(), filter.clone());
        let count = app.store.read(move |conn| subscribers::count(conn, &asked, MOST)).await.unwrap();
        let listed = app.store.read(move |conn| subscribers::list(conn, &page, NEWEST, None, MOST)).await.unwrap();
        let in_order: Vec<i64> = (1..=people).rev().collect();
        assert_eq!(count, people);
        assert_eq!(listed.iter().map(|one| one.id).collect::<Vec<_>>(), in_order);
    }
}

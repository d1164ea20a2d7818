//! The SQL filter for the effective status agrees with the function (`docs/rules.md §3`), over random rows and instants.

use std::cell::RefCell;

use chrono::{DateTime, TimeDelta, Utc};
use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::select,
    test_runner::{Config, TestRunner},
};
use turnpike::{
    clock::Entropy,
    domain::{
        provider::Facts,
        subscription::{AccessPolicy, Period, Status},
    },
    store::subscriptions,
};

use super::{Fresh, facts, moment};
use crate::support::database::Engine;

#[test]
fn on_sqlite() {
    filter_and_function_agree(Engine::Sqlite);
}

#[test]
fn on_postgresql() {
    filter_and_function_agree(Engine::Postgres);
}

fn filter_and_function_agree(engine: Engine) {
    let fresh = RefCell::new(Fresh::on(engine));
    let mut runner = TestRunner::new(Config { cases: 40, failure_persistence: None, ..Config::default() });
    let result = runner.run(&(vec(random_facts(), 1..12), near_now(), 0_i64..5), |(rows, now, grace_days)| {
        let mut fresh = fresh.borrow_mut();
        insert(&mut fresh, &rows);
        let policy = AccessPolicy { past_due_grace: TimeDelta::days(grace_days), ..AccessPolicy::default() };
        let user = fresh.user;
        let all = subscriptions::of_user(&mut fresh.conn, user).unwrap();
        for status in Status::ALL {
            let filtered = subscriptions::ids_by_effective_status(&mut fresh.conn, status, now).unwrap();
            let judged = all.iter().filter(|one| one.effective_status(&policy, now) == status).map(|one| one.id);
            prop_assert_eq!(filtered, judged.collect::<Vec<_>>(), "{:?} at {}", status, now);
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// Adds the rows to those of the cases before: each case looks at all of them from another instant.
fn insert(fresh: &mut Fresh, rows: &[Facts]) {
    for row in rows {
        let id = format!("sub_{}", Entropy.bytes::<8>().map(|byte| byte.to_string()).join("_"));
        fresh.subscribe(&id, row);
    }
}

/// A few instants close to each other, so that boundaries are met often.
fn near_now() -> impl Strategy<Value = DateTime<Utc>> {
    select(vec![-1_000_000, -1, 0, 1, 1_000_000]).prop_map(moment)
}

fn random_facts() -> impl Strategy<Value = Facts> {
    let period = option::weighted(0.9, (near_now(), near_now()).prop_map(|(start, end)| Period { start, end }));
    let ends = (any::<bool>(), option::of(near_now()), option::of(near_now()));
    (select(Status::ALL.to_vec()), period, ends).prop_map(|(status, period, (at_period_end, cancel_at, ended_at))| {
        Facts { cancel_at_period_end: at_period_end, cancel_at, ended_at, ..facts(status, period) }
    })
}

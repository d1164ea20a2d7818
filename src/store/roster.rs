//! Where each person stands, as rows that lists can be made of quickly.
//!
//! A row is made of the person's other rows by the functions that the gate asks, and says for how long it is true. Triggers
//! mark it when one of the others changes. Whoever reads the table brings it up to date first, so it never matters whether a
//! job has run.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{
    Conn, Store, StoreError,
    error::is_duplicate,
    schema::{roster, roster_rules, subscriptions, users},
    subscriptions::SubscriptionRow,
    types::Instant,
};
use crate::domain::{
    standing::{Standing, standing},
    subscription::{AccessPolicy, Subscription},
    text::folded,
};

/// So many rows are made anew in one transaction, which other writes wait for.
const BATCH: i64 = 200;

/// The row of `roster_rules` that keeps the policy.
const POLICY: &str = "access policy";

/// Brings all rows up to date. What changes while it runs is the next reader's.
///
/// # Errors
/// A query failed.
pub async fn bring_up_to_date(store: &Store, policy: AccessPolicy, now: DateTime<Utc>) -> Result<(), StoreError> {
    if !store.read(move |conn| has_stale(conn, now)).await? {
        return Ok(());
    }
    while store.write(move |conn| refresh(conn, &policy, now)).await? == BATCH {}
    Ok(())
}

/// Marks all rows as stale if they were made by another policy.
///
/// # Errors
/// A query failed.
pub fn keep_policy(conn: &mut Conn, policy: &AccessPolicy) -> Result<(), StoreError> {
    let (this, summary) = (roster_rules::table.filter(roster_rules::name.eq(POLICY)), policy.summary());
    let kept: Option<String> = this.select(roster_rules::value).get_result(conn).optional()?;
    match kept {
        Some(kept) if kept == summary => return Ok(()),
        Some(_) => drop(diesel::update(this).set(roster_rules::value.eq(summary)).execute(conn)?),
        None => {
            let added = conn.transaction(|conn| {
                diesel::insert_into(roster_rules::table)
                    .values((roster_rules::name.eq(POLICY), roster_rules::value.eq(&summary)))
                    .execute(conn)
            });
            match added {
                Ok(_) => {}
                // A server that starts at the same time was faster.
                Err(error) if is_duplicate(&error) => return keep_policy(conn, policy),
                Err(error) => return Err(error.into()),
            }
        }
    }
    diesel::update(roster::table).set(roster::valid_until.eq(0)).execute(conn)?;
    Ok(())
}

/// How often the person's account and subscriptions have changed: whoever decides on what they saw compares it.
///
/// # Errors
/// The query failed.
pub fn changes(conn: &mut Conn, user_id: i64) -> Result<Option<i64>, StoreError> {
    let this = roster::table.filter(roster::user_id.eq(user_id)).select(roster::changes);
    Ok(this.get_result(conn).optional()?)
}

fn has_stale(conn: &mut Conn, now: DateTime<Utc>) -> Result<bool, StoreError> {
    Ok(!stale(conn, now, 1)?.is_empty())
}

/// The persons whose rows are not true at `now`, and how often they had changed when this was asked. In two queries, so that
/// each has its index.
fn stale(conn: &mut Conn, now: DateTime<Utc>, most: i64) -> Result<Vec<(i64, i64)>, StoreError> {
    let now = Instant::from(now);
    let columns = (roster::user_id, roster::changes);
    let mut found: Vec<(i64, i64)> =
        roster::table.filter(roster::valid_until.le(now)).select(columns).limit(most).load(conn)?;
    let early = roster::valid_from.gt(now).and(roster::valid_until.gt(now));
    let rest = most.saturating_sub(i64::try_from(found.len()).unwrap_or(most));
    found.extend(roster::table.filter(early).select(columns).limit(rest).load::<(i64, i64)>(conn)?);
    Ok(found)
}

/// Makes up to a batch of stale rows anew, and returns how many there were.
fn refresh(conn: &mut Conn, policy: &AccessPolicy, now: DateTime<Utc>) -> Result<i64, StoreError> {
    let stale = stale(conn, now, BATCH)?;
    let ids: Vec<i64> = stale.iter().map(|(id, _)| *id).collect();
    let people: Vec<Person> = users::table.filter(users::id.eq_any(&ids)).select(Person::as_select()).load(conn)?;
    let rows: Vec<(i64, SubscriptionRow)> = subscriptions::table
        .filter(subscriptions::user_id.eq_any(&ids))
        .select((subscriptions::user_id, SubscriptionRow::as_select()))
        .load(conn)?;
    let mut owned: HashMap<i64, Vec<Subscription>> = HashMap::new();
    for (user_id, row) in rows {
        owned.entry(user_id).or_default().push(row.into());
    }
    let people: HashMap<i64, Person> = people.into_iter().map(|person| (person.id, person)).collect();
    for (id, changes) in &stale {
        // Seen at another state than the one that counts: it changed meanwhile, and stays stale.
        let as_seen = roster::user_id.eq(id).and(roster::changes.eq(changes));
        match people.get(id).filter(|person| person.deleted_at.is_none()) {
            Some(person) => {
                let subscriptions = owned.remove(id).unwrap_or_default();
                let standing = standing(&subscriptions, person.email_confirmed_at.is_some(), policy, now);
                diesel::update(roster::table.filter(as_seen)).set(Row::of(person, standing)).execute(conn)?;
            }
            None => drop(diesel::delete(roster::table.filter(as_seen)).execute(conn)?),
        }
    }
    Ok(i64::try_from(stale.len()).unwrap_or(BATCH))
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = users)]
struct Person {
    id: i64,
    email: String,
    first_name: String,
    last_name: String,
    email_confirmed_at: Option<Instant>,
    deleted_at: Option<Instant>,
    locked_at: Option<Instant>,
    created_at: Instant,
}

#[derive(AsChangeset)]
#[diesel(table_name = roster, treat_none_as_null = true)]
struct Row {
    valid_from: Instant,
    valid_until: Instant,
    name_key: String,
    search: String,
    signed_up_at: Instant,
    status: &'static str,
    kind: &'static str,
    plan: Option<String>,
    granted: bool,
    renews: bool,
    ends_at: Instant,
    live: i64,
    confirmed: bool,
    locked: bool,
}

impl Row {
    fn of(person: &Person, standing: Standing) -> Self {
        let name = folded(&format!("{} {}", person.last_name, person.first_name));
        let given_first = folded(&format!("{} {}{}", person.first_name, person.last_name, person.first_name));
        Self {
            valid_from: standing.since.unwrap_or(DateTime::UNIX_EPOCH).into(),
            valid_until: standing.until.unwrap_or(DateTime::<Utc>::MAX_UTC).into(),
            search: format!("{given_first}\n{}", folded(&person.email)),
            name_key: name,
            signed_up_at: person.created_at,
            status: standing.status.map_or(NONE, |status| status.as_str()),
            kind: standing.kind.map_or(NONE, |kind| kind.as_str()),
            plan: standing.plan,
            granted: standing.granted,
            renews: standing.renews,
            ends_at: standing.ends_at.unwrap_or(DateTime::UNIX_EPOCH).into(),
            live: i64::try_from(standing.live).unwrap_or(i64::MAX),
            confirmed: person.email_confirmed_at.is_some(),
            locked: person.locked_at.is_some(),
        }
    }
}

/// The status and the kind of those who never had a subscription.
pub const NONE: &str = "none";

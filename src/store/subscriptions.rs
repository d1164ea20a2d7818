//! The sources of access of each person.

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{
    Conn, StoreError,
    conn::Db,
    schema::subscriptions,
    types::{Instant, Word},
};
use crate::domain::{
    provider::Facts,
    subscription::{Kind, Period, Status, Subscription},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = subscriptions)]
pub(super) struct SubscriptionRow {
    id: i64,
    kind: Word<Kind>,
    status: Word<Status>,
    plan: Option<String>,
    provider_id: Option<String>,
    provider_status: Option<String>,
    current_period_start: Option<Instant>,
    current_period_end: Option<Instant>,
    cancel_at_period_end: bool,
    cancel_at: Option<Instant>,
    ended_at: Option<Instant>,
}

impl From<SubscriptionRow> for Subscription {
    fn from(row: SubscriptionRow) -> Self {
        Self {
            id: row.id,
            kind: row.kind.0,
            status: row.status.0,
            plan: row.plan,
            provider_id: row.provider_id,
            provider_status: row.provider_status,
            period: period(row.current_period_start, row.current_period_end),
            cancel_at_period_end: row.cancel_at_period_end,
            cancel_at: row.cancel_at.map(Into::into),
            ended_at: row.ended_at.map(Into::into),
        }
    }
}

fn period(start: Option<Instant>, end: Option<Instant>) -> Option<Period> {
    Some(Period { start: start?.into(), end: end?.into() })
}

/// All subscriptions of a person.
///
/// # Errors
/// The query failed.
pub fn of_user(conn: &mut Conn, user_id: i64) -> Result<Vec<Subscription>, StoreError> {
    let rows = subscriptions::table
        .filter(subscriptions::user_id.eq(user_id))
        .order(subscriptions::id)
        .select(SubscriptionRow::as_select())
        .load(conn)?;
    Ok(rows.into_iter().map(Subscription::from).collect())
}

/// Gives a period of ours: a trial, prepaid months, a present.
///
/// # Errors
/// The query failed, or the person has a trial already.
pub fn insert_own(
    conn: &mut Conn,
    user_id: i64,
    kind: Kind,
    period: Period,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let status = if kind == Kind::Trial { Status::Trialing } else { Status::Active };
    let now = Instant::from(now);
    diesel::insert_into(subscriptions::table)
        .values((
            subscriptions::user_id.eq(user_id),
            subscriptions::kind.eq(Word(kind)),
            subscriptions::status.eq(Word(status)),
            subscriptions::current_period_start.eq(Instant::from(period.start)),
            subscriptions::current_period_end.eq(Instant::from(period.end)),
            subscriptions::cancel_at_period_end.eq(false),
            subscriptions::version.eq(1_i64),
            subscriptions::created_at.eq(now),
            subscriptions::updated_at.eq(now),
        ))
        .execute(conn)?;
    Ok(())
}

/// A recurring subscription's row, as the judge of Stripe's snapshots needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurring {
    /// Its row.
    pub id: i64,
    /// The person whose it is.
    pub user_id: i64,
    /// What is stored of it.
    pub facts: Facts,
}

/// The columns of [`Facts`].
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = subscriptions, treat_none_as_null = true)]
struct FactsRow {
    status: Word<Status>,
    plan: Option<String>,
    provider_status: Option<String>,
    current_period_start: Option<Instant>,
    current_period_end: Option<Instant>,
    cancel_at_period_end: bool,
    cancel_at: Option<Instant>,
    ended_at: Option<Instant>,
    snapshot_at: Option<Instant>,
}

impl From<&Facts> for FactsRow {
    fn from(facts: &Facts) -> Self {
        Self {
            status: Word(facts.status),
            plan: facts.plan.clone(),
            provider_status: Some(facts.provider_status.clone()),
            current_period_start: facts.period.map(|period| period.start.into()),
            current_period_end: facts.period.map(|period| period.end.into()),
            cancel_at_period_end: facts.cancel_at_period_end,
            cancel_at: facts.cancel_at.map(Into::into),
            ended_at: facts.ended_at.map(Into::into),
            snapshot_at: Some(facts.as_of.into()),
        }
    }
}

impl From<FactsRow> for Facts {
    fn from(row: FactsRow) -> Self {
        Self {
            as_of: row.snapshot_at.map_or(DateTime::UNIX_EPOCH, Into::into),
            status: row.status.0,
            provider_status: row.provider_status.unwrap_or_default(),
            plan: row.plan,
            period: period(row.current_period_start, row.current_period_end),
            cancel_at_period_end: row.cancel_at_period_end,
            cancel_at: row.cancel_at.map(Into::into),
            ended_at: row.ended_at.map(Into::into),
        }
    }
}

/// The row of a subscription at Stripe.
///
/// # Errors
/// The query failed.
pub fn by_provider_id(conn: &mut Conn, provider_id: &str) -> Result<Option<Recurring>, StoreError> {
    let row: Option<(i64, i64, FactsRow)> = subscriptions::table
        .filter(subscriptions::provider_id.eq(provider_id))
        .select((subscriptions::id, subscriptions::user_id, FactsRow::as_select()))
        .get_result(conn)
        .optional()?;
    Ok(row.map(|(id, user_id, facts)| Recurring { id, user_id, facts: facts.into() }))
}

/// Adds the row of a subscription at Stripe.
///
/// # Errors
/// The query failed.
pub fn insert_recurring(
    conn: &mut Conn,
    user_id: i64,
    provider_id: &str,
    facts: &Facts,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let now = Instant::from(now);
    diesel::insert_into(subscriptions::table)
        .values((
            FactsRow::from(facts),
            subscriptions::user_id.eq(user_id),
            subscriptions::provider_id.eq(provider_id),
            subscriptions::kind.eq(Word(Kind::Recurring)),
            subscriptions::version.eq(1_i64),
            subscriptions::created_at.eq(now),
            subscriptions::updated_at.eq(now),
        ))
        .execute(conn)?;
    Ok(())
}

/// Replaces what is stored of a subscription at Stripe.
///
/// # Errors
/// The query failed.
pub fn update_recurring(conn: &mut Conn, id: i64, facts: &Facts, now: DateTime<Utc>) -> Result<(), StoreError> {
    diesel::update(subscriptions::table.filter(subscriptions::id.eq(id)))
        .set((
            FactsRow::from(facts),
            subscriptions::version.eq(subscriptions::version + 1),
            subscriptions::updated_at.eq(Instant::from(now)),
        ))
        .execute(conn)?;
    Ok(())
}

/// Notes that Stripe has to be asked about a subscription.
///
/// # Errors
/// The query failed.
pub fn queue_refresh(conn: &mut Conn, provider_id: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    diesel::update(subscriptions::table.filter(subscriptions::provider_id.eq(provider_id)))
        .set(subscriptions::refresh_due_at.eq(Instant::from(now)))
        .execute(conn)?;
    Ok(())
}

/// Notes that Stripe has answered about a subscription.
///
/// # Errors
/// The query failed.
pub fn refresh_done(conn: &mut Conn, provider_id: &str) -> Result<(), StoreError> {
    diesel::update(subscriptions::table.filter(subscriptions::provider_id.eq(provider_id)))
        .set(subscriptions::refresh_due_at.eq(None::<Instant>))
        .execute(conn)?;
    Ok(())
}

/// The subscriptions that Stripe has to be asked about by now: row and Stripe's id, at most `limit`.
///
/// # Errors
/// The query failed.
pub fn refresh_due(conn: &mut Conn, now: DateTime<Utc>, limit: i64) -> Result<Vec<(i64, String)>, StoreError> {
    Ok(subscriptions::table
        .filter(subscriptions::refresh_due_at.le(Instant::from(now)))
        .filter(subscriptions::provider_id.is_not_null())
        .order(subscriptions::refresh_due_at)
        .limit(limit)
        .select((subscriptions::id, subscriptions::provider_id.assume_not_null()))
        .load(conn)?)
}

/// Takes the right to ask Stripe about a subscription; `false` when somebody asked since `not_since`.
///
/// # Errors
/// The query failed.
pub fn claim_refresh(
    conn: &mut Conn,
    id: i64,
    not_since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let free = subscriptions::refreshed_at.is_null().or(subscriptions::refreshed_at.le(Instant::from(not_since)));
    let claimed = diesel::update(subscriptions::table.filter(subscriptions::id.eq(id)).filter(free))
        .set(subscriptions::refreshed_at.eq(Instant::from(now)))
        .execute(conn)?;
    Ok(claimed > 0)
}

/// Marks one that was seen past its end as expired, unless it changed meanwhile (`docs/rules.md §4`).
///
/// # Errors
/// The query failed.
pub fn expire(conn: &mut Conn, id: i64, seen: Status, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let as_seen = subscriptions::id.eq(id).and(subscriptions::status.eq(Word(seen)));
    let changed = diesel::update(subscriptions::table.filter(as_seen).filter(ran_out(now)))
        .set((
            subscriptions::status.eq(Word(Status::Expired)),
            subscriptions::version.eq(subscriptions::version + 1),
            subscriptions::updated_at.eq(Instant::from(now)),
        ))
        .execute(conn)?;
    Ok(changed > 0)
}

/// Marks everything of ours that ran out as expired, and returns how many. Recurring ones that may yet renew are left
/// to Stripe's word.
///
/// # Errors
/// The query failed.
pub fn expire_all(conn: &mut Conn, now: DateTime<Utc>) -> Result<usize, StoreError> {
    let not_yet_marked =
        subscriptions::status.ne(Word(Status::Expired)).and(subscriptions::kind.ne(Word(Kind::Recurring)));
    let due = subscriptions::table.filter(not_yet_marked).filter(effective_status_is(Status::Expired, now));
    Ok(diesel::update(due)
        .set((
            subscriptions::status.eq(Word(Status::Expired)),
            subscriptions::version.eq(subscriptions::version + 1),
            subscriptions::updated_at.eq(Instant::from(now)),
        ))
        .execute(conn)?)
}

/// A condition on a subscription's row.
pub(super) type Condition = Box<
    dyn BoxableExpression<subscriptions::table, Db, SqlType = diesel::sql_types::Nullable<diesel::sql_types::Bool>>,
>;

/// The SQL of [`Subscription::effective_status`]; a property test holds the two together.
pub(super) fn effective_status_is(status: Status, now: DateTime<Utc>) -> Condition {
    let stored = subscriptions::status.eq(Word(status));
    match status {
        Status::Trialing | Status::Active => Box::new(stored.and(runs(now))),
        Status::PastDue | Status::Canceled => Box::new(stored.nullable()),
        Status::Expired => {
            let runs_out =
                subscriptions::status.eq_any([Word(Status::Trialing), Word(Status::Active)]).and(ran_out(now));
            Box::new(stored.nullable().or(runs_out))
        }
    }
}

/// Before every end that is set.
fn runs(now: DateTime<Utc>) -> Condition {
    let now = Instant::from(now);
    Box::new(
        subscriptions::current_period_end
            .gt(now)
            .and(subscriptions::cancel_at.is_null().or(subscriptions::cancel_at.gt(now)))
            .and(subscriptions::ended_at.is_null().or(subscriptions::ended_at.gt(now))),
    )
}

/// At or after one of the ends that are set, or without a period.
fn ran_out(now: DateTime<Utc>) -> Condition {
    let now = Instant::from(now);
    Box::new(
        subscriptions::current_period_end
            .is_null()
            .or(subscriptions::current_period_end.le(now))
            .or(subscriptions::cancel_at.le(now))
            .or(subscriptions::ended_at.le(now)),
    )
}

/// The rows with an effective status, by id.
///
/// # Errors
/// The query failed.
pub fn ids_by_effective_status(conn: &mut Conn, status: Status, now: DateTime<Utc>) -> Result<Vec<i64>, StoreError> {
    Ok(subscriptions::table
        .filter(effective_status_is(status, now))
        .order(subscriptions::id)
        .select(subscriptions::id)
        .load(conn)?)
}

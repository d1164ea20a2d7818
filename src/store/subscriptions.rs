//! The sources of access of each person.

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{
    Conn, StoreError,
    conn::Db,
    schema::subscriptions,
    types::{Instant, Word},
};
use crate::domain::subscription::{Kind, Period, Status, Subscription};

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
    collection_voided: bool,
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
            collection_voided: row.collection_voided,
        }
    }
}

pub(super) fn period(start: Option<Instant>, end: Option<Instant>) -> Option<Period> {
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

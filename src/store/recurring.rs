//! Subscriptions at Stripe: what Stripe said last, and whether it has to be asked again.

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{
    Conn, StoreError,
    schema::subscriptions,
    subscriptions::period,
    types::{Instant, Word},
};
use crate::domain::{
    provider::{Facts, Known},
    subscription::{Kind, Status},
};

/// A recurring subscription's row, as the judge of Stripe's snapshots needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurring {
    /// Its row.
    pub id: i64,
    /// The person whose it is.
    pub user_id: i64,
    /// What is stored of it.
    pub facts: Facts,
    /// From what that was made. A row that was written before this was kept has none.
    pub known: Option<Known>,
    /// Counts the changes of the row.
    pub version: i64,
    /// When Stripe is to be asked about it.
    pub refresh_due_at: Option<DateTime<Utc>>,
}

/// What is to be stored of a subscription at Stripe.
#[derive(Clone, Copy, Debug)]
pub struct News<'a> {
    /// What everybody reads.
    pub facts: &'a Facts,
    /// From what it was made.
    pub known: &'a Known,
    /// When Stripe is to be asked, if there is a doubt.
    pub refresh_due_at: Option<DateTime<Utc>>,
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
    collection_voided: bool,
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
            collection_voided: facts.collection_voided,
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
            collection_voided: row.collection_voided,
        }
    }
}

/// The row of a subscription at Stripe.
///
/// # Errors
/// The query failed.
pub fn by_provider_id(conn: &mut Conn, provider_id: &str) -> Result<Option<Recurring>, StoreError> {
    type Row = (i64, i64, i64, Option<Instant>, Option<String>, FactsRow);
    let row: Option<Row> = subscriptions::table
        .filter(subscriptions::provider_id.eq(provider_id))
        .select((
            subscriptions::id,
            subscriptions::user_id,
            subscriptions::version,
            subscriptions::refresh_due_at,
            subscriptions::snapshots,
            FactsRow::as_select(),
        ))
        .get_result(conn)
        .optional()?;
    Ok(row.map(|(id, user_id, version, due, snapshots, facts)| Recurring {
        id,
        user_id,
        facts: facts.into(),
        known: snapshots.and_then(|snapshots| serde_json::from_str(&snapshots).ok()),
        version,
        refresh_due_at: due.map(Into::into),
    }))
}

/// How often the row of a subscription at Stripe has changed; nothing when there is none.
///
/// # Errors
/// The query failed.
pub fn version(conn: &mut Conn, provider_id: &str) -> Result<Option<i64>, StoreError> {
    let version = subscriptions::table
        .filter(subscriptions::provider_id.eq(provider_id))
        .select(subscriptions::version)
        .get_result(conn);
    Ok(version.optional()?)
}

/// Adds the row of a subscription at Stripe and returns its number.
///
/// # Errors
/// The query failed.
pub fn insert(
    conn: &mut Conn,
    user_id: i64,
    provider_id: &str,
    news: News<'_>,
    now: DateTime<Utc>,
) -> Result<i64, StoreError> {
    let now = Instant::from(now);
    Ok(diesel::insert_into(subscriptions::table)
        .values((
            FactsRow::from(news.facts),
            subscriptions::user_id.eq(user_id),
            subscriptions::provider_id.eq(provider_id),
            subscriptions::kind.eq(Word(Kind::Recurring)),
            subscriptions::snapshots.eq(snapshots(news.known)?),
            subscriptions::refresh_due_at.eq(news.refresh_due_at.map(Instant::from)),
            subscriptions::version.eq(1_i64),
            subscriptions::created_at.eq(now),
            subscriptions::updated_at.eq(now),
        ))
        .returning(subscriptions::id)
        .get_result(conn)?)
}

/// Replaces what is stored of a subscription at Stripe.
///
/// # Errors
/// The query failed.
pub fn update(conn: &mut Conn, id: i64, news: News<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
    diesel::update(subscriptions::table.filter(subscriptions::id.eq(id)))
        .set((
            FactsRow::from(news.facts),
            subscriptions::snapshots.eq(snapshots(news.known)?),
            subscriptions::refresh_due_at.eq(news.refresh_due_at.map(Instant::from)),
            subscriptions::version.eq(subscriptions::version + 1),
            subscriptions::updated_at.eq(Instant::from(now)),
        ))
        .execute(conn)?;
    Ok(())
}

fn snapshots(known: &Known) -> Result<String, StoreError> {
    serde_json::to_string(known).map_err(|error| StoreError::Refused(error.to_string()))
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

/// Moves the question to Stripe to a later time, if it still has to be asked.
///
/// # Errors
/// The query failed.
pub fn put_off(conn: &mut Conn, provider_id: &str, until: DateTime<Utc>) -> Result<(), StoreError> {
    let queued = subscriptions::provider_id.eq(provider_id).and(subscriptions::refresh_due_at.is_not_null());
    diesel::update(subscriptions::table.filter(queued))
        .set(subscriptions::refresh_due_at.eq(Instant::from(until)))
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

//! The journal as staff look at it: lists, one event, and when each kind last came.

use chrono::{DateTime, Utc};
use diesel::{dsl::sql, prelude::*, sql_types::Bool};

use super::{
    Conn, StoreError,
    schema::{users, webhook_events as events},
    types::{Instant, Word},
    webhook_events::Outcome,
};

/// Which events are asked for: those for which all of this holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalFilter {
    /// What became of it.
    pub outcome: Option<Outcome>,
    /// Its type.
    pub event_type: Option<String>,
    /// The public id of the person whose it is.
    pub person: Option<String>,
    /// It came at this moment or later.
    pub since: Option<DateTime<Utc>>,
    /// It came before this moment.
    pub until: Option<DateTime<Utc>>,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalLine {
    /// Its row, for the next page.
    pub id: i64,
    /// Stripe's id.
    pub event_id: String,
    /// What it is about.
    pub event_type: String,
    /// When Stripe made it.
    pub created_at: DateTime<Utc>,
    /// When it came first.
    pub received_at: DateTime<Utc>,
    /// What became of it.
    pub outcome: Outcome,
    /// Why, in a few words.
    pub detail: Option<String>,
    /// How often it was tried.
    pub attempts: i64,
    /// The row of the person whose it is.
    pub user_id: Option<i64>,
    /// Before → after, as JSON.
    pub change: Option<String>,
}

/// Up to `most` events older than the row `before`, the newest first.
///
/// # Errors
/// The query failed.
pub fn list(
    conn: &mut Conn,
    filter: &JournalFilter,
    before: Option<i64>,
    most: i64,
) -> Result<Vec<JournalLine>, StoreError> {
    let mut query = events::table.order(events::id.desc()).into_boxed();
    if let Some(before) = before {
        query = query.filter(events::id.lt(before));
    }
    if let Some(outcome) = filter.outcome {
        // Spelled out, so that those that somebody has to look at are found by their indices. The word is one of ours.
        query = query.filter(sql::<Bool>(&format!("webhook_events.outcome = '{}'", outcome.as_str())));
    }
    if let Some(kind) = &filter.event_type {
        query = query.filter(events::event_type.eq(kind.clone()));
    }
    if let Some(person) = &filter.person {
        let id: Option<i64> =
            users::table.filter(users::public_id.eq(person)).select(users::id).get_result(conn).optional()?;
        let Some(id) = id else { return Ok(Vec::new()) };
        query = query.filter(events::user_id.eq(id));
    }
    if let Some(since) = filter.since {
        query = query.filter(events::received_at.ge(Instant::from(since)));
    }
    if let Some(until) = filter.until {
        query = query.filter(events::received_at.lt(Instant::from(until)));
    }
    let rows: Vec<Row> = query.select(Row::as_select()).limit(most).load(conn)?;
    Ok(rows.into_iter().map(JournalLine::from).collect())
}

/// One event, with all that is kept of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptEvent {
    /// As in the list.
    pub line: JournalLine,
    /// Its text as it came, if that is kept.
    pub payload: Option<String>,
    /// The public id of the person whose it is.
    pub person: Option<String>,
}

/// One event.
///
/// # Errors
/// The query failed.
pub fn one(conn: &mut Conn, event_id: &str) -> Result<Option<KeptEvent>, StoreError> {
    let this = events::table.filter(events::event_id.eq(event_id));
    let found: Option<(Row, Option<String>)> =
        this.select((Row::as_select(), events::payload)).get_result(conn).optional()?;
    let Some((row, payload)) = found else { return Ok(None) };
    let line = JournalLine::from(row);
    let person = match line.user_id {
        Some(id) => users::table.filter(users::id.eq(id)).select(users::public_id).get_result(conn).optional()?,
        None => None,
    };
    Ok(Some(KeptEvent { line, payload, person }))
}

/// When an event of this type last came, if one ever did.
///
/// # Errors
/// The query failed.
pub fn last_of(conn: &mut Conn, event_type: &str) -> Result<Option<DateTime<Utc>>, StoreError> {
    let theirs = events::table.filter(events::event_type.eq(event_type)).order(events::id.desc()).limit(1);
    let last: Option<Instant> = theirs.select(events::received_at).get_result(conn).optional()?;
    Ok(last.map(DateTime::from))
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = events)]
struct Row {
    id: i64,
    event_id: String,
    event_type: String,
    created_at: Instant,
    received_at: Instant,
    outcome: Word<Outcome>,
    detail: Option<String>,
    attempts: i64,
    user_id: Option<i64>,
    change: Option<String>,
}

impl From<Row> for JournalLine {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            event_id: row.event_id,
            event_type: row.event_type,
            created_at: row.created_at.into(),
            received_at: row.received_at.into(),
            outcome: row.outcome.0,
            detail: row.detail,
            attempts: row.attempts,
            user_id: row.user_id,
            change: row.change,
        }
    }
}

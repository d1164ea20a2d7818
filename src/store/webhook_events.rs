//! The journal: every event of Stripe's that came with a right signature, and what became of it.

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{
    Conn, StoreError,
    error::is_duplicate,
    schema::webhook_events as events,
    types::{Instant, Word},
};

/// What became of an event (`docs/rules.md §5`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Being worked on, inside the transaction that will decide.
    Pending,
    /// Its effect is stored.
    Applied,
    /// Something newer is stored already.
    Stale,
    /// Not for us.
    Ignored,
    /// We do not know yet whose it is.
    Unmatched,
    /// We could not apply it; it works when it comes again.
    Failed,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 6] =
        [Self::Pending, Self::Applied, Self::Stale, Self::Ignored, Self::Unmatched, Self::Failed];

    /// The word that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Applied => "applied",
            Self::Stale => "stale",
            Self::Ignored => "ignored",
            Self::Unmatched => "unmatched",
            Self::Failed => "failed",
        }
    }
}

/// An event as it came.
#[derive(Clone, Debug)]
pub struct Received {
    /// Stripe's id of the event.
    pub event_id: String,
    /// Its type.
    pub event_type: String,
    /// The API version in which it is written.
    pub api_version: Option<String>,
    /// Real money, or a test.
    pub livemode: bool,
    /// When Stripe made it.
    pub created_at: DateTime<Utc>,
    /// The subscription that it is about.
    pub provider_subscription_id: Option<String>,
    /// The customer that it is about.
    pub provider_customer_id: Option<String>,
    /// The payment that it is about.
    pub provider_payment_id: Option<String>,
    /// The body as it came.
    pub payload: String,
}

/// What became of an event, for its row.
#[derive(Clone, Debug)]
pub struct Finished {
    /// What became of it.
    pub outcome: Outcome,
    /// Why, in a few words.
    pub detail: Option<String>,
    /// The person whose it is.
    pub user_id: Option<i64>,
    /// Before → after, as JSON.
    pub change: Option<String>,
}

/// Writes an event down as pending and returns its row; or the row and the outcome that it has already.
///
/// # Errors
/// The query failed.
pub fn begin(conn: &mut Conn, event: &Received, now: DateTime<Utc>) -> Result<(i64, Option<Outcome>), StoreError> {
    let inserted = conn.transaction(|conn| {
        diesel::insert_into(events::table)
            .values((
                events::event_id.eq(&event.event_id),
                events::event_type.eq(&event.event_type),
                events::api_version.eq(event.api_version.as_deref()),
                events::livemode.eq(event.livemode),
                events::created_at.eq(Instant::from(event.created_at)),
                events::received_at.eq(Instant::from(now)),
                events::outcome.eq(Word(Outcome::Pending)),
                events::attempts.eq(1_i64),
                events::provider_subscription_id.eq(event.provider_subscription_id.as_deref()),
                events::provider_customer_id.eq(event.provider_customer_id.as_deref()),
                events::provider_payment_id.eq(event.provider_payment_id.as_deref()),
                events::payload.eq(&event.payload),
            ))
            .returning(events::id)
            .get_result::<i64>(conn)
    });
    match inserted {
        Ok(id) => Ok((id, None)),
        Err(error) if is_duplicate(&error) => again(conn, &event.event_id),
        Err(error) => Err(error.into()),
    }
}

/// Counts one more attempt. The update also makes deliveries of one event take turns.
fn again(conn: &mut Conn, event_id: &str) -> Result<(i64, Option<Outcome>), StoreError> {
    diesel::update(events::table.filter(events::event_id.eq(event_id)))
        .set(events::attempts.eq(events::attempts + 1))
        .execute(conn)?;
    let (id, Word(outcome)): (i64, Word<Outcome>) =
        events::table.filter(events::event_id.eq(event_id)).select((events::id, events::outcome)).get_result(conn)?;
    Ok((id, Some(outcome)))
}

/// Writes down what became of an event.
///
/// # Errors
/// The query failed.
pub fn finish(conn: &mut Conn, id: i64, finished: &Finished, now: DateTime<Utc>) -> Result<(), StoreError> {
    diesel::update(events::table.filter(events::id.eq(id)))
        .set((
            events::outcome.eq(Word(finished.outcome)),
            events::detail.eq(finished.detail.as_deref()),
            events::user_id.eq(finished.user_id),
            events::change.eq(finished.change.as_deref()),
            events::finished_at.eq(Instant::from(now)),
        ))
        .execute(conn)?;
    Ok(())
}

/// The payloads of a customer's events that nobody could be found for, oldest first.
///
/// # Errors
/// The query failed.
pub fn unmatched(conn: &mut Conn, customer: &str) -> Result<Vec<String>, StoreError> {
    let payloads: Vec<Option<String>> = events::table
        .filter(events::outcome.eq(Word(Outcome::Unmatched)))
        .filter(events::provider_customer_id.eq(customer))
        .order((events::created_at, events::id))
        .select(events::payload)
        .load(conn)?;
    Ok(payloads.into_iter().flatten().collect())
}

/// The payloads of events about a payment that nothing was known of, oldest first. One that is being worked on right now
/// is left out: its transaction has yet to look for the payment, or waits for its turn to do so.
///
/// # Errors
/// The query failed.
pub fn waiting_for_payment(conn: &mut Conn, payment: &str) -> Result<Vec<String>, StoreError> {
    let waiting = events::table
        .filter(events::outcome.eq(Word(Outcome::Unmatched)))
        .filter(events::provider_payment_id.eq(payment))
        .order((events::created_at, events::id))
        .select(events::payload);
    let payloads: Vec<Option<String>> = match conn {
        Conn::Postgres(conn) => waiting.for_update().skip_locked().load(conn)?,
        Conn::Sqlite(conn) => waiting.load(conn)?,
    };
    Ok(payloads.into_iter().flatten().collect())
}

/// One event's row, for looking at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Stripe's id of the event.
    pub event_id: String,
    /// Its type.
    pub event_type: String,
    /// What became of it.
    pub outcome: Outcome,
    /// Why, in a few words.
    pub detail: Option<String>,
    /// How often it came.
    pub attempts: i64,
    /// Before → after, as JSON.
    pub change: Option<String>,
}

/// The journal's newest rows, at most `limit`.
///
/// # Errors
/// The query failed.
pub fn newest(conn: &mut Conn, limit: i64) -> Result<Vec<Entry>, StoreError> {
    type Row = (String, String, Word<Outcome>, Option<String>, i64, Option<String>);
    let rows: Vec<Row> = events::table
        .order(events::id.desc())
        .limit(limit)
        .select((
            events::event_id,
            events::event_type,
            events::outcome,
            events::detail,
            events::attempts,
            events::change,
        ))
        .load(conn)?;
    let entry = |(event_id, event_type, Word(outcome), detail, attempts, change): Row| Entry {
        event_id,
        event_type,
        outcome,
        detail,
        attempts,
        change,
    };
    Ok(rows.into_iter().map(entry).collect())
}

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
    /// The payment that it is about: a payment intent, as far as it says one.
    pub provider_payment_id: Option<String>,
    /// The body as it came.
    pub payload: String,
}

impl Received {
    /// The customer and the subscription that it is about.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.provider_customer_id, &self.provider_subscription_id].into_iter().filter_map(Option::as_deref)
    }
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
    /// When it is tried again, for one that failed.
    pub retry_at: Option<DateTime<Utc>>,
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
    let seen = attempt(conn, event_id)?;
    seen.map(|kept| (kept.id, Some(kept.outcome))).ok_or_else(|| StoreError::Refused("the event is gone".to_owned()))
}

/// An event that is kept.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its row.
    pub id: i64,
    /// What became of it.
    pub outcome: Outcome,
    /// How often it came or was tried, with this time.
    pub attempts: i64,
    /// The body as it came; nothing once the time for keeping it is over.
    pub payload: Option<String>,
}

/// The customer and the subscription that a kept event is about.
///
/// # Errors
/// The query failed.
pub fn names(conn: &mut Conn, event_id: &str) -> Result<Vec<String>, StoreError> {
    let names: Option<(Option<String>, Option<String>)> = events::table
        .filter(events::event_id.eq(event_id))
        .select((events::provider_customer_id, events::provider_subscription_id))
        .get_result(conn)
        .optional()?;
    Ok(names.into_iter().flat_map(|(customer, subscription)| [customer, subscription]).flatten().collect())
}

/// Counts one more attempt on an event and gives what is kept of it; nothing when it is not known.
///
/// # Errors
/// The query failed.
pub fn attempt(conn: &mut Conn, event_id: &str) -> Result<Option<Kept>, StoreError> {
    diesel::update(events::table.filter(events::event_id.eq(event_id)))
        .set(events::attempts.eq(events::attempts + 1))
        .execute(conn)?;
    let row: Option<(i64, Word<Outcome>, i64, Option<String>)> = events::table
        .filter(events::event_id.eq(event_id))
        .select((events::id, events::outcome, events::attempts, events::payload))
        .get_result(conn)
        .optional()?;
    Ok(row.map(|(id, Word(outcome), attempts, payload)| Kept { id, outcome, attempts, payload }))
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
            events::retry_at.eq(finished.retry_at.map(Instant::from)),
        ))
        .execute(conn)?;
    Ok(())
}

/// What an event waits for that could not be used yet.
#[derive(Clone, Copy, Debug)]
pub enum WaitsFor<'a> {
    /// Somebody whose customer this is.
    Customer(&'a str),
    /// This subscription to be known. An event that was ignored may say something about it by then.
    Subscription(&'a str),
    /// This payment to be known, likewise.
    Payment(&'a str),
}

/// What was refused because it names two people is refused for good: nobody's later word makes it one person's.
const CONFLICT: &str = "conflict:%";

/// The events that wait for something: row and payload, oldest first.
///
/// # Errors
/// The query failed.
pub fn waiting(conn: &mut Conn, what: WaitsFor<'_>) -> Result<Vec<(i64, String)>, StoreError> {
    let unmatched = events::outcome.eq(Word(Outcome::Unmatched));
    let unused = events::outcome.eq_any([Word(Outcome::Unmatched), Word(Outcome::Ignored)]);
    let query = events::table
        .filter(events::payload.is_not_null())
        .filter(events::detail.is_null().or(events::detail.not_like(CONFLICT)))
        .order((events::created_at, events::id))
        .select((events::id, events::payload.assume_not_null()))
        .into_boxed();
    let query = match what {
        WaitsFor::Customer(id) => query.filter(unmatched.and(events::provider_customer_id.assume_not_null().eq(id))),
        WaitsFor::Subscription(id) => {
            query.filter(unused.and(events::provider_subscription_id.assume_not_null().eq(id)))
        }
        WaitsFor::Payment(id) => return waiting_for_payment(conn, id),
    };
    Ok(query.load(conn)?)
}

/// One that is being worked on right now is left out: its transaction has yet to look for the payment, or waits for its
/// turn to do so.
fn waiting_for_payment(conn: &mut Conn, payment: &str) -> Result<Vec<(i64, String)>, StoreError> {
    let waiting = events::table
        .filter(events::outcome.eq_any([Word(Outcome::Unmatched), Word(Outcome::Ignored)]))
        .filter(events::provider_payment_id.eq(payment))
        .filter(events::detail.is_null().or(events::detail.not_like(CONFLICT)))
        .filter(events::payload.is_not_null())
        .order((events::created_at, events::id))
        .select((events::id, events::payload.assume_not_null()));
    Ok(match conn {
        Conn::Postgres(conn) => waiting.for_update().skip_locked().load(conn)?,
        Conn::Sqlite(conn) => waiting.load(conn)?,
    })
}

/// Whether an event is still not used, where it waited with others that were used meanwhile.
///
/// # Errors
/// The query failed.
pub fn still_waits(conn: &mut Conn, id: i64) -> Result<bool, StoreError> {
    let outcome: Word<Outcome> = events::table.find(id).select(events::outcome).get_result(conn)?;
    Ok(matches!(outcome.0, Outcome::Unmatched | Outcome::Ignored))
}

/// Whether Stripe ever told that this customer was deleted. What is older can come later.
///
/// # Errors
/// The query failed.
pub fn customer_is_gone(conn: &mut Conn, customer: &str) -> Result<bool, StoreError> {
    let deleted = events::event_type.eq("customer.deleted");
    let told = events::table.filter(deleted.and(events::provider_customer_id.assume_not_null().eq(customer)));
    Ok(diesel::select(diesel::dsl::exists(told)).get_result(conn)?)
}

/// The failed events that are to be tried again by now, at most `limit`.
///
/// # Errors
/// The query failed.
pub fn to_retry(conn: &mut Conn, now: DateTime<Utc>, limit: i64) -> Result<Vec<String>, StoreError> {
    Ok(events::table
        .filter(events::retry_at.le(Instant::from(now)))
        .order(events::retry_at)
        .limit(limit)
        .select(events::event_id)
        .load(conn)?)
}

/// Drops the payloads of at most `limit` events that came before `before`; their rows stay. Returns how many.
///
/// # Errors
/// The query failed.
pub fn drop_payloads(conn: &mut Conn, before: DateTime<Utc>, limit: i64) -> Result<usize, StoreError> {
    let old: Vec<i64> = events::table
        .filter(events::received_at.lt(Instant::from(before)).and(events::payload.is_not_null()))
        .order(events::received_at)
        .limit(limit)
        .select(events::id)
        .load(conn)?;
    let dropped = diesel::update(events::table.filter(events::id.eq_any(old)))
        .set((events::payload.eq(None::<String>), events::retry_at.eq(None::<Instant>)))
        .execute(conn)?;
    Ok(dropped)
}

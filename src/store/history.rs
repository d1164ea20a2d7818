//! What was known of each person's subscriptions and from when on, and what it was learned from.

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{
    Conn, StoreError,
    audit::AuditOutcome,
    schema::{audit_log, subscription_history as history, subscriptions, users, webhook_events as events},
    subscriptions::period,
    types::{Instant, Word},
};
use crate::domain::{
    history::Version,
    subscription::{Kind, Status, Subscription},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = history)]
struct Row {
    subscription_id: i64,
    known_from: Instant,
    status: Word<Status>,
    plan: Option<String>,
    provider_status: Option<String>,
    current_period_start: Option<Instant>,
    current_period_end: Option<Instant>,
    cancel_at_period_end: bool,
    cancel_at: Option<Instant>,
    ended_at: Option<Instant>,
    collection_voided: bool,
}

/// All that was ever known of a person's subscriptions, in the order in which it was learned.
///
/// # Errors
/// The query failed.
pub fn of_user(conn: &mut Conn, user_id: i64) -> Result<Vec<Version>, StoreError> {
    let rows: Vec<(Row, Word<Kind>, Option<String>)> = history::table
        .inner_join(subscriptions::table)
        .filter(history::user_id.eq(user_id))
        .order(history::id)
        .select((Row::as_select(), subscriptions::kind, subscriptions::provider_id))
        .load(conn)?;
    Ok(rows.into_iter().map(version).collect())
}

fn version((row, kind, provider_id): (Row, Word<Kind>, Option<String>)) -> Version {
    let subscription = Subscription {
        id: row.subscription_id,
        kind: kind.0,
        status: row.status.0,
        plan: row.plan,
        provider_id,
        provider_status: row.provider_status,
        period: period(row.current_period_start, row.current_period_end),
        cancel_at_period_end: row.cancel_at_period_end,
        cancel_at: row.cancel_at.map(Into::into),
        ended_at: row.ended_at.map(Into::into),
        collection_voided: row.collection_voided,
    };
    Version { subscription, known_from: row.known_from.into() }
}

/// What something was learned from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A message of Stripe's.
    Event {
        /// Stripe's id.
        id: String,
        /// Its type.
        event_type: String,
    },
    /// Somebody of the staff did it.
    Staff {
        /// What, in the word of the log.
        action: String,
        /// Why, in their words.
        reason: String,
    },
    /// The person signed up.
    SignUp,
    /// No event and no entry of that moment says so: Stripe's answer, or an event that was applied once more.
    Answer,
}

/// What a person's subscription was changed by at that moment. What belongs together was written in one transaction, with one
/// reading of the clock.
///
/// # Errors
/// The query failed.
pub fn cause(conn: &mut Conn, user_id: i64, kind: Kind, at: DateTime<Utc>) -> Result<Cause, StoreError> {
    let then = Instant::from(at);
    let event: Option<(String, String)> = events::table
        .filter(events::user_id.eq(user_id).and(events::finished_at.eq(then)))
        .order(events::id)
        .select((events::event_id, events::event_type))
        .first(conn)
        .optional()?;
    if let Some((id, event_type)) = event {
        return Ok(Cause::Event { id, event_type });
    }
    let person: String = users::table.filter(users::id.eq(user_id)).select(users::public_id).get_result(conn)?;
    let made = audit_log::subject.eq(person).and(audit_log::outcome.eq(Word(AuditOutcome::Made)));
    let entry: Option<(String, String)> = audit_log::table
        .filter(made.and(audit_log::happened_at.eq(then)))
        .order(audit_log::id)
        .select((audit_log::action, audit_log::reason))
        .first(conn)
        .optional()?;
    if let Some((action, reason)) = entry {
        return Ok(Cause::Staff { action, reason });
    }
    Ok(if kind == Kind::Trial { Cause::SignUp } else { Cause::Answer })
}

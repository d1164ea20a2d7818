//! What was known of each person's subscriptions and from when on, and what it was learned from.

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{
    Conn, StoreError,
    audit::AuditOutcome,
    schema::{audit_log, subscription_history as history, subscriptions, users, webhook_events as events},
    subscriptions::SubscriptionRow,
    types::{Instant, Word},
};
use crate::domain::{history::Version, subscription::Kind};

/// All that was ever known of a person's subscriptions, in the order in which it was learned.
///
/// # Errors
/// The query failed.
pub fn of_user(conn: &mut Conn, user_id: i64) -> Result<Vec<Version>, StoreError> {
    // What never changes of a subscription stands in its own row.
    let as_it_was = (
        history::subscription_id,
        subscriptions::kind,
        history::status,
        history::plan,
        subscriptions::provider_id,
        history::provider_status,
        history::current_period_start,
        history::current_period_end,
        history::cancel_at_period_end,
        history::cancel_at,
        history::ended_at,
        history::collection_voided,
    );
    let rows: Vec<(SubscriptionRow, Instant)> = history::table
        .inner_join(subscriptions::table)
        .filter(history::user_id.eq(user_id))
        .order(history::id)
        .select((as_it_was, history::known_from))
        .load(conn)?;
    Ok(rows.into_iter().map(|(row, from)| Version { subscription: row.into(), known_from: from.into() }).collect())
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

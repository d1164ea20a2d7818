//! What staff did, tried, or was refused. Rows are only ever added: the database itself refuses to change or delete one.

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{
    Conn, StoreError,
    schema::audit_log,
    types::{Instant, Word},
};

/// What became of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditOutcome {
    /// Stripe is being asked. What came of it is the next entry.
    Begun,
    /// It was done.
    Made,
    /// It does not fit how things stand, or the person may not.
    Refused,
    /// Something did not help; it may or may not have happened.
    Failed,
}

impl AuditOutcome {
    /// Every outcome.
    pub const ALL: [Self; 4] = [Self::Begun, Self::Made, Self::Refused, Self::Failed];

    /// The word that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Made => "made",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Who: the public id of an account, or the command line.
    pub actor: String,
    /// From where: the address of the browser.
    pub origin: String,
    /// What.
    pub action: String,
    /// Whom: the public id of an account.
    pub subject: Option<String>,
    /// Why, in the words of whoever did it.
    pub reason: String,
    /// What became of it.
    pub outcome: AuditOutcome,
    /// Before → after, or why not.
    pub detail: Option<String>,
}

/// Which lines are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// By whom.
    pub actor: Option<String>,
    /// Of this action.
    pub action: Option<String>,
    /// About whom.
    pub subject: Option<String>,
    /// With this outcome.
    pub outcome: Option<AuditOutcome>,
}

/// Adds a line. Belongs into the transaction of what it tells of.
///
/// # Errors
/// The query failed.
pub fn insert(conn: &mut Conn, entry: &AuditEntry, now: DateTime<Utc>) -> Result<(), StoreError> {
    diesel::insert_into(audit_log::table)
        .values((
            audit_log::happened_at.eq(Instant::from(now)),
            audit_log::actor.eq(&entry.actor),
            audit_log::origin.eq(&entry.origin),
            audit_log::action.eq(&entry.action),
            audit_log::subject.eq(&entry.subject),
            audit_log::reason.eq(&entry.reason),
            audit_log::outcome.eq(Word(entry.outcome)),
            audit_log::detail.eq(&entry.detail),
        ))
        .execute(conn)?;
    Ok(())
}

/// Up to `most` lines older than the one with this number, newest first, each with its number and its moment.
///
/// # Errors
/// The query failed.
pub fn list(
    conn: &mut Conn,
    filter: &AuditFilter,
    before: Option<i64>,
    most: i64,
) -> Result<Vec<(i64, DateTime<Utc>, AuditEntry)>, StoreError> {
    let mut query = audit_log::table.order(audit_log::id.desc()).into_boxed();
    if let Some(before) = before {
        query = query.filter(audit_log::id.lt(before));
    }
    if let Some(actor) = &filter.actor {
        query = query.filter(audit_log::actor.eq(actor.clone()));
    }
    if let Some(action) = &filter.action {
        query = query.filter(audit_log::action.eq(action.clone()));
    }
    if let Some(subject) = &filter.subject {
        query = query.filter(audit_log::subject.eq(subject.clone()));
    }
    if let Some(outcome) = filter.outcome {
        query = query.filter(audit_log::outcome.eq(Word(outcome)));
    }
    let rows: Vec<Row> = query.select(Row::as_select()).limit(most).load(conn)?;
    Ok(rows.into_iter().map(Row::read).collect())
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = audit_log)]
struct Row {
    id: i64,
    happened_at: Instant,
    actor: String,
    origin: String,
    action: String,
    subject: Option<String>,
    reason: String,
    outcome: Word<AuditOutcome>,
    detail: Option<String>,
}

impl Row {
    fn read(self) -> (i64, DateTime<Utc>, AuditEntry) {
        let entry = AuditEntry {
            actor: self.actor,
            origin: self.origin,
            action: self.action,
            subject: self.subject,
            reason: self.reason,
            outcome: self.outcome.0,
            detail: self.detail,
        };
        (self.id, self.happened_at.into(), entry)
    }
}

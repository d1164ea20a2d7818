//! Mails: queued in the transaction of their cause, sent afterwards, once for each cause.
//!
//! A row is due at `due_at`. Whoever takes it moves that moment by a lease, so that nobody else takes it, and counts an
//! attempt; a sender that dies leaves a mail that is due again when the lease is over. A mail that was sent, or given
//! up, is never due.

use std::cell::Cell;

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{Conn, StoreError, error::is_duplicate, schema::mails, types::Instant};
use crate::domain::notice::Notice;

/// How many rows a sender looks at when others take them away.
const CANDIDATES: i64 = 8;

thread_local! {
    /// Whether a mail was queued on this thread, which runs one transaction at a time.
    static QUEUED: Cell<bool> = const { Cell::new(false) };
}

/// A mail that its taker alone may send for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The row.
    pub id: i64,
    /// To whom it goes.
    pub user_id: i64,
    /// Where it goes, if not to the address of the account.
    pub recipient: Option<String>,
    /// What it tells; nothing when this version can't read it.
    pub notice: Option<Notice>,
    /// How often it was tried, this time included.
    pub attempts: i64,
    /// When it was queued.
    pub queued_at: DateTime<Utc>,
}

/// Queues a mail to a person, unless one of the same cause is there already; `false` then.
///
/// # Errors
/// The query failed.
pub fn queue(
    conn: &mut Conn,
    user_id: i64,
    cause: &str,
    notice: &Notice,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    insert(conn, user_id, None, cause, notice, now)
}

/// As [`queue`], but the mail goes to `recipient`, whatever the address of the account is by then.
///
/// # Errors
/// The query failed.
pub fn queue_to(
    conn: &mut Conn,
    user_id: i64,
    recipient: &str,
    cause: &str,
    notice: &Notice,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    insert(conn, user_id, Some(recipient), cause, notice, now)
}

fn insert(
    conn: &mut Conn,
    user_id: i64,
    recipient: Option<&str>,
    cause: &str,
    notice: &Notice,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let notice = serde_json::to_string(notice).map_err(|error| StoreError::Refused(error.to_string()))?;
    let now = Instant::from(now);
    let inserted = conn.transaction(|conn| {
        diesel::insert_into(mails::table)
            .values((
                mails::user_id.eq(user_id),
                mails::recipient.eq(recipient),
                mails::cause.eq(cause),
                mails::notice.eq(notice),
                mails::attempts.eq(0_i64),
                mails::due_at.eq(now),
                mails::created_at.eq(now),
            ))
            .execute(conn)
    });
    match inserted {
        Ok(0) => Ok(false),
        Ok(_) => {
            QUEUED.set(true);
            Ok(true)
        }
        Err(error) if is_duplicate(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// When the mails whose causes begin with `cause` were queued, if after `since`; the newest first, five at most.
///
/// # Errors
/// The query failed.
pub fn queued_since(conn: &mut Conn, cause: &str, since: DateTime<Utc>) -> Result<Vec<DateTime<Utc>>, StoreError> {
    let newest: Vec<Instant> = mails::table
        .filter(mails::created_at.gt(Instant::from(since)).and(mails::cause.like(format!("{cause}%"))))
        .order(mails::created_at.desc())
        .limit(5)
        .select(mails::created_at)
        .load(conn)?;
    Ok(newest.into_iter().map(DateTime::from).collect())
}

/// Whether a mail was queued on this thread since the last time it was asked.
pub(super) fn was_queued() -> bool {
    QUEUED.take()
}

/// A mail as it is listed beside a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// What it says, in a word.
    pub kind: String,
    /// When it was queued.
    pub queued_at: DateTime<Utc>,
    /// When it was sent, if it was.
    pub sent_at: Option<DateTime<Utc>>,
    /// Why the last try failed.
    pub error: Option<String>,
}

/// The mails to a person, the newest first.
///
/// # Errors
/// The query failed.
pub fn of_user(conn: &mut Conn, user_id: i64, most: i64) -> Result<Vec<Listed>, StoreError> {
    let rows: Vec<(String, Instant, Option<Instant>, Option<String>)> = mails::table
        .filter(mails::user_id.eq(user_id))
        .order(mails::id.desc())
        .limit(most)
        .select((mails::notice, mails::created_at, mails::sent_at, mails::error))
        .load(conn)?;
    let kind = |notice: &str| {
        let notice: Option<serde_json::Value> = serde_json::from_str(notice).ok();
        notice.and_then(|notice| notice.get("kind")?.as_str().map(str::to_owned)).unwrap_or_default()
    };
    let listed = |(notice, queued_at, sent_at, error): (String, Instant, Option<Instant>, _)| Listed {
        kind: kind(&notice),
        queued_at: queued_at.into(),
        sent_at: sent_at.map(DateTime::from),
        error,
    };
    Ok(rows.into_iter().map(listed).collect())
}

/// Whether a mail is due.
///
/// # Errors
/// The query failed.
pub fn any_due(conn: &mut Conn, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let due = mails::table.filter(mails::due_at.le(Instant::from(now))).select(mails::id);
    Ok(diesel::select(diesel::dsl::exists(due)).get_result(conn)?)
}

/// How many mails are neither sent nor given up.
///
/// # Errors
/// The query failed.
pub fn waiting(conn: &mut Conn) -> Result<i64, StoreError> {
    Ok(mails::table.filter(mails::due_at.is_not_null()).count().get_result(conn)?)
}

/// Takes the mail that is due for the longest time, until `lease_end`.
///
/// # Errors
/// The query failed.
pub fn claim(conn: &mut Conn, now: DateTime<Utc>, lease_end: DateTime<Utc>) -> Result<Option<Claimed>, StoreError> {
    type Row = (i64, i64, Option<String>, String, i64, Instant);
    let rows: Vec<Row> = mails::table
        .filter(mails::due_at.le(Instant::from(now)))
        .order((mails::due_at, mails::id))
        .limit(CANDIDATES)
        .select((mails::id, mails::user_id, mails::recipient, mails::notice, mails::attempts, mails::created_at))
        .load(conn)?;
    for (id, user_id, recipient, notice, attempts, queued_at) in rows {
        // The count tells whether another sender was here between the two queries.
        let untouched = mails::id.eq(id).and(mails::attempts.eq(attempts)).and(mails::due_at.le(Instant::from(now)));
        let taken = diesel::update(mails::table.filter(untouched))
            .set((mails::attempts.eq(attempts + 1), mails::due_at.eq(Instant::from(lease_end))))
            .execute(conn)?;
        if taken > 0 {
            let (notice, queued_at) = (serde_json::from_str(&notice).ok(), queued_at.into());
            return Ok(Some(Claimed { id, user_id, recipient, notice, attempts: attempts + 1, queued_at }));
        }
    }
    Ok(None)
}

/// Notes that a mail was handed over.
///
/// # Errors
/// The query failed.
pub fn sent(conn: &mut Conn, id: i64, now: DateTime<Utc>) -> Result<(), StoreError> {
    diesel::update(mails::table.filter(mails::id.eq(id)))
        .set((
            mails::sent_at.eq(Instant::from(now)),
            mails::due_at.eq(None::<Instant>),
            mails::error.eq(None::<String>),
            mails::recipient.eq(None::<String>),
        ))
        .execute(conn)?;
    Ok(())
}

/// Notes why a mail was not handed over and when to try again; without `next` it is given up. Does nothing when somebody
/// else has taken the mail since.
///
/// # Errors
/// The query failed.
pub fn failed(
    conn: &mut Conn,
    id: i64,
    attempts: i64,
    error: &str,
    next: Option<DateTime<Utc>>,
) -> Result<(), StoreError> {
    let ours = mails::id.eq(id).and(mails::attempts.eq(attempts)).and(mails::sent_at.is_null());
    diesel::update(mails::table.filter(ours))
        .set((mails::error.eq(error), mails::due_at.eq(next.map(Instant::from))))
        .execute(conn)?;
    if next.is_none() {
        // An address that is not the account's is kept no longer than it is needed.
        diesel::update(mails::table.filter(ours)).set(mails::recipient.eq(None::<String>)).execute(conn)?;
    }
    Ok(())
}

//! Who is signed in. The cookie holds a random token; only its hash is kept here.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    Conn, StoreError,
    schema::{sessions, subscriptions, users},
    subscriptions::SubscriptionRow,
    types::Instant,
    users::{User, UserRow},
};
use crate::domain::subscription::Subscription;

/// Sessions of one person that are kept: the newest.
const MOST: i64 = 50;

/// A session as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// By what it is named; of no use to anyone else.
    pub public_id: String,
    /// What the browser said of itself.
    pub user_agent: String,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// It is the one that asks.
    pub is_this_one: bool,
}

/// Everything that a request has to know of the person who sends it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedIn {
    /// The person.
    pub user: User,
    /// All of the person's subscriptions.
    pub subscriptions: Vec<Subscription>,
}

/// The person of a session that is alive at `now`, with all subscriptions, in one query; and when the session ends.
///
/// # Errors
/// The query failed.
pub fn signed_in(
    conn: &mut Conn,
    token_hash: &str,
    now: DateTime<Utc>,
) -> Result<Option<(SignedIn, DateTime<Utc>)>, StoreError> {
    let rows: Vec<(Instant, UserRow, Option<SubscriptionRow>)> = sessions::table
        .inner_join(users::table)
        .left_join(subscriptions::table.on(subscriptions::user_id.eq(users::id)))
        .filter(sessions::token_hash.eq(token_hash))
        .filter(users::locked_at.is_null())
        .filter(sessions::expires_at.gt(Instant::from(now)))
        .select((sessions::expires_at, UserRow::as_select(), Option::<SubscriptionRow>::as_select()))
        .load(conn)?;
    let mut person = None;
    let mut subscriptions = Vec::with_capacity(rows.len());
    for (expires_at, user, subscription) in rows {
        person.get_or_insert((user, expires_at));
        subscriptions.extend(subscription.map(Subscription::from));
    }
    Ok(person.map(|(user, expires_at)| (SignedIn { user: user.into(), subscriptions }, expires_at.into())))
}

/// Signs a person in. The oldest sessions beyond the fiftieth end.
///
/// # Errors
/// The query failed, or the person is gone.
pub fn insert(
    conn: &mut Conn,
    token_hash: &str,
    public_id: &str,
    user_id: i64,
    user_agent: &str,
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> Result<(), StoreError> {
    diesel::insert_into(sessions::table)
        .values((
            sessions::token_hash.eq(token_hash),
            sessions::public_id.eq(public_id),
            sessions::user_id.eq(user_id),
            sessions::user_agent.eq(user_agent),
            sessions::created_at.eq(Instant::from(now)),
            sessions::expires_at.eq(Instant::from(expires_at)),
        ))
        .execute(conn)?;
    let theirs = sessions::table.filter(sessions::user_id.eq(user_id)).order(sessions::id.desc()).select(sessions::id);
    let newest: Vec<i64> = theirs.limit(MOST + 1).load(conn)?;
    if let Some(too_old) = usize::try_from(MOST).ok().and_then(|most| newest.get(most)) {
        let beyond = sessions::user_id.eq(user_id).and(sessions::id.le(*too_old));
        diesel::delete(sessions::table.filter(beyond)).execute(conn)?;
    }
    Ok(())
}

/// The sessions of a person that are alive at `now`, newest first. `token_hash` is that of the one that asks.
///
/// # Errors
/// The query failed.
pub fn of_user(
    conn: &mut Conn,
    user_id: i64,
    token_hash: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Vec<Listed>, StoreError> {
    let rows: Vec<(String, String, Instant, String)> = sessions::table
        .filter(sessions::user_id.eq(user_id).and(sessions::expires_at.gt(Instant::from(now))))
        .order(sessions::id.desc())
        .limit(MOST)
        .select((sessions::public_id, sessions::user_agent, sessions::created_at, sessions::token_hash))
        .load(conn)?;
    let listed = |(public_id, user_agent, created_at, hash): (_, _, Instant, String)| Listed {
        public_id,
        user_agent,
        created_at: created_at.into(),
        is_this_one: Some(hash.as_str()) == token_hash,
    };
    Ok(rows.into_iter().map(listed).collect())
}

/// Ends one session of this person; `false` when they have none of that name.
///
/// # Errors
/// The query failed.
pub fn end_one(conn: &mut Conn, user_id: i64, public_id: &str) -> Result<bool, StoreError> {
    let this_one = sessions::user_id.eq(user_id).and(sessions::public_id.eq(public_id));
    Ok(diesel::delete(sessions::table.filter(this_one)).execute(conn)? > 0)
}

/// Ends all sessions of a person but the one whose hash is `but`, and returns how many.
///
/// # Errors
/// The query failed.
pub fn end_all(conn: &mut Conn, user_id: i64, but: Option<&str>) -> Result<usize, StoreError> {
    let others = sessions::user_id.eq(user_id).and(sessions::token_hash.ne(but.unwrap_or_default()));
    Ok(diesel::delete(sessions::table.filter(others)).execute(conn)?)
}

/// Ends a session; `false` when it was over already.
///
/// # Errors
/// The query failed.
pub fn delete(conn: &mut Conn, token_hash: &str) -> Result<bool, StoreError> {
    Ok(diesel::delete(sessions::table.filter(sessions::token_hash.eq(token_hash))).execute(conn)? > 0)
}

/// Removes the sessions that ran out, and returns how many.
///
/// # Errors
/// The query failed.
pub fn delete_expired(conn: &mut Conn, now: DateTime<Utc>) -> Result<usize, StoreError> {
    Ok(diesel::delete(sessions::table.filter(sessions::expires_at.le(Instant::from(now)))).execute(conn)?)
}

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

/// Everything that a request has to know of the person who sends it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedIn {
    /// The person.
    pub user: User,
    /// All of the person's subscriptions.
    pub subscriptions: Vec<Subscription>,
}

/// The person of a session that is alive at `now`, with all subscriptions, in one query.
///
/// # Errors
/// The query failed.
pub fn signed_in(conn: &mut Conn, token_hash: &str, now: DateTime<Utc>) -> Result<Option<SignedIn>, StoreError> {
    let rows: Vec<(UserRow, Option<SubscriptionRow>)> = sessions::table
        .inner_join(users::table)
        .left_join(subscriptions::table.on(subscriptions::user_id.eq(users::id)))
        .filter(sessions::token_hash.eq(token_hash))
        .filter(sessions::expires_at.gt(Instant::from(now)))
        .select((UserRow::as_select(), Option::<SubscriptionRow>::as_select()))
        .load(conn)?;
    let mut person = None;
    let mut subscriptions = Vec::with_capacity(rows.len());
    for (user, subscription) in rows {
        person.get_or_insert(user);
        subscriptions.extend(subscription.map(Subscription::from));
    }
    Ok(person.map(|user| SignedIn { user: user.into(), subscriptions }))
}

/// Signs a person in.
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
    Ok(())
}

/// Ends a session.
///
/// # Errors
/// The query failed.
pub fn delete(conn: &mut Conn, token_hash: &str) -> Result<(), StoreError> {
    diesel::delete(sessions::table.filter(sessions::token_hash.eq(token_hash))).execute(conn)?;
    Ok(())
}

/// Removes the sessions that ran out, and returns how many.
///
/// # Errors
/// The query failed.
pub fn delete_expired(conn: &mut Conn, now: DateTime<Utc>) -> Result<usize, StoreError> {
    Ok(diesel::delete(sessions::table.filter(sessions::expires_at.le(Instant::from(now)))).execute(conn)?)
}

//! The addresses of people with an account: confirmed, and exchanged for another.

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{Conn, StoreError, error::is_duplicate, schema::users, types::Instant};
use crate::domain::email::Email;

/// Notes that the person reads the mail to `email`, if that still is their address; `false` else.
///
/// # Errors
/// The query failed.
pub fn confirm(conn: &mut Conn, id: i64, email: &str, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let now = Instant::from(now);
    let theirs = users::id.eq(id).and(users::email.eq(email)).and(users::email_confirmed_at.is_null());
    let changed = diesel::update(users::table.filter(theirs))
        .set((users::email_confirmed_at.eq(now), users::updated_at.eq(now)))
        .execute(conn)?;
    Ok(changed > 0)
}

/// Since when the person is known to read the mail to the present address.
///
/// # Errors
/// The query failed.
pub fn confirmed_at(conn: &mut Conn, id: i64) -> Result<Option<DateTime<Utc>>, StoreError> {
    let since: Option<Instant> =
        users::table.filter(users::id.eq(id)).select(users::email_confirmed_at).get_result(conn)?;
    Ok(since.map(DateTime::from))
}

/// Keeps the address that shall take the place of the present one, or none.
///
/// # Errors
/// The query failed.
pub fn set_pending(conn: &mut Conn, id: i64, email: Option<&str>, now: DateTime<Utc>) -> Result<(), StoreError> {
    diesel::update(users::table.filter(users::id.eq(id)))
        .set((users::email_pending.eq(email), users::updated_at.eq(Instant::from(now))))
        .execute(conn)?;
    Ok(())
}

/// Puts a confirmed address in the place of the present one; `false`, and nothing changed, when somebody else has it.
///
/// # Errors
/// The query failed.
pub fn change(conn: &mut Conn, id: i64, email: &Email, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let now = Instant::from(now);
    let changed = conn.transaction(|conn| {
        diesel::update(users::table.filter(users::id.eq(id)))
            .set((
                users::email.eq(email.as_str()),
                users::email_canonical.eq(email.canonical()),
                users::email_confirmed_at.eq(now),
                users::email_pending.eq(None::<String>),
                users::updated_at.eq(now),
            ))
            .execute(conn)
    });
    match changed {
        Ok(rows) => Ok(rows > 0),
        Err(error) if is_duplicate(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

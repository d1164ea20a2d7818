//! What proves that somebody reads a mailbox, or has typed the right password: a random token, of which only the hash is
//! kept. Each is good once.

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{Conn, StoreError, schema::tokens, types::Instant};

/// What a token is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Shows that the address of the account belongs to its owner.
    EmailConfirmation,
    /// Puts a new address in the place of the old one.
    EmailChange,
    /// Sets a new password.
    PasswordReset,
    /// Goes on with a log-in whose password was right.
    SecondFactor,
}

impl Purpose {
    fn as_str(self) -> &'static str {
        match self {
            Self::EmailConfirmation => "email_confirmation",
            Self::EmailChange => "email_change",
            Self::PasswordReset => "password_reset",
            Self::SecondFactor => "second_factor",
        }
    }
}

/// A token that is good at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Whose it is.
    pub user_id: i64,
    /// The address that it was sent to, where that matters.
    pub email: Option<String>,
}

/// Keeps a token in the place of all earlier ones of the same purpose; log-ins may wait side by side.
///
/// # Errors
/// The query failed, or the person is gone.
pub fn insert(
    conn: &mut Conn,
    token_hash: &str,
    purpose: Purpose,
    token: &Token,
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> Result<(), StoreError> {
    if purpose != Purpose::SecondFactor {
        revoke(conn, token.user_id, purpose)?;
    }
    diesel::insert_into(tokens::table)
        .values((
            tokens::token_hash.eq(token_hash),
            tokens::user_id.eq(token.user_id),
            tokens::purpose.eq(purpose.as_str()),
            tokens::email.eq(&token.email),
            tokens::created_at.eq(Instant::from(now)),
            tokens::expires_at.eq(Instant::from(expires_at)),
        ))
        .execute(conn)?;
    Ok(())
}

/// The token, if it is good at `now`. Looking does not use it up.
///
/// # Errors
/// The query failed.
pub fn find(
    conn: &mut Conn,
    token_hash: &str,
    purpose: Purpose,
    now: DateTime<Utc>,
) -> Result<Option<Token>, StoreError> {
    let found: Option<(i64, Option<String>)> = tokens::table
        .filter(tokens::token_hash.eq(token_hash).and(tokens::purpose.eq(purpose.as_str())))
        .filter(tokens::expires_at.gt(Instant::from(now)))
        .select((tokens::user_id, tokens::email))
        .get_result(conn)
        .optional()?;
    Ok(found.map(|(user_id, email)| Token { user_id, email }))
}

/// Uses the token up: whoever gets it here is the only one. Belongs into the transaction of what it allows.
///
/// # Errors
/// The query failed.
pub fn take(
    conn: &mut Conn,
    token_hash: &str,
    purpose: Purpose,
    now: DateTime<Utc>,
) -> Result<Option<Token>, StoreError> {
    let Some(token) = find(conn, token_hash, purpose, now)? else { return Ok(None) };
    let gone = diesel::delete(tokens::table.filter(tokens::token_hash.eq(token_hash))).execute(conn)?;
    Ok((gone == 1).then_some(token))
}

/// Makes a person's tokens of one purpose worthless.
///
/// # Errors
/// The query failed.
pub fn revoke(conn: &mut Conn, user_id: i64, purpose: Purpose) -> Result<(), StoreError> {
    let theirs = tokens::user_id.eq(user_id).and(tokens::purpose.eq(purpose.as_str()));
    diesel::delete(tokens::table.filter(theirs)).execute(conn)?;
    Ok(())
}

/// Removes the tokens that ran out, and returns how many.
///
/// # Errors
/// The query failed.
pub fn delete_expired(conn: &mut Conn, now: DateTime<Utc>) -> Result<usize, StoreError> {
    Ok(diesel::delete(tokens::table.filter(tokens::expires_at.le(Instant::from(now)))).execute(conn)?)
}

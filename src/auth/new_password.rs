//! A new password in the place of the old one: by whoever knows the old one, or reads the mailbox of the account.

use chrono::{DateTime, TimeDelta, Utc};

use super::email::{cause, withdraw_change};
use crate::{
    domain::notice::Notice,
    store::{
        Conn, StoreError, emails, mails, second_factors, sessions,
        tokens::{self, Purpose},
        users::{self, User},
    },
};

/// Begins the causes of mails with a link to set a new password.
const RESET: &str = "password_reset";

/// How long the next mail waits after each of those of the last day; the last pause goes on. Shorter than a link is good
/// for ([`Purpose::PasswordReset`]), so whoever has to wait has a mail with a good one, whoever asked for it: a stranger
/// can neither fill a mailbox nor use up its owner's wishes.
const PAUSES: [TimeDelta; 5] = [
    TimeDelta::minutes(1),
    TimeDelta::minutes(2),
    TimeDelta::minutes(5),
    TimeDelta::minutes(15),
    TimeDelta::minutes(45),
];

/// Queues the mail with the link, unless the last one is still fresh. Belongs into a write transaction.
///
/// # Errors
/// The database failed.
pub fn ask_for_reset(conn: &mut Conn, user_id: i64, unique: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    users::lock(conn, user_id)?;
    let Some(user) = users::by_id(conn, user_id)?.filter(|user| !user.deleted) else { return Ok(()) };
    let sent = mails::queued_since(conn, &cause(RESET, &user.public_id, ""), now - TimeDelta::days(1))?;
    if is_too_soon(&sent, now) {
        tracing::info!(user = %user.public_id, "did not send another mail about a new password");
        return Ok(());
    }
    mails::queue(conn, user_id, &cause(RESET, &user.public_id, unique), &Notice::ResetPassword, now)?;
    Ok(())
}

/// Whether the last of the mails of one day, newest first, is too fresh for another.
fn is_too_soon(sent: &[DateTime<Utc>], now: DateTime<Utc>) -> bool {
    let pause = sent.len().checked_sub(1).and_then(|before| PAUSES.get(before).or(PAUSES.last()));
    sent.first().zip(pause).is_some_and(|(last, pause)| now < *last + *pause)
}

/// Whose password a token would set; looking does not use it up.
///
/// # Errors
/// The database failed.
pub fn offer(conn: &mut Conn, token_hash: &str, now: DateTime<Utc>) -> Result<Option<User>, StoreError> {
    let Some(token) = tokens::find(conn, token_hash, Purpose::PasswordReset, now)? else { return Ok(None) };
    Ok(users::by_id(conn, token.user_id)?.filter(|user| token.email.as_ref() == Some(&user.email)))
}

/// Uses a token up: sets the password and ends every session. Whoever has it reads the mail to the address, which is
/// thereby confirmed. Nothing when the token is good for nothing. Belongs into a write transaction.
///
/// # Errors
/// The database failed.
pub fn reset(
    conn: &mut Conn,
    token_hash: &str,
    password_hash: &str,
    now: DateTime<Utc>,
) -> Result<Option<User>, StoreError> {
    let Some(token) = tokens::find(conn, token_hash, Purpose::PasswordReset, now)? else { return Ok(None) };
    users::lock(conn, token.user_id)?;
    // The address may have changed in this very moment.
    let Some(user) = offer(conn, token_hash, now)? else { return Ok(None) };
    if tokens::take(conn, token_hash, Purpose::PasswordReset, now)?.is_none() {
        return Ok(None);
    }
    if !user.email_confirmed {
        emails::confirm(conn, user.id, &user.email, now)?;
        // Whoever made this account had not shown to read the address: what guards it was not set up by its reader.
        second_factors::turn_off(conn, user.id, now)?;
    }
    replace(conn, &user, password_hash, token_hash, now)?;
    Ok(Some(user))
}

/// Sets the password and ends every session, unless `present`, the hash that was verified, is not the one that is kept any
/// more: somebody has set another password meanwhile; `false` then. Belongs into a write transaction.
///
/// # Errors
/// The database failed.
pub fn change(
    conn: &mut Conn,
    user: &User,
    present: &str,
    password_hash: &str,
    unique: &str,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    users::lock(conn, user.id)?;
    if !is_present(conn, user.id, present)? {
        return Ok(false);
    }
    replace(conn, user, password_hash, unique, now)?;
    Ok(true)
}

/// Whether a hash that was verified is still the one that is kept. Verifying takes a while.
///
/// # Errors
/// The database failed.
pub fn is_present(conn: &mut Conn, user_id: i64, verified: &str) -> Result<bool, StoreError> {
    Ok(users::password_hash(conn, user_id)?.as_deref() == Some(verified))
}

fn replace(
    conn: &mut Conn,
    user: &User,
    password_hash: &str,
    unique: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    users::set_password(conn, user.id, password_hash, now)?;
    sessions::end_all(conn, user.id, None)?;
    // A log-in that waits for its code was begun with the old password.
    for purpose in [Purpose::PasswordReset, Purpose::SecondFactor] {
        tokens::revoke(conn, user.id, purpose)?;
    }
    // So may have been a wish for another address: its link must not outlive that password.
    withdraw_change(conn, user.id, now)?;
    let cause = cause("password_changed", &user.public_id, unique);
    mails::queue(conn, user.id, &cause, &Notice::PasswordChanged, now)?;
    Ok(())
}

//! Whose an address is: asked by mail, answered by a link that only the reader of that mailbox has (`docs/rules.md §2`).

use chrono::{DateTime, TimeDelta, Utc};

use super::sign_up::trial_hash;
use crate::{
    config::Secret,
    domain::{email::Email, notice::Notice},
    store::{
        Conn, StoreError, emails, mails,
        tokens::{self, Purpose},
        trials,
        users::{self, User},
    },
};

/// Begins the causes of mails that ask to confirm the address of an account.
pub(super) const CONFIRM: &str = "confirm_email";
/// Begins the causes of mails about an address that an account shall get.
const CHANGE: &str = "change_email";

/// Begins the causes of mails that tell the present address of a wish for another.
const CHANGE_ASKED: &str = "change_asked";

/// So many mails of each kind may be asked for in a day.
const A_DAY: usize = 5;
/// Between two mails to one address.
const PAUSE: TimeDelta = TimeDelta::minutes(1);

/// What became of a wish for a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// It is queued.
    Queued,
    /// There is nothing to confirm.
    NothingToDo,
    /// One has just been sent; another can be asked for after so many seconds.
    TooSoon(u64),
    /// Enough for one day; another can be asked for after so many seconds.
    TooMany(u64),
}

/// What a token has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// The address of the account is its owner's.
    Confirmed(User),
    /// The account has the new address.
    Changed(User),
    /// Somebody else has the new address by now. Nothing was changed.
    Taken,
    /// It is unknown, used, too old, or for an address that is no longer wanted.
    Nothing,
}

/// What a token would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The address that it confirms.
    pub email: String,
    /// It takes the place of another one.
    pub is_new: bool,
}

/// A cause for a mail that this person asks for.
pub(super) fn cause(kind: &str, public_id: &str, unique: &str) -> String {
    format!("{kind}:{public_id}:{unique}")
}

/// Sends the mail about the address of the account once more. Belongs into a write transaction.
///
/// # Errors
/// The database failed.
pub fn ask_again(conn: &mut Conn, user_id: i64, unique: &str, now: DateTime<Utc>) -> Result<Asked, StoreError> {
    users::lock(conn, user_id)?;
    let Some(user) = users::by_id(conn, user_id)?.filter(|user| !user.email_confirmed && !user.deleted) else {
        return Ok(Asked::NothingToDo);
    };
    let sent = mails::queued_since(conn, &cause(CONFIRM, &user.public_id, ""), now - TimeDelta::days(1))?;
    if let Some(refused) = too_often(&sent, now) {
        return Ok(refused);
    }
    mails::queue(conn, user_id, &cause(CONFIRM, &user.public_id, unique), &Notice::ConfirmEmail, now)?;
    Ok(Asked::Queued)
}

/// Keeps an address that shall take the place of the present one, and asks its reader. Whether somebody else has it is
/// told to that person alone. Belongs into a write transaction.
///
/// # Errors
/// The database failed.
pub fn ask_for_change(
    conn: &mut Conn,
    user_id: i64,
    email: &Email,
    unique: &str,
    now: DateTime<Utc>,
) -> Result<Asked, StoreError> {
    users::lock(conn, user_id)?;
    // Whoever asked may have deleted the account meanwhile.
    let Some(user) = users::by_id(conn, user_id)?.filter(|user| !user.deleted) else {
        return Ok(Asked::NothingToDo);
    };
    // No pause between two: whoever mistyped an address must be able to mend it at once.
    let sent = mails::queued_since(conn, &cause(CHANGE, &user.public_id, ""), now - TimeDelta::days(1))?;
    if let Some(refused) = too_many(&sent, now) {
        return Ok(refused);
    }
    let asked = cause(CHANGE_ASKED, &user.public_id, unique);
    // To this address even if the mail waits until the change is made.
    mails::queue_to(conn, user_id, &user.email, &asked, &Notice::EmailChangeAsked, now)?;
    let cause = cause(CHANGE, &user.public_id, unique);
    emails::set_pending(conn, user_id, Some(email.as_str()), now)?;
    tokens::revoke(conn, user_id, Purpose::EmailChange)?;
    if let Some(owner) = users::by_email(conn, email.canonical())?.filter(|owner| owner.id != user_id) {
        mails::queue(conn, owner.id, &cause, &Notice::EmailWanted, now)?;
    } else {
        let notice = Notice::ConfirmNewEmail { email: email.as_str().to_owned() };
        mails::queue_to(conn, user_id, email.as_str(), &cause, &notice, now)?;
    }
    Ok(Asked::Queued)
}

/// Keeps the present address after all; the link that was sent is worthless. Belongs into a write transaction.
///
/// # Errors
/// The database failed.
pub fn withdraw_change(conn: &mut Conn, user_id: i64, now: DateTime<Utc>) -> Result<(), StoreError> {
    emails::set_pending(conn, user_id, None, now)?;
    tokens::revoke(conn, user_id, Purpose::EmailChange)
}

/// What a token would do; looking does not use it up.
///
/// # Errors
/// The database failed.
pub fn offer(conn: &mut Conn, token_hash: &str, now: DateTime<Utc>) -> Result<Option<Offer>, StoreError> {
    for (purpose, is_new) in [(Purpose::EmailConfirmation, false), (Purpose::EmailChange, true)] {
        let Some(token) = tokens::find(conn, token_hash, purpose, now)? else { continue };
        let Some(user) = users::by_id(conn, token.user_id)? else { continue };
        let wanted = if is_new { user.email_pending } else { Some(user.email) };
        let is_wanted = wanted == token.email;
        return Ok(token.email.filter(|_| is_wanted).map(|email| Offer { email, is_new }));
    }
    Ok(None)
}

/// Uses a token up. An address that is new to the account counts as one that had its trial. Belongs into a write
/// transaction.
///
/// # Errors
/// The database failed.
pub fn confirm(
    conn: &mut Conn,
    token_hash: &str,
    trial_key: &Secret,
    now: DateTime<Utc>,
) -> Result<Confirmed, StoreError> {
    if let Some(token) = tokens::take(conn, token_hash, Purpose::EmailConfirmation, now)? {
        let confirmed = match token.email {
            Some(email) => emails::confirm(conn, token.user_id, &email, now)?,
            None => false,
        };
        let user = users::by_id(conn, token.user_id)?.filter(|_| confirmed);
        return Ok(user.map_or(Confirmed::Nothing, Confirmed::Confirmed));
    }
    let Some(token) = tokens::take(conn, token_hash, Purpose::EmailChange, now)? else {
        return Ok(Confirmed::Nothing);
    };
    users::lock(conn, token.user_id)?;
    let user = users::by_id(conn, token.user_id)?.filter(|user| user.email_pending == token.email);
    let (Some(user), Some(email)) = (user, token.email.and_then(|email| Email::parse(&email).ok())) else {
        return Ok(Confirmed::Nothing);
    };
    change(conn, user, &email, trial_key, token_hash, now)
}

fn change(
    conn: &mut Conn,
    user: User,
    email: &Email,
    trial_key: &Secret,
    unique: &str,
    now: DateTime<Utc>,
) -> Result<Confirmed, StoreError> {
    if !emails::change(conn, user.id, email, now)? {
        emails::set_pending(conn, user.id, None, now)?;
        return Ok(Confirmed::Taken);
    }
    // Whoever leaves an address behind and signs up with it again finds both of them used.
    trials::take(conn, &trial_hash(trial_key, email.canonical()), now)?;
    // What was mailed to the old address must not open the account of the new one.
    for purpose in [Purpose::EmailConfirmation, Purpose::EmailChange, Purpose::PasswordReset] {
        tokens::revoke(conn, user.id, purpose)?;
    }
    let cause = cause("email_changed", &user.public_id, unique);
    mails::queue_to(conn, user.id, &user.email, &cause, &Notice::EmailChanged, now)?;
    Ok(Confirmed::Changed(user))
}

/// Whether another mail has to wait, after those of the last day, newest first.
fn too_often(sent: &[DateTime<Utc>], now: DateTime<Utc>) -> Option<Asked> {
    too_many(sent, now).or_else(|| too_soon(sent, now))
}

fn too_soon(sent: &[DateTime<Utc>], now: DateTime<Utc>) -> Option<Asked> {
    let again = *sent.first()? + PAUSE;
    (now < again).then(|| Asked::TooSoon(seconds(again - now)))
}

fn too_many(sent: &[DateTime<Utc>], now: DateTime<Utc>) -> Option<Asked> {
    let again = *sent.get(A_DAY - 1)? + TimeDelta::days(1);
    (now < again).then(|| Asked::TooMany(seconds(again - now)))
}

fn seconds(wait: TimeDelta) -> u64 {
    u64::try_from(wait.num_seconds()).unwrap_or_default() + 1
}

//! The end of an account, after everything was ended at Stripe (`docs/rules.md §10`).

use chrono::{DateTime, Utc};

use super::email::cause;
use crate::{
    domain::notice::Notice,
    store::{Conn, StoreError, accounts, mails, users},
};

/// Takes out all that tells whose the account was, and tells the person at the address that it had. Belongs into a write
/// transaction.
///
/// # Errors
/// The database failed.
pub fn delete(conn: &mut Conn, user_id: i64, now: DateTime<Utc>) -> Result<(), StoreError> {
    users::lock(conn, user_id)?;
    let Some(user) = users::by_id(conn, user_id)? else { return Ok(()) };
    if accounts::erase(conn, user_id, now)? {
        let cause = cause("account_deleted", &user.public_id, "once");
        mails::queue_to(conn, user_id, &user.email, &cause, &Notice::AccountDeleted, now)?;
    }
    Ok(())
}

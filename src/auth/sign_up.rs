//! A new account: the person and the trial, or neither (`docs/rules.md §2`).

use chrono::{DateTime, Utc};
use hmac::Mac;

use super::{
    email,
    token::{in_letters, keyed},
};
use crate::{
    config::Secret,
    domain::{
        calendar::{TRIAL_MONTHS, add_months_clamped},
        notice::Notice,
        subscription::{Kind, Period},
    },
    store::{
        Conn, StoreError, mails, subscriptions, trials,
        users::{self, NewUser},
    },
};

/// What became of a sign-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignUp {
    /// The account is there.
    Made {
        /// Its row.
        user_id: i64,
        /// Whether it came with a trial: nobody gets a second one.
        with_trial: bool,
    },
    /// The address has an account already; nothing was changed.
    EmailTaken,
}

/// Adds a person with a trial from `now`, which is in whole seconds, and asks by mail whether the address is theirs. Belongs into a write transaction.
///
/// # Errors
/// The database failed.
pub fn sign_up(conn: &mut Conn, new: NewUser, email_hash: &str, now: DateTime<Utc>) -> Result<SignUp, StoreError> {
    let cause = email::cause(email::CONFIRM, &new.public_id, "sign_up");
    let Some(user_id) = users::insert(conn, new, now)? else { return Ok(SignUp::EmailTaken) };
    mails::queue(conn, user_id, &cause, &Notice::ConfirmEmail, now)?;
    let with_trial = trials::take(conn, email_hash, now)?;
    if with_trial {
        let end = add_months_clamped(now, TRIAL_MONTHS)
            .ok_or_else(|| StoreError::Refused("the trial would end beyond the calendar".to_owned()))?;
        subscriptions::insert_own(conn, user_id, Kind::Trial, Period { start: now, end }, now)?;
    }
    Ok(SignUp::Made { user_id, with_trial })
}

/// What is kept of an address that had a trial, for longer than the account: without the key nobody can try addresses
/// against it.
pub fn trial_hash(key: &Secret, email_canonical: &str) -> String {
    in_letters(keyed(key, "turnpike trial ").map(|mac| mac.chain_update(email_canonical)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_depends_on_key_and_address_and_shows_neither() {
        let hash = |key: &str, email: &str| trial_hash(&Secret::new(key), email);
        assert_eq!(hash("key", "ada@example.test"), hash("key", "ada@example.test"));
        assert_ne!(hash("key", "ada@example.test"), hash("other", "ada@example.test"));
        assert_ne!(hash("key", "ada@example.test"), hash("key", "bob@example.test"));
        assert_eq!(hash("key", "ada@example.test").len(), 64);
    }
}

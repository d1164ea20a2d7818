//! Who had a trial: a keyed hash of the canonical address, kept for longer than the account (`docs/rules.md §2`).

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{Conn, StoreError, error::is_duplicate, schema::trial_grants, types::Instant};

/// Takes the one trial of an address; `false` when it was taken before.
///
/// # Errors
/// The query failed.
pub fn take(conn: &mut Conn, email_hash: &str, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let inserted = conn.transaction(|conn| {
        diesel::insert_into(trial_grants::table)
            .values((trial_grants::email_hash.eq(email_hash), trial_grants::granted_at.eq(Instant::from(now))))
            .execute(conn)
    });
    match inserted {
        Ok(_) => Ok(true),
        Err(error) if is_duplicate(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

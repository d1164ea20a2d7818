//! Mails: queued in the transaction of their cause, sent afterwards, once for each cause.

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{Conn, StoreError, error::is_duplicate, schema::mails, types::Instant};
use crate::domain::notice::Notice;

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
    let notice = serde_json::to_string(notice).map_err(|error| StoreError::Refused(error.to_string()))?;
    let now = Instant::from(now);
    let inserted = conn.transaction(|conn| {
        diesel::insert_into(mails::table)
            .values((
                mails::user_id.eq(user_id),
                mails::cause.eq(cause),
                mails::notice.eq(notice),
                mails::attempts.eq(0_i64),
                mails::due_at.eq(now),
                mails::created_at.eq(now),
            ))
            .execute(conn)
    });
    match inserted {
        Ok(_) => Ok(true),
        Err(error) if is_duplicate(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

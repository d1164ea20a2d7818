//! Turns: whoever works on the same thing of Stripe's waits for the others, until the end of their transaction.
//!
//! With SQLite all writers take turns anyway. With PostgreSQL two transactions do not see each other: one that finds
//! nothing yet of a customer, and leaves an event waiting, and one that links that customer, and looks for events that
//! wait, would miss each other for good.

use diesel::{RunQueryDsl, sql_types::Text};

use super::{Conn, StoreError};

/// Two ids may meet in one number; they then take turns for nothing.
const TAKE_TURN: &str = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";

/// Waits until nobody else works on any of these ids of Stripe's. Always in the same order, and before anything else is
/// locked that those who work on them lock too: else two would wait for each other.
///
/// # Errors
/// The query failed.
pub fn take<'a>(conn: &mut Conn, ids: impl IntoIterator<Item = &'a str>) -> Result<(), StoreError> {
    let Conn::Postgres(conn) = conn else { return Ok(()) };
    let mut ids: Vec<&str> = ids.into_iter().collect();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        diesel::sql_query(TAKE_TURN).bind::<Text, _>(id).execute(conn)?;
    }
    Ok(())
}

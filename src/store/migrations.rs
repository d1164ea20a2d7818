//! Brings the tables up to date. The two engines differ only in how a row gets its number.

use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use super::{Conn, Location, StoreError};

const SQLITE: EmbeddedMigrations = embed_migrations!("migrations/sqlite");
const POSTGRES: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// Any number that no other program on the same PostgreSQL database locks: "turnpike" in letters.
const ADVISORY_LOCK: &str = "SELECT pg_advisory_lock(8463504231912566629)";
const ADVISORY_UNLOCK: &str = "SELECT pg_advisory_unlock(8463504231912566629)";

/// How often a start tries again that met another one on the same SQLite file.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(100);

/// Runs what has not run yet and returns its names. Servers that start together take turns on PostgreSQL; on SQLite,
/// where each migration is one transaction, the later one fails as a whole and finds it done when it looks again.
pub(super) fn run(location: &Location) -> Result<Vec<String>, StoreError> {
    let mut tries = 1;
    loop {
        match run_once(location) {
            Err(error) if tries < TRIES && may_have_met_another(location, &error) => {
                std::thread::sleep(PAUSE);
                tries += 1;
            }
            result => return result,
        }
    }
}

fn may_have_met_another(location: &Location, error: &StoreError) -> bool {
    match (location, error) {
        (Location::Sqlite(_), StoreError::Migration(_)) => true,
        (Location::Sqlite(_), StoreError::Unavailable(reason)) => reason.contains("locked"),
        _ => false,
    }
}

fn run_once(location: &Location) -> Result<Vec<String>, StoreError> {
    let mut conn = location.connect()?;
    if let Conn::Postgres(conn) = &mut conn {
        conn.batch_execute(ADVISORY_LOCK)?;
    }
    let result = pending(&mut conn);
    if let Conn::Postgres(conn) = &mut conn {
        conn.batch_execute(ADVISORY_UNLOCK)?;
    }
    result
}

/// Undoes every migration, newest first, and returns their names.
pub(super) fn revert_all(location: &Location) -> Result<Vec<String>, StoreError> {
    let mut conn = location.connect()?;
    let reverted = match &mut conn {
        Conn::Sqlite(conn) => conn.revert_all_migrations(SQLITE),
        Conn::Postgres(conn) => conn.revert_all_migrations(POSTGRES),
    };
    names(reverted)
}

fn pending(conn: &mut Conn) -> Result<Vec<String>, StoreError> {
    let done = match conn {
        Conn::Sqlite(conn) => conn.run_pending_migrations(SQLITE),
        Conn::Postgres(conn) => conn.run_pending_migrations(POSTGRES),
    };
    names(done)
}

fn names<E: std::fmt::Display>(
    versions: Result<Vec<diesel::migration::MigrationVersion<'_>>, E>,
) -> Result<Vec<String>, StoreError> {
    let versions = versions.map_err(|error| StoreError::Migration(error.to_string()))?;
    Ok(versions.iter().map(ToString::to_string).collect())
}

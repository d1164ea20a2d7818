//! One connection to either engine, chosen by the URL's scheme and never by trying.

use std::{fmt, path::PathBuf};

use diesel::{Connection, MultiConnection, PgConnection, SqliteConnection, connection::SimpleConnection};

use super::StoreError;

/// A connection to either engine. Queries are written once, for both.
#[derive(MultiConnection)]
pub enum Conn {
    /// The embedded database.
    Sqlite(SqliteConnection),
    /// A PostgreSQL server.
    Postgres(PgConnection),
}

/// The back end that the queries are written for.
pub(super) type Db = <Conn as Connection>::Backend;

/// Where the database is.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file of the embedded database.
    Sqlite(PathBuf),
    /// The URL of a PostgreSQL server. It may hold a password.
    Postgres(String),
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "Sqlite({})", path.display()),
            Self::Postgres(_) => f.write_str("Postgres(…)"),
        }
    }
}

/// Waiting writers queue up before SQLite's own lock, so that it is only met by other processes.
const SQLITE_SETTINGS: &str = "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
                               PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4096;";

impl Location {
    /// Opens a connection.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] with the engine's own reason.
    pub fn connect(&self) -> Result<Conn, StoreError> {
        match self {
            Self::Sqlite(path) => {
                let url = format!("file:{}?mode=rwc", percent_encoded(&path.to_string_lossy()));
                let mut conn = SqliteConnection::establish(&url)
                    .map_err(|error| StoreError::Unavailable(format!("{}: {error}", path.display())))?;
                conn.batch_execute(SQLITE_SETTINGS)
                    .map_err(|error| StoreError::Unavailable(format!("{}: {error}", path.display())))?;
                Ok(Conn::Sqlite(conn))
            }
            Self::Postgres(url) => {
                let conn = PgConnection::establish(&with_timeout(url))
                    .map_err(|error| StoreError::Unavailable(error.to_string()))?;
                Ok(Conn::Postgres(conn))
            }
        }
    }
}

/// SQLite reads `?`, `#` and `%` in a file URL as its own.
fn percent_encoded(path: &str) -> String {
    path.replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

/// A server that does not answer must not hold a request for minutes.
fn with_timeout(url: &str) -> String {
    if url.contains("connect_timeout=") {
        return url.to_owned();
    }
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}connect_timeout=3")
}

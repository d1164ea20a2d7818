//! What can go wrong with the database.

use diesel::result::{DatabaseErrorKind, Error as QueryError};

/// What can go wrong with the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No connection, with the real reason.
    #[error("can't reach the database: {0}")]
    Unavailable(String),
    /// More work waits than we are willing to hold.
    #[error("too many writes are waiting")]
    Busy,
    /// A query failed.
    #[error("a query failed: {0}")]
    Query(#[from] QueryError),
    /// The tables could not be brought up to date.
    #[error("a migration failed: {0}")]
    Migration(String),
    /// A step of ours could not be done.
    #[error("{0}")]
    Refused(String),
}

impl StoreError {
    /// A row with the same unique value is there already.
    pub fn is_duplicate(&self) -> bool {
        matches!(self, Self::Query(error) if is_duplicate(error))
    }
}

/// A row with the same unique value is there already.
pub(super) fn is_duplicate(error: &QueryError) -> bool {
    matches!(error, QueryError::DatabaseError(DatabaseErrorKind::UniqueViolation, _))
}

//! A few connections that are shared by everything off the hot path.

use std::time::Duration;

use diesel::{
    connection::SimpleConnection,
    result::{DatabaseErrorKind, Error as QueryError},
};

use super::{Conn, Location, StoreError};

/// How long a request waits for a connection.
const WAIT: Duration = Duration::from_secs(3);

pub(super) type Pool = diesel::r2d2::Pool<Manager>;

/// A connection, and whether it may be used again.
pub(super) struct Slot {
    conn: Conn,
    broken: bool,
}

impl Slot {
    /// Runs `work`; a connection whose failure may be its own is not used again.
    pub(super) fn run<T>(&mut self, work: impl FnOnce(&mut Conn) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.broken = true;
        let result = work(&mut self.conn);
        self.broken = result.as_ref().is_err_and(may_be_the_connections_fault);
        result
    }
}

/// Whether the failure may come from the connection itself rather than from what was asked.
pub(super) fn may_be_the_connections_fault(error: &StoreError) -> bool {
    use DatabaseErrorKind::{CheckViolation, ForeignKeyViolation, NotNullViolation, UniqueViolation};
    match error {
        StoreError::Refused(_) | StoreError::Busy | StoreError::Query(QueryError::NotFound) => false,
        StoreError::Query(QueryError::DatabaseError(kind, _)) => {
            !matches!(kind, UniqueViolation | ForeignKeyViolation | CheckViolation | NotNullViolation)
        }
        _ => true,
    }
}

/// Opens connections for the pool by the location's scheme.
#[derive(Debug)]
pub(super) struct Manager(Location);

impl diesel::r2d2::ManageConnection for Manager {
    type Connection = Slot;
    type Error = StoreError;

    fn connect(&self) -> Result<Slot, StoreError> {
        Ok(Slot { conn: self.0.connect()?, broken: false })
    }

    fn is_valid(&self, slot: &mut Slot) -> Result<(), StoreError> {
        Ok(slot.conn.batch_execute("SELECT 1")?)
    }

    fn has_broken(&self, slot: &mut Slot) -> bool {
        slot.broken
    }
}

/// A pool that opens its connections when they are first needed.
pub(super) fn pool(location: &Location, size: u32) -> Pool {
    diesel::r2d2::Pool::builder()
        .max_size(size)
        .min_idle(Some(0))
        .connection_timeout(WAIT)
        .test_on_check_out(false)
        .error_handler(Box::new(LogErrors))
        .build_unchecked(Manager(location.clone()))
}

#[derive(Debug)]
struct LogErrors;

impl diesel::r2d2::HandleError<StoreError> for LogErrors {
    fn handle_error(&self, error: StoreError) {
        tracing::error!(%error, "can't open a database connection");
    }
}

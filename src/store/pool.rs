//! A few connections that are shared by everything off the hot path.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use diesel::{
    connection::SimpleConnection,
    result::{DatabaseErrorKind, Error as QueryError},
};

use super::{Conn, Location, StoreError};

/// How long a request waits for a connection.
const WAIT: Duration = Duration::from_secs(3);

/// How long a server that could not be reached is not asked again: everybody who waits would hold a thread.
const REST: Duration = Duration::from_secs(1);

/// Connections that are opened when they are first needed.
#[derive(Clone)]
pub(super) struct Pool {
    inner: diesel::r2d2::Pool<Manager>,
    down: Down,
}

/// Since when, and why, no connection can be opened.
#[derive(Clone, Debug, Default)]
struct Down(Arc<Mutex<Option<(Instant, String)>>>);

impl Pool {
    /// Runs `work` on a connection that nobody else has.
    pub(super) fn run<T>(&self, work: impl FnOnce(&mut Conn) -> Result<T, StoreError>) -> Result<T, StoreError> {
        if self.inner.state().idle_connections == 0
            && let Some(reason) = self.down.recently()
        {
            return Err(StoreError::Unavailable(reason));
        }
        let slot = self.inner.get().map_err(|error| StoreError::Unavailable(error.to_string()));
        slot?.run(work)
    }
}

impl Down {
    fn recently(&self) -> Option<String> {
        let down = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        down.as_ref().filter(|(since, _)| since.elapsed() < REST).map(|(_, reason)| reason.clone())
    }

    fn note(&self, state: Option<(Instant, String)>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

/// A connection, and whether it may be used again.
struct Slot {
    conn: Conn,
    broken: bool,
}

impl Slot {
    /// Runs `work`; a connection whose failure may be its own is not used again.
    fn run<T>(&mut self, work: impl FnOnce(&mut Conn) -> Result<T, StoreError>) -> Result<T, StoreError> {
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
struct Manager {
    location: Location,
    down: Down,
}

impl diesel::r2d2::ManageConnection for Manager {
    type Connection = Slot;
    type Error = StoreError;

    fn connect(&self) -> Result<Slot, StoreError> {
        let opened = self.location.connect();
        self.down.note(opened.as_ref().err().map(|error| (Instant::now(), error.to_string())));
        Ok(Slot { conn: opened?, broken: false })
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
    let down = Down::default();
    let inner = diesel::r2d2::Pool::builder()
        .max_size(size)
        .min_idle(Some(0))
        .connection_timeout(WAIT)
        .test_on_check_out(false)
        .error_handler(Box::new(LogErrors))
        .build_unchecked(Manager { location: location.clone(), down: down.clone() });
    Pool { inner, down }
}

#[derive(Debug)]
struct LogErrors;

impl diesel::r2d2::HandleError<StoreError> for LogErrors {
    fn handle_error(&self, error: StoreError) {
        tracing::error!(%error, "can't open a database connection");
    }
}

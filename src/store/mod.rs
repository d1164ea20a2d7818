//! The database: the only place with SQL.
//!
//! Work comes as a closure over a [`Conn`], made of the functions in the files of each table. [`Store::read`] and
//! [`Store::write`] decide where it runs: with SQLite, hot reads run on the worker's own connection and writes take
//! turns in one queue; with PostgreSQL both use a pool. A write is one transaction, answered after its commit.

mod conn;
mod error;
mod facets;
mod migrations;
mod pool;
mod schema;
mod search;
mod seen;
mod types;
mod writer;

pub mod accounts;
pub mod api_tokens;
pub mod audit;
pub mod emails;
pub mod export;
pub mod figures;
pub mod gifts;
pub mod history;
pub mod journal;
pub mod mails;
pub mod payments;
pub mod prepaid;
pub mod recurring;
pub mod roster;
pub mod second_factors;
pub mod sessions;
pub mod subscribers;
pub mod subscriptions;
pub mod tokens;
pub mod trials;
pub mod turns;
pub mod users;
pub mod webhook_events;

use std::{
    cell::RefCell,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use chrono::{DateTime, Utc};
use diesel::Connection;
use tokio::sync::Notify;

pub use self::{
    conn::{Conn, Location},
    error::StoreError,
};
use self::{pool::Pool, seen::Seen, sessions::SignedIn, writer::Writer};

/// The database. Clones share it.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    id: u64,
    location: Location,
    pool: Pool,
    /// With SQLite alone.
    writer: Option<Writer>,
    /// Told after each commit that queued a mail.
    mail_queued: Arc<Notify>,
}

thread_local! {
    /// This worker's own connection, and the store that it belongs to.
    static OWN: RefCell<Option<(u64, Own)>> = const { RefCell::new(None) };
}

/// What a worker has of a store for itself.
struct Own {
    conn: Conn,
    /// Whom it has read through this connection.
    seen: Seen,
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

impl Store {
    /// Connects, brings the tables up to date, and makes ready for `workers` threads.
    ///
    /// # Errors
    /// The database can't be reached, with its own reason, or a migration failed.
    pub fn open(location: Location, workers: u32) -> Result<Self, StoreError> {
        migrations::run(&location)?;
        Self::open_migrated(location, workers)
    }

    fn open_migrated(location: Location, workers: u32) -> Result<Self, StoreError> {
        let mail_queued = Arc::new(Notify::new());
        let (size, writer) = match &location {
            Location::Sqlite(_) => (workers.max(2), Some(Writer::start(location.clone(), Arc::clone(&mail_queued))?)),
            Location::Postgres(_) => (workers.saturating_mul(3).max(4), None),
        };
        let pool = pool::pool(&location, size);
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Ok(Self(Arc::new(Inner { id, location, pool, writer, mail_queued })))
    }

    /// Brings the tables of a database up to date and returns the names of the migrations that ran.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn migrate(location: &Location) -> Result<Vec<String>, StoreError> {
        migrations::run(location)
    }

    /// Undoes every migration, which empties the database, and returns their names.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn revert(location: &Location) -> Result<Vec<String>, StoreError> {
        migrations::revert_all(location)
    }

    /// Reads off the hot path, on a shared connection and a thread that may block.
    ///
    /// # Errors
    /// No connection within three seconds, or the query failed.
    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let pool = self.0.pool.clone();
        blocking(move || pool.run(work)).await
    }

    /// Reads what every request needs. With SQLite it runs here and now, on the worker's own connection: a few
    /// microseconds, where a hop to another thread would cost more than the query.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub async fn read_hot<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        match self.0.location {
            Location::Sqlite(_) => self.on_own_connection(|own| work(&mut own.conn)),
            Location::Postgres(_) => self.read(work).await,
        }
    }

    /// The person of a session that is alive at `now`. With SQLite a worker remembers whom it has read, as long as nobody
    /// commits anything.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub async fn signed_in(&self, token_hash: String, now: DateTime<Utc>) -> Result<Option<SignedIn>, StoreError> {
        match self.0.location {
            Location::Sqlite(_) => self.on_own_connection(|own| own.seen.signed_in(&mut own.conn, &token_hash, now)),
            Location::Postgres(_) => {
                let found = self.read(move |conn| sessions::signed_in(conn, &token_hash, now)).await?;
                Ok(found.map(|(person, _)| person))
            }
        }
    }

    /// Runs `work` as one write transaction and answers after its commit.
    ///
    /// # Errors
    /// What `work` answers, and then nothing of it is kept; or no connection, too long a queue, a failed commit.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        if let Some(writer) = &self.0.writer {
            return writer.run(work).await;
        }
        let (pool, mail_queued) = (self.0.pool.clone(), Arc::clone(&self.0.mail_queued));
        blocking(move || {
            let result = pool.run(|conn| conn.transaction(work));
            if mails::was_queued() && result.is_ok() {
                mail_queued.notify_one();
            }
            result
        })
        .await
    }

    /// Waits for a commit that queued a mail, here in this process. One that came since the last wait counts.
    pub async fn mail_queued(&self) {
        self.0.mail_queued.notified().await;
    }

    /// The database answers.
    ///
    /// # Errors
    /// It does not, with the reason.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.read(users::any).await.map(drop)
    }

    fn on_own_connection<T>(&self, work: impl FnOnce(&mut Own) -> Result<T, StoreError>) -> Result<T, StoreError> {
        OWN.with_borrow_mut(|own| {
            let mut this = match own.take() {
                Some((id, this)) if id == self.0.id => this,
                _ => Own { conn: self.0.location.connect()?, seen: Seen::default() },
            };
            let result = work(&mut this);
            if !result.as_ref().is_err_and(pool::may_be_the_connections_fault) {
                *own = Some((self.0.id, this));
            }
            result
        })
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    actix_web::rt::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(StoreError::Unavailable("the query was given up".to_owned())))
}

//! SQLite has one writer at a time, so the writers take turns in a queue before it, and those that wait together are
//! committed together.
//!
//! Each piece of work runs in a savepoint of its own: one that fails leaves nothing behind and disturbs no other.
//! Nobody is answered before the commit.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread,
};

use diesel::{
    Connection,
    connection::{AnsiTransactionManager, TransactionManager},
    result::Error as QueryError,
};
use tokio::sync::{Notify, oneshot};

use super::{Conn, Location, StoreError, mails};

/// How many pieces of work may wait; more are refused at once.
const QUEUE: usize = 1_024;
/// How many pieces of work share one commit at the most.
const GROUP: usize = 64;

type Answer = Box<dyn FnOnce(Result<(), &StoreError>) + Send>;
type Work = Box<dyn FnOnce(&mut Conn) -> Answer + Send>;

/// The queue before SQLite's one writer.
#[derive(Clone)]
pub(super) struct Writer {
    queue: SyncSender<Work>,
    mail_queued: Arc<Notify>,
}

impl Writer {
    /// Starts the writing thread. It ends when the last clone of the writer is gone. Whoever waits for mails is told
    /// after each commit that queued one.
    pub(super) fn start(location: Location, mail_queued: Arc<Notify>) -> Result<Self, StoreError> {
        let (sender, receiver) = sync_channel(QUEUE);
        thread::Builder::new()
            .name("turnpike-writer".to_owned())
            .spawn(move || serve(&location, &receiver))
            .map_err(|error| StoreError::Unavailable(format!("can't start the writing thread: {error}")))?;
        Ok(Self { queue: sender, mail_queued })
    }

    /// Runs `work` in a write transaction and answers after the commit.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, receiver) = oneshot::channel();
        let mail_queued = Arc::clone(&self.mail_queued);
        let job: Work = Box::new(move |conn| {
            let result = conn.transaction(work);
            let tells_of_mail = mails::was_queued() && result.is_ok();
            Box::new(move |committed| {
                if tells_of_mail && committed.is_ok() {
                    mail_queued.notify_one();
                }
                let answer = match committed {
                    Ok(()) => result,
                    Err(error) => Err(StoreError::Unavailable(error.to_string())),
                };
                // Whoever asked may be gone; what was committed stays.
                drop(sender.send(answer));
            })
        });
        self.queue.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => StoreError::Busy,
            TrySendError::Disconnected(_) => StoreError::Unavailable("the writing thread has ended".to_owned()),
        })?;
        receiver.await.unwrap_or_else(|_| Err(StoreError::Unavailable("the write was given up".to_owned())))
    }
}

fn serve(location: &Location, queue: &Receiver<Work>) {
    let mut open: Option<Conn> = None;
    while let Ok(first) = queue.recv() {
        let mut answers = Vec::with_capacity(GROUP);
        let conn = match open.take().map_or_else(|| location.connect(), Ok) {
            Ok(conn) => conn,
            Err(error) => {
                // Dropping the work tells whoever waits for it.
                tracing::error!(%error, "can't open the database for writing");
                continue;
            }
        };
        let mut conn = AssertUnwindSafe(conn);
        // A panic inside one piece of work gives up the whole group; nothing of it is committed.
        let committed = catch_unwind(AssertUnwindSafe(|| commit_together(&mut conn, first, queue, &mut answers)))
            .unwrap_or_else(|_| Err(StoreError::Unavailable("a write panicked".to_owned())));
        if let Err(error) = &committed {
            tracing::error!(%error, "a group of writes could not be committed");
        } else {
            open = Some(conn.0);
        }
        for answer in answers {
            answer(committed.as_ref().copied());
        }
    }
}

fn commit_together(
    conn: &mut Conn,
    first: Work,
    queue: &Receiver<Work>,
    answers: &mut Vec<Answer>,
) -> Result<(), StoreError> {
    begin_immediate(conn)?;
    answers.push(first(conn));
    while answers.len() < GROUP {
        let Ok(next) = queue.try_recv() else { break };
        answers.push(next(conn));
    }
    Ok(<Conn as Connection>::TransactionManager::commit_transaction(conn)?)
}

/// A deferred transaction that starts to write later fails at once when another writer is there.
fn begin_immediate(conn: &mut Conn) -> Result<(), QueryError> {
    match conn {
        Conn::Sqlite(conn) => AnsiTransactionManager::begin_transaction_sql(conn, "BEGIN IMMEDIATE"),
        Conn::Postgres(conn) => AnsiTransactionManager::begin_transaction(conn),
    }
}

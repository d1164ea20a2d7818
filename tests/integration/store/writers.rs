//! Writers beside each other.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

use diesel::{Connection, SqliteConnection, connection::SimpleConnection};
use futures_util::future::join_all;

use turnpike::{
    domain::user::Role,
    store::{Location, Store, users},
};

use crate::support::{
    app::Setup,
    database::{Database, Engine},
    stripe::Snapshot,
};

/// Another process (a backup, a command beside the server) takes SQLite's write lock again and again. A transaction that
/// reads first and asks for the lock later would fail at once, whatever the time-out.
#[test]
fn another_process_that_writes_delays_writers_and_fails_none() {
    Setup::on(Engine::Sqlite).run(|app| async move {
        let ada = app.member_after_trial().await;
        let user = ada.id().await;
        let Database::Sqlite(file) = &app.database else { unreachable!("this app is on SQLite") };
        let intruder = Intruder::start(file.to_str().unwrap());
        let mut sent = 0;
        while intruder.turns() < 20 && sent < 2_000 {
            let events: Vec<_> = (sent..sent + 6)
                .map(|number| {
                    let snapshot = Snapshot::active(&format!("sub_{number}"), "cus_1", &user, app.now());
                    snapshot.event(&format!("evt_{number}"), "created", app.now())
                })
                .collect();
            for answer in join_all(events.iter().map(|event| app.deliver(event))).await {
                assert_eq!(answer.status, 200, "{}", answer.text());
            }
            sent += 6;
        }
        assert!(intruder.turns() >= 20, "the other process did not get its turns");
        drop(intruder);
        assert_eq!(app.events_recorded(), sent);
    });
}

/// The trap itself: a write transaction that reads, is overtaken by another writer, and then writes.
#[test]
fn a_write_that_reads_first_is_not_overtaken() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("turnpike.db");
    let store = Store::open(Location::Sqlite(file.clone()), 1).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let user =
        runtime.block_on(store.write(|conn| users::insert(conn, super::ada(), super::moment(0)))).unwrap().unwrap();
    let intruder = Intruder::start(file.to_str().unwrap());
    for round in 1..=10 {
        // SQLite lets a waiting process sleep, so it has to be given its turn; it then tries again during the write.
        intruder.wait_for_turn(round);
        let written = runtime.block_on(store.write(move |conn| {
            assert!(users::by_id(conn, user)?.is_some());
            thread::sleep(Duration::from_millis(10));
            users::set_role(conn, "ada@example.com", Role::User, super::moment(1))
        }));
        assert!(written.unwrap(), "nothing was written");
    }
}

/// Takes the lock for a few milliseconds at a time, until it is dropped.
struct Intruder {
    turns: Arc<AtomicU32>,
    done: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Intruder {
    fn start(file: &str) -> Self {
        let mut connection = SqliteConnection::establish(file).unwrap();
        connection.batch_execute("PRAGMA busy_timeout = 10000").unwrap();
        let (turns, done) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, end) = (Arc::clone(&turns), Arc::clone(&done));
        let thread = thread::spawn(move || {
            while !end.load(Ordering::Acquire) {
                connection.batch_execute("BEGIN IMMEDIATE; UPDATE users SET first_name = first_name").unwrap();
                thread::sleep(Duration::from_millis(3));
                connection.batch_execute("COMMIT").unwrap();
                count.fetch_add(1, Ordering::AcqRel);
                thread::sleep(Duration::from_millis(1));
            }
        });
        Self { turns, done, thread: Some(thread) }
    }

    fn turns(&self) -> u32 {
        self.turns.load(Ordering::Acquire)
    }

    fn wait_for_turn(&self, count: u32) {
        let patience = (0..10_000).take_while(|_| self.turns() < count);
        patience.for_each(|_| thread::sleep(Duration::from_millis(1)));
        assert!(self.turns() >= count, "the other process did not get its turns");
    }
}

impl Drop for Intruder {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        let ended = self.thread.take().map(thread::JoinHandle::join);
        assert!(ended.is_none_or(|ended| ended.is_ok()) || thread::panicking(), "the other process failed");
    }
}

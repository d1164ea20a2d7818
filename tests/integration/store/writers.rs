//! Writers beside each other.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use diesel::{Connection, SqliteConnection, connection::SimpleConnection};
use futures_util::future::join_all;

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
        let done = Arc::new(AtomicBool::new(false));
        let intruder = intrude(file.to_str().unwrap(), Arc::clone(&done));

        let events: Vec<_> = (0..60)
            .map(|number| {
                let snapshot = Snapshot::active(&format!("sub_{number}"), "cus_1", &user, app.now());
                snapshot.event(&format!("evt_{number}"), "created", app.now())
            })
            .collect();
        for some in events.chunks(6) {
            for answer in join_all(some.iter().map(|event| app.deliver(event))).await {
                assert_eq!(answer.status, 200, "{}", answer.text());
            }
        }
        done.store(true, Ordering::Release);
        assert!(intruder.join().unwrap() > 5, "the other process did not get its turns");
        assert_eq!(app.events_recorded(), 60);
    });
}

/// Takes the lock for a few milliseconds at a time and counts how often.
fn intrude(file: &str, done: Arc<AtomicBool>) -> thread::JoinHandle<u32> {
    let mut connection = SqliteConnection::establish(file).unwrap();
    connection.batch_execute("PRAGMA busy_timeout = 10000").unwrap();
    thread::spawn(move || {
        let (mut turns, start) = (0, Instant::now());
        while !done.load(Ordering::Acquire) && start.elapsed() < Duration::from_secs(30) {
            connection.batch_execute("BEGIN IMMEDIATE; UPDATE users SET first_name = first_name").unwrap();
            thread::sleep(Duration::from_millis(3));
            connection.batch_execute("COMMIT").unwrap();
            turns += 1;
            thread::sleep(Duration::from_millis(1));
        }
        turns
    })
}

//! Every migration goes up, down, and up again.

use turnpike::store::{Location, Store};

use crate::support::{database::Database, postgres::PostgresDatabase};

#[test]
fn up_down_and_up_again_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("turnpike.db");
    up_down_up(&Location::Sqlite(file.clone()), &Database::Sqlite(file));
}

#[test]
fn up_down_and_up_again_on_postgresql() {
    let database = PostgresDatabase::empty();
    up_down_up(&Location::Postgres(database.url()), &Database::Postgres(database));
}

fn up_down_up(location: &Location, database: &Database) {
    let up = Store::migrate(location).unwrap();
    assert!(!up.is_empty());
    assert_eq!(Store::migrate(location).unwrap(), Vec::<String>::new(), "a second run has nothing to do");
    let all = database.tables();
    assert!(all.contains(&"users".to_owned()), "{all:?}");

    let mut down = Store::revert(location).unwrap();
    down.reverse();
    assert_eq!(down, up);
    let left = database.tables();
    assert!(left.iter().all(|table| table.starts_with("__diesel")), "down.sql leaves {left:?}");

    assert_eq!(Store::migrate(location).unwrap(), up);
    assert_eq!(database.tables(), all);
}

#[test]
fn starts_that_meet_on_one_sqlite_file_all_succeed() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Sqlite(folder.path().join("turnpike.db"));
        let starts: Vec<_> = (0..6)
            .map(|_| {
                let location = location.clone();
                std::thread::spawn(move || Store::migrate(&location))
            })
            .collect();
        for start in starts {
            start.join().unwrap().unwrap();
        }
        assert_eq!(Store::migrate(&location).unwrap(), Vec::<String>::new());
    }
}

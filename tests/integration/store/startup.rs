//! What is wrong with a database is said as the database says it, and soon.

use std::time::{Duration, Instant};

use turnpike::clock::Clock;

use crate::support::{
    app::{Server, config},
    postgres::PostgresDatabase,
};

#[test]
fn a_database_that_is_not_there_gives_its_real_reason() {
    let folder = tempfile::tempdir().unwrap();
    let garbage = folder.path().join("garbage.db");
    std::fs::write(&garbage, "this is no database, and never was one".repeat(100)).unwrap();
    let gone = {
        let database = PostgresDatabase::empty();
        database.url()
    };
    let rows = [
        ("postgres://nobody@127.0.0.1:1/none".to_owned(), "refused"),
        (gone, "does not exist"),
        (garbage.display().to_string(), "not a database"),
        (folder.path().display().to_string(), "unable to open"),
    ];
    for (url, reason) in rows {
        let start = Instant::now();
        let settings = [
            ("TURNPIKE_LISTEN", "127.0.0.1:0"),
            ("TURNPIKE_SANDBOX_LISTEN", "127.0.0.1:0"),
            ("TURNPIKE_DATABASE_URL", url.as_str()),
        ];
        let config = config(folder.path(), &settings.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let said = Server::start(config, Clock::system()).err().unwrap_or_else(|| panic!("{url} started"));
        assert!(said.to_lowercase().contains(reason), "{url}: {said}");
        assert!(start.elapsed() < Duration::from_secs(20), "{url} took {:?}", start.elapsed());
    }
}

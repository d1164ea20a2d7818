//! Databases of their own on the PostgreSQL that `tests/run` started.

use std::{
    env,
    sync::atomic::{AtomicU32, Ordering},
};

use diesel::{Connection, PgConnection, RunQueryDsl};

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// A database that is dropped at the end.
pub struct PostgresDatabase {
    name: String,
}

impl PostgresDatabase {
    /// An empty one.
    pub fn empty() -> Self {
        Self::create("")
    }

    /// A copy of another, to which nobody may be connected.
    pub fn copy_of(template: &str) -> Self {
        Self::create(&format!(" TEMPLATE {template}"))
    }

    fn create(from: &str) -> Self {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("turnpike_{}_{number}", std::process::id());
        on_server(&format!("CREATE DATABASE {name}{from}"));
        Self { name }
    }

    /// What `TURNPIKE_DATABASE_URL` must be.
    pub fn url(&self) -> String {
        url_of(&self.name)
    }

    /// Its name, to be a template.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Ends every connection and lets nobody in, like a server that went away.
    pub fn go_away(&self) {
        on_server(&format!("ALTER DATABASE {} ALLOW_CONNECTIONS false", self.name));
        self.cut_connections();
    }

    /// Lets everybody in again.
    pub fn come_back(&self) {
        on_server(&format!("ALTER DATABASE {} ALLOW_CONNECTIONS true", self.name));
    }

    /// Ends every connection, as a restart of the server does.
    pub fn cut_connections(&self) {
        let name = &self.name;
        on_server(&format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"));
    }
}

impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        on_server(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
    }
}

fn on_server(sql: &str) {
    let mut connection = PgConnection::establish(&server()).unwrap();
    diesel::sql_query(sql).execute(&mut connection).unwrap_or_else(|error| panic!("{sql}: {error}"));
}

fn url_of(database: &str) -> String {
    let server = server();
    let (start, _) = server.rsplit_once('/').expect("TURNPIKE_TEST_POSTGRES ends in /DATABASE");
    format!("{start}/{database}")
}

fn server() -> String {
    env::var("TURNPIKE_TEST_POSTGRES").expect("these tests need a PostgreSQL: run tests/run, which starts one")
}

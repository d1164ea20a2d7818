//! The traps of the two databases (`docs/architecture.md`, the database).

mod effective_status;
mod figures;
mod instants;
mod migrations;
mod roster;
mod search;
mod sqlite;
mod startup;
mod writers;

use chrono::{DateTime, Utc};
use tempfile::TempDir;
use turnpike::{
    domain::{
        provider::{Facts, Known},
        subscription::{Period, Status},
    },
    store::{
        Conn, Location, Store,
        accounts::Details,
        recurring::{self, News},
        users,
    },
};

use crate::support::{database::Engine, postgres::PostgresDatabase};

/// A connection to a migrated database with one person in it. The database goes with the value.
struct Fresh {
    conn: Conn,
    user: i64,
    _folder: TempDir,
    _database: Option<PostgresDatabase>,
}

impl Fresh {
    fn on(engine: Engine) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = (engine == Engine::Postgres).then(PostgresDatabase::empty);
        let file = || Location::Sqlite(folder.path().join("turnpike.db"));
        let location = database.as_ref().map_or_else(file, |database| Location::Postgres(database.url()));
        Store::migrate(&location).unwrap();
        let mut conn = location.connect().unwrap();
        let user = users::insert(&mut conn, ada(), moment(0)).unwrap().unwrap();
        Self { conn, user, _folder: folder, _database: database }
    }
}

impl Fresh {
    /// Gives the person a subscription at Stripe.
    fn subscribe(&mut self, provider_id: &str, facts: &Facts) {
        let known = Known::from_row(facts, None);
        let news = News { facts, known: &known, refresh_due_at: None };
        recurring::insert(&mut self.conn, self.user, provider_id, news, moment(0)).unwrap();
    }
}

fn ada() -> users::NewUser {
    users::NewUser {
        public_id: "ada".to_owned(),
        email: "ada@example.com".to_owned(),
        email_canonical: "ada@example.com".to_owned(),
        password_hash: String::new(),
        details: Details {
            title: None,
            first_name: "Ada".to_owned(),
            last_name: "Lovelace".to_owned(),
            phone: None,
            time_zone: "UTC".to_owned(),
            language: "en".to_owned(),
        },
    }
}

/// A moment near the middle of 2026, in microseconds from there.
fn moment(microseconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(1_780_000_000_000_000 + microseconds).unwrap()
}

fn facts(status: Status, period: Option<Period>) -> Facts {
    Facts {
        as_of: moment(0),
        status,
        provider_status: status.as_str().to_owned(),
        plan: Some("monthly".to_owned()),
        period,
        cancel_at_period_end: false,
        collection_voided: false,
        cancel_at: None,
        ended_at: None,
    }
}

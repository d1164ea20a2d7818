//! What a webhook costs: signed events over HTTP, answered after their commit, against bare commits on the same disk.
//!
//! `cargo bench --bench webhooks`. The bare commits are what SQLite itself does at most when each has a transaction of
//! its own, with the same durability: one row as large as a journal's row, then the next. Rounds of all take turns;
//! the ratio of the medians is what counts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::float_arithmetic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    dead_code,
    missing_docs,
    reason = "a measurement stops at the first thing that is not as expected, and prints; its support serves others too"
)]

#[path = "support/load.rs"]
mod load;
#[path = "support/servers.rs"]
mod servers;

use std::{net::SocketAddr, path::Path, sync::Arc, time::Instant};

use data_encoding::HEXLOWER;
use diesel::{Connection, RunQueryDsl, SqliteConnection, connection::SimpleConnection};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;

const ROUNDS: usize = 5;
/// In one round, for each number of senders.
const EVENTS: usize = 2_000;
const SENDERS: [usize; 2] = [1, 32];
/// So many subscriptions are told about in turn.
const SUBSCRIPTIONS: usize = 500;

fn main() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let address = servers::program(folder.path(), &folder.path().join("turnpike.db").display().to_string());
    servers::cookie_of_a_member(address);
    let user = only_member(&folder.path().join("turnpike.db"));
    let mut events = Events { user, made: 0 };
    load::round(address, &events.next(address, SUBSCRIPTIONS), 8, SUBSCRIPTIONS);

    let mut bare = Vec::new();
    let mut rates = vec![Vec::new(); SENDERS.len()];
    for round in 0..ROUNDS {
        bare.push(bare_commits(&folder.path().join(format!("bare-{round}.db")), &events.body()));
        for (senders, rates) in SENDERS.iter().zip(&mut rates) {
            let requests = events.next(address, EVENTS);
            rates.push(load::round(address, &requests, *senders, EVENTS).rate());
        }
    }
    let bare = median(bare);
    println!(
        "{ROUNDS} rounds of {EVENTS} events about {SUBSCRIPTIONS} subscriptions, medians, SQLite with synchronous=FULL"
    );
    println!("{:<28} {:>10} {:>10}", "", "per second", "of bare");
    println!("{:<28} {bare:>10.0} {:>10.2}", "bare commits, one by one", 1.0);
    for (senders, rates) in SENDERS.iter().zip(rates) {
        let rate = median(rates);
        println!("{:<28} {rate:>10.0} {:>10.2}", format!("webhooks, {senders} at once"), rate / bare);
    }
}

/// Commits of one row each, in a second.
fn bare_commits(file: &Path, row: &str) -> f64 {
    let mut conn = SqliteConnection::establish(file.to_str().unwrap()).unwrap();
    conn.batch_execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)",
    )
    .unwrap();
    let start = Instant::now();
    for _ in 0..EVENTS {
        let insert = diesel::sql_query("INSERT INTO rows (text) VALUES (?)").bind::<diesel::sql_types::Text, _>(row);
        insert.execute(&mut conn).unwrap();
    }
    EVENTS as f64 / start.elapsed().as_secs_f64()
}

#[derive(diesel::QueryableByName)]
struct PublicId {
    #[diesel(sql_type = diesel::sql_types::Text)]
    public_id: String,
}

fn only_member(file: &Path) -> String {
    let mut conn = SqliteConnection::establish(file.to_str().unwrap()).unwrap();
    let row: PublicId = diesel::sql_query("SELECT public_id FROM users").get_result(&mut conn).unwrap();
    row.public_id
}

/// Events that were not sent before, each newer than the ones before it.
struct Events {
    user: String,
    made: usize,
}

impl Events {
    fn next(&mut self, address: SocketAddr, count: usize) -> Arc<[Vec<u8>]> {
        (0..count)
            .map(|_| {
                let request = signed(address, &self.body());
                self.made += 1;
                request
            })
            .collect()
    }

    /// A subscription's event as large as Stripe's are, some 4 KB.
    fn body(&self) -> String {
        let now = chrono::Utc::now().timestamp();
        let created = now - 100_000_000 + i64::try_from(self.made).unwrap();
        let subscription = format!("sub_{}", self.made % SUBSCRIPTIONS);
        json!({
            "id": format!("evt_{}", self.made), "object": "event", "api_version": "2026-09-30.endive", "created": created,
            "livemode": false, "type": "customer.subscription.updated", "pending_webhooks": 1, "request": null,
            "data": { "object": {
                "id": subscription, "object": "subscription", "customer": format!("cus_{subscription}"), "status": "active",
                "livemode": false, "created": created, "metadata": { "user_id": self.user }, "cancel_at_period_end": false,
                "description": "x".repeat(3_000),
                "items": { "object": "list", "has_more": false, "data": [{
                    "id": "si_1", "price": { "id": "price_monthly", "object": "price" }, "quantity": 1,
                    "current_period_start": now - 100, "current_period_end": now + 2_000_000 + created % 7,
                }] },
            } },
        })
        .to_string()
    }
}

fn signed(address: SocketAddr, body: &str) -> Vec<u8> {
    let now = chrono::Utc::now().timestamp();
    let mut mac = Hmac::<Sha256>::new_from_slice(servers::WEBHOOK_SECRET.as_bytes()).unwrap();
    mac.update(format!("{now}.{body}").as_bytes());
    let signature = HEXLOWER.encode(&mac.finalize().into_bytes());
    format!(
        "POST /webhooks/stripe HTTP/1.1\r\nHost: {address}\r\nStripe-Signature: t={now},v1={signature}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

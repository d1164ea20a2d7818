//! What the pages of staff cost, with few people and with many: the list at its beginning and deep in it, filtered and
//! searched, the file, the overview, and the list of programs.
//!
//! `tests/run -- cargo bench --bench lists` takes 1,000 and 1,000,000 people on both engines; other numbers are given behind
//! `--`. The people are made by the engine itself, so the first page finds a table of which no row is true.
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

#[path = "support/people.rs"]
mod people;
#[path = "support/servers.rs"]
mod servers;

use std::{
    env, fs,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use data_encoding::BASE64URL_NOPAD;
use people::Seeded;

/// Each page is asked for so often.
const TIMES: usize = 15;

fn main() {
    let given: Vec<i64> = env::args().skip(1).filter_map(|number| number.parse().ok()).collect();
    let sizes = if given.is_empty() { vec![1_000, 1_000_000] } else { given };
    for people in sizes {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let file = folder.path().join("turnpike.db").display().to_string();
        measure("SQLite", folder.path(), &file, people);
        if let Some(database) = servers::Database::on_test_server() {
            let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            measure("PostgreSQL", folder.path(), &database.url(), people);
        }
    }
}

fn measure(engine: &str, folder: &std::path::Path, url: &str, people: i64) {
    println!("\n{people} people, {engine}; milliseconds, the median of {TIMES} and the longest");
    let address = servers::program_with(folder, url, &[("TURNPIKE_JOBS_INTERVAL_SECONDS", "0")]);
    let cookie = servers::cookie_of_a_member(address);
    let start = Instant::now();
    let seeded = Seeded::new(url, people);
    println!("{:<44} {:>9.1} s", "making the people", start.elapsed().as_secs_f64());
    let site = Site::new(address, &cookie);
    let (first, _) = site.get("/admin/subscribers");
    println!("{:<44} {:>9.1} s", "the first page of all, every row made anew", first.as_secs_f64());
    seeded.settle();
    let after = |sort: &str, key: &str| {
        format!("/admin/subscribers?sort={sort}&after={}", BASE64URL_NOPAD.encode(key.as_bytes()))
    };
    let middle = seeded.signed_up_at(people / 2);
    for (name, path) in [
        ("first page", "/admin/subscribers".to_owned()),
        ("first page by name", "/admin/subscribers?sort=name".to_owned()),
        ("first page by end", "/admin/subscribers?sort=end".to_owned()),
        ("deep page", after("sign_up", &format!("{{\"key\":{middle},\"id\":{}}}", people / 2))),
        ("deep page by name", after("name", "{\"key\":\"lovelace\",\"id\":1}")),
        ("status=active", "/admin/subscribers?status=active".to_owned()),
        ("status=past_due, by name", "/admin/subscribers?status=past_due&sort=name".to_owned()),
        ("plan=yearly, by end", "/admin/subscribers?plan=yearly&sort=end".to_owned()),
        ("unconfirmed", "/admin/subscribers?unconfirmed=yes".to_owned()),
        ("two subscriptions", "/admin/subscribers?twice=yes".to_owned()),
        ("status=active, plan=yearly", "/admin/subscribers?status=active&plan=yearly".to_owned()),
        ("status=past_due, plan=yearly", "/admin/subscribers?status=past_due&plan=yearly".to_owned()),
        (
            "status=active, unconfirmed, by name",
            "/admin/subscribers?status=active&unconfirmed=yes&sort=name".to_owned(),
        ),
        ("status=active, kind=trial: nobody", "/admin/subscribers?status=active&kind=trial".to_owned()),
        ("search: one person", format!("/admin/subscribers?q=p{}%40example.com", people / 3)),
        ("search: everybody", "/admin/subscribers?q=example.com".to_owned()),
        ("search: a common name", "/admin/subscribers?q=lovelace".to_owned()),
        ("search: two common names", "/admin/subscribers?q=grace+lovelace&sort=name".to_owned()),
        ("search: two letters", "/admin/subscribers?q=zz".to_owned()),
        ("search: nobody", "/admin/subscribers?q=nobodyatall".to_owned()),
        ("search: a common name, past_due", "/admin/subscribers?q=lovelace&status=past_due".to_owned()),
        ("search: an id of Stripe's", format!("/admin/subscribers?q=sub_{}", people / 10 * 5)),
        ("one person", format!("/admin/subscribers/usr_{}", people / 2)),
        ("the overview", "/admin".to_owned()),
        ("programs: first page", "/api/v1/subscribers".to_owned()),
        ("programs: 200 by name", "/api/v1/subscribers?limit=200&sort=name".to_owned()),
    ] {
        let times = if name == "the overview" { 3 } else { TIMES };
        let mut each: Vec<Duration> = (0..times).map(|_| site.get(&path).0).collect();
        each.sort_unstable();
        let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
        println!("{name:<44} {:>9.1} {:>9.1}", ms(each[times / 2]), ms(each[times - 1]));
    }
    let before = memory();
    let most = Watch::new();
    let (time, bytes) = site.get("/admin/subscribers.csv");
    let most = most.stop();
    println!(
        "{:<44} {:>9.1} s  {:.1} MB; memory before {:.0} MB, at most {:.0} MB",
        "the whole list as a file",
        time.as_secs_f64(),
        bytes as f64 / 1e6,
        before,
        most
    );
}

/// A browser with the session of an admin, and a program with a token.
struct Site {
    runtime: tokio::runtime::Runtime,
    client: reqwest::Client,
    address: SocketAddr,
    cookie: String,
}

impl Site {
    fn new(address: SocketAddr, cookie: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { runtime, client, address, cookie: cookie.to_owned() }
    }

    /// Reads an answer to its end, and keeps none of it. How long that took, and its length.
    fn get(&self, path: &str) -> (Duration, usize) {
        self.runtime.block_on(async {
            let start = Instant::now();
            let request = self.client.get(format!("http://{}{path}", self.address));
            let request = request.header("Cookie", &self.cookie).bearer_auth(people::TOKEN);
            let mut answer = request.send().await.unwrap();
            assert_eq!(answer.status(), 200, "{path}");
            let mut length = 0;
            while let Some(chunk) = answer.chunk().await.unwrap() {
                length += chunk.len();
            }
            (start.elapsed(), length)
        })
    }
}

/// Megabytes that this process, which is the server too, has in memory.
fn memory() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1_024.0
}

/// Looks at the memory every few milliseconds.
struct Watch(Arc<AtomicBool>, thread::JoinHandle<f64>);

impl Watch {
    fn new() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_over);
        let watching = thread::spawn(move || {
            let mut most = memory();
            while !seen.load(Ordering::Relaxed) {
                most = most.max(memory());
                thread::sleep(Duration::from_millis(5));
            }
            most
        });
        Self(is_over, watching)
    }

    fn stop(self) -> f64 {
        self.0.store(true, Ordering::Relaxed);
        self.1.join().unwrap()
    }
}

//! What the gate costs: a premium page behind the whole guard, against a bare handler that renders the same page.
//!
//! `cargo bench --bench gate`, or `tests/run -- cargo bench --bench gate` to have PostgreSQL measured too. All servers
//! run in this process, on as many workers as there are cores, and share them with the load: keep-alive connections
//! from one thread, a fixed number of requests in each round, rounds of all taking turns. The ratio of the medians is
//! what counts; requests per second depend on the machine.
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
    missing_docs,
    reason = "a measurement stops at the first thing that is not as expected, and prints"
)]

#[path = "support/load.rs"]
mod load;
#[path = "support/servers.rs"]
mod servers;

use std::time::Duration;

use load::Round;
use servers::Contestant;

const ROUNDS: usize = 7;
const REQUESTS: usize = 20_000;
const CONNECTIONS: usize = 16;

fn main() {
    let mut contestants = vec![servers::bare(), servers::gate_on_sqlite()];
    contestants.extend(servers::gate_on_postgres());
    let mut rounds: Vec<Vec<Round>> = contestants.iter().map(|_| Vec::new()).collect();
    for contestant in &contestants {
        measure(contestant, REQUESTS / 10);
    }
    for _ in 0..ROUNDS {
        for (contestant, rounds) in contestants.iter().zip(&mut rounds) {
            rounds.push(measure(contestant, REQUESTS));
        }
    }
    report(&contestants, &rounds);
}

fn measure(contestant: &Contestant, count: usize) -> Round {
    load::round(contestant.address, &contestant.requests, CONNECTIONS, count)
}

fn report(contestants: &[Contestant], rounds: &[Vec<Round>]) {
    let bare = median(rounds[0].iter().map(Round::rate).collect());
    println!("{ROUNDS} rounds of {REQUESTS} requests over {CONNECTIONS} connections, medians");
    println!("{:<22} {:>12} {:>10} {:>10} {:>10} {:>8}", "", "requests/s", "of bare", "p50", "p99", "bytes");
    for (contestant, rounds) in contestants.iter().zip(rounds) {
        let rate = median(rounds.iter().map(Round::rate).collect());
        let at = |share: f64| median(rounds.iter().map(|round| microseconds(round.percentile(share))).collect());
        println!(
            "{:<22} {rate:>12.0} {:>10.2} {:>7.0} µs {:>7.0} µs {:>8}",
            contestant.name,
            rate / bare,
            at(0.50),
            at(0.99),
            rounds[0].bytes,
        );
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

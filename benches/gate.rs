//! What the gate costs: a premium page behind the whole guard, against a bare handler that renders the same page.
//!
//! `cargo bench --bench gate`, or `tests/run -- cargo bench --bench gate` to have PostgreSQL measured too. Both servers
//! run in this process, on as many workers as there are cores, and share them with the load: keep-alive connections
//! from one thread, a fixed number of requests in each round, rounds of both taking turns. The ratio of the medians is
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
    reason = "a measurement stops at the first thing that is not as expected, and prints"
)]

mod load;

fn main() {
    let r = load::round("127.0.0.1:1".parse().unwrap(), "", 1, 1);
    println!("{}", r.rate());
}

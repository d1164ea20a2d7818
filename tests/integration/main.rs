//! Every test that looks at the whole program: one binary, so that it is linked once.
//!
//! `routes/` mirrors the URLs, `store/` holds the traps of the two databases, `mail/` is what people are told,
//! `architecture/` reads the source, `official_clients/` runs the scripts of `tests/clients`, `support/` is what they stand
//! on. Run them with `tests/run`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::float_arithmetic,
    missing_docs,
    reason = "a test stops at the first thing that is not as expected; names and messages document it"
)]

mod architecture;
mod journey;
mod log_of_a_run;
mod mail;
mod official_clients;
mod program;
mod proxies;
mod recorded;
mod routes;
mod store;
mod support;

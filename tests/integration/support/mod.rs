//! What the tests stand on.

pub mod browser;
pub mod client;
pub mod database;
pub mod postgres;
pub mod process;
pub mod raw;
pub mod source;
pub mod stripe;

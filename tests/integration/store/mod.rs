//! The traps of the two databases (`docs/architecture.md`, the database).

mod migrations;
mod sqlite;
mod startup;
mod writers;

//! The traps of the two databases (`docs/architecture.md`, the database).

mod sqlite;
mod startup;

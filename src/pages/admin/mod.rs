//! `/admin`: what staff see and do. Everybody else is told that there is no such page.

pub mod action;
pub mod asked;
pub mod audit;
pub mod chart;
mod csv_file;
pub mod events;
pub mod list_query;
mod monthly;
pub mod overview;
pub mod subscriber;
pub mod subscribers;
pub mod subscribers_csv;
pub mod token_revocation;
pub mod tokens;
pub mod why;

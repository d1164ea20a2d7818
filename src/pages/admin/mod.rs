//! `/admin`: what staff see and do. Everybody else is told that there is no such page.

pub mod list_query;
pub mod subscribers;
pub mod subscribers_csv;

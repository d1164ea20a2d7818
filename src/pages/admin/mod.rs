//! `/admin`: what staff see and do. Everybody else is told that there is no such page.

pub mod action;
pub mod list_query;
pub mod subscriber;
pub mod subscribers;
pub mod subscribers_csv;

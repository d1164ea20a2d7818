//! `/admin`: what staff see and do. Everybody else is told that there is no such page.

pub mod action;
pub mod asked;
pub mod audit;
mod csv_file;
pub mod events;
pub mod list_query;
pub mod subscriber;
pub mod subscribers;
pub mod subscribers_csv;
pub mod why;

use actix_web::HttpResponse;

use super::site::see_other;
use crate::auth::guard::Staff;

/// `/admin`: to the list, which is what is looked for first.
pub async fn home(_: Staff) -> HttpResponse {
    see_other("/admin/subscribers")
}

//! `/api/v1`: for programs. What is answered is described at `/api/v1/openapi.json`, from the same structs.

pub mod me;
pub mod openapi;
pub mod shapes;
pub mod subscribers;
mod words;

use actix_web::{
    HttpResponse,
    http::header::{CACHE_CONTROL, VARY},
};
use serde::Serialize;

/// An answer that nobody may keep.
fn answer(body: &impl Serialize) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .insert_header((VARY, "authorization, cookie"))
        .json(body)
}

//! `/_sandbox/…`: what scripts and tests do with the sandbox, in JSON.

pub mod acts;
pub mod checkout;
pub mod clock;
pub mod deliveries;
pub mod fail;
pub mod requests;

use actix_web::{HttpRequest, HttpResponse, http::header::ACCEPT};
use serde::de::DeserializeOwned;
use serde_json::json;

pub use fail::{Fault, Faults};
pub use requests::{Request, Requests};

/// 400 with a sentence.
fn refuse(reason: impl Into<String>) -> HttpResponse {
    HttpResponse::BadRequest().json(json!({"error": reason.into()}))
}

/// 404 with a sentence.
fn not_found(reason: impl Into<String>) -> HttpResponse {
    HttpResponse::NotFound().json(json!({"error": reason.into()}))
}

/// Reads a JSON body, of any content type.
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| error.to_string())
}

/// Does a browser ask?
fn wants_page(request: &HttpRequest) -> bool {
    request
        .headers()
        .get(ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"))
}

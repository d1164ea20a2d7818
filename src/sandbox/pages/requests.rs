//! What the app asked.

use actix_web::{HttpResponse, http::StatusCode};
use askama::Template;

use super::{When, page};
use crate::sandbox::control::Request;

struct Row {
    at: When,
    method: String,
    path: String,
    params: String,
    key: Option<String>,
    status: String,
}

#[derive(Template)]
#[template(path = "sandbox/requests.html")]
struct RequestsPage {
    rows: Vec<Row>,
}

pub fn show(requests: &[Request]) -> HttpResponse {
    let row = |request: &Request| Row {
        at: request.at.into(),
        method: request.method.clone(),
        path: request.path.clone(),
        params: serde_json::to_string_pretty(&request.form).unwrap_or_default(),
        key: request.idempotency_key.clone(),
        status: request.status.map_or_else(|| "…".to_owned(), |status| status.to_string()),
    };
    page(StatusCode::OK, &RequestsPage { rows: requests.iter().rev().take(100).map(row).collect() }, None)
}

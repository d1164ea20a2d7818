//! What the sandbox was asked: `GET /_sandbox/requests`.

use std::collections::VecDeque;

use actix_web::{HttpRequest, HttpResponse, web::Data};
use serde::Serialize;
use serde_json::{Value, json};

use super::wants_page;
use crate::sandbox::{api::Call, pages, shared::Sandbox};

const REMEMBERED: usize = 2_000;

/// One call of the API. The key is not kept.
#[expect(clippy::struct_field_names, reason = "the names are those of the JSON answer")]
#[derive(Clone, Serialize)]
pub struct Request {
    number: u64,
    pub at: i64,
    pub method: String,
    pub path: String,
    /// The parameters as a tree: `{"line_items": [{"price": "…"}]}`.
    pub params: Value,
    /// The parameters by the names that they were sent under: `{"line_items[0][price]": "…"}`.
    pub form: Value,
    pub idempotency_key: Option<String>,
    pub api_version: Option<String>,
    pub request_id: Option<String>,
    /// None while the answer is being made.
    pub status: Option<u16>,
}

impl Request {
    pub fn of(call: &Call, version: Option<&str>, at: i64) -> Self {
        Self {
            number: 0,
            at,
            method: call.method.clone(),
            path: call.path.clone(),
            params: call.params.tree(),
            form: call.params.flat(),
            idempotency_key: call.cause.idempotency_key.clone(),
            api_version: version.map(ToOwned::to_owned),
            request_id: call.cause.request_id.clone(),
            status: None,
        }
    }
}

#[derive(Default)]
pub struct Requests {
    last_number: u64,
    rows: VecDeque<Request>,
}

impl Requests {
    pub fn add(&mut self, request: Request) -> u64 {
        self.last_number += 1;
        self.rows.push_back(Request { number: self.last_number, ..request });
        while self.rows.len() > REMEMBERED {
            self.rows.pop_front();
        }
        self.last_number
    }

    pub fn answered(&mut self, number: u64, status: u16) {
        if let Some(row) = self.rows.iter_mut().rev().find(|row| row.number == number) {
            row.status = Some(status);
        }
    }

    pub fn all(&self) -> Vec<Request> {
        self.rows.iter().cloned().collect()
    }
}

pub async fn list(request: HttpRequest, sandbox: Data<Sandbox>) -> HttpResponse {
    let requests = sandbox.requests();
    if wants_page(&request) {
        return pages::requests::show(&requests);
    }
    HttpResponse::Ok().json(json!({"requests": requests}))
}

//! The clock: `GET` and `POST /_sandbox/clock`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Bytes, Data},
};
use serde::Deserialize;
use serde_json::json;

use super::{read, refuse, wants_page};
use crate::sandbox::{
    calendar::{DAY, rfc3339},
    pages,
    shared::Sandbox,
};

/// So far at once: enough for any plan, and for the machine.
pub const FARTHEST: i64 = 20 * 366 * DAY;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    now: Option<i64>,
    advance_seconds: Option<i64>,
}

pub async fn show(request: HttpRequest, sandbox: Data<Sandbox>) -> HttpResponse {
    if wants_page(&request) {
        return pages::home::show(sandbox).await;
    }
    answer(sandbox.now())
}

/// `{"now": UNIX}` or `{"advance_seconds": N}`: answers when everything that lies between has happened.
pub async fn set(body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let wish: Move = match read(&body) {
        Ok(wish) => wish,
        Err(reason) => return refuse(reason),
    };
    let seconds = match (wish.now, wish.advance_seconds) {
        (Some(now), None) => now.saturating_sub(sandbox.now()),
        (None, Some(seconds)) => seconds,
        _ => return refuse("Say either {\"now\": UNIX} or {\"advance_seconds\": N}."),
    };
    if seconds > FARTHEST {
        return refuse("The clock can't be moved by more than 20 years at once.");
    }
    match sandbox.advance(seconds) {
        Ok(now) => answer(now),
        Err(error) => refuse(error.to_string()),
    }
}

fn answer(now: i64) -> HttpResponse {
    HttpResponse::Ok().json(json!({"now": now, "time": rfc3339(now)}))
}

//! What was sent, and what was answered.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;

use super::{When, message, page, see_other};
use crate::sandbox::{
    delivery::Attempt,
    shared::Sandbox,
    world::{Cause, Event},
};

struct Row {
    event: String,
    kind: String,
    at: When,
    attempt: u32,
    good: bool,
    result: String,
    answer: String,
}

#[derive(Template)]
#[template(path = "sandbox/deliveries.html")]
struct DeliveriesPage {
    pending: Vec<(String, String, u32)>,
    rows: Vec<Row>,
}

pub fn show(sandbox: &Sandbox) -> HttpResponse {
    sandbox.look(|world| {
        let queue = &world.state.deliveries;
        let pending =
            queue.waiting().map(|(event, kind, attempts)| (event.to_owned(), kind.to_owned(), attempts)).collect();
        let rows = queue.log().rev().take(100).map(row).collect();
        page(StatusCode::OK, &DeliveriesPage { pending, rows }, None)
    })
}

fn row(attempt: &Attempt) -> Row {
    Row {
        event: attempt.event.clone(),
        kind: attempt.kind.clone(),
        at: attempt.at.into(),
        attempt: attempt.attempt,
        good: attempt.succeeded(),
        result: attempt.status.map(|status| status.to_string()).or_else(|| attempt.error.clone()).unwrap_or_default(),
        answer: attempt.answer.chars().take(300).collect(),
    }
}

pub async fn redeliver(event: Path<String>, sandbox: Data<Sandbox>) -> HttpResponse {
    let known = sandbox.change(Cause::default(), |world| {
        world.redeliver(&event);
        world.get::<Event>(&event).is_some()
    });
    if known {
        see_other("/_sandbox/deliveries")
    } else {
        message(
            StatusCode::NOT_FOUND,
            "No such event",
            "It may be too old: only the newest are kept.",
            Some(("/_sandbox/deliveries", "Back")),
        )
    }
}

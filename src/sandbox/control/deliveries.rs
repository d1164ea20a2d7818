//! What was sent and answered, and how it is sent: `/_sandbox/deliveries` and `/_sandbox/delivery`.

use std::time::{Duration, Instant};

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Bytes, Data, Query},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{read, refuse, wants_page};
use crate::sandbox::{
    delivery::{Attempt, SettingsPatch},
    pages,
    shared::Sandbox,
    world::Cause,
};

#[derive(Deserialize)]
pub struct Wish {
    /// Answer when nothing waits any more, or after so long.
    wait_ms: Option<u64>,
    /// With the exact text of each.
    #[serde(default)]
    body: Option<String>,
}

pub async fn list(request: HttpRequest, wish: Query<Wish>, sandbox: Data<Sandbox>) -> HttpResponse {
    if wants_page(&request) {
        return pages::deliveries::show(&sandbox);
    }
    let until = Instant::now() + Duration::from_millis(wish.wait_ms.unwrap_or(0).min(120_000));
    while sandbox.look(|world| world.state.deliveries.pending()) > 0 && Instant::now() < until {
        actix_web::rt::time::sleep(Duration::from_millis(10)).await;
    }
    let with_body = wish.body.as_deref().is_some_and(|text| text != "0" && text != "false");
    HttpResponse::Ok().json(sandbox.look(|world| {
        let queue = &world.state.deliveries;
        let waiting: Vec<Value> = queue
            .waiting()
            .map(|(event, kind, attempts)| json!({"event": event, "type": kind, "attempts": attempts}))
            .collect();
        let log: Vec<Value> = queue.log().map(|attempt| entry(attempt, with_body)).collect();
        json!({"pending": queue.pending(), "waiting": waiting, "deliveries": log})
    }))
}

fn entry(attempt: &Attempt, with_body: bool) -> Value {
    let mut entry = serde_json::to_value(attempt).unwrap_or_default();
    if let Some(fields) = entry.as_object_mut().filter(|_| with_body) {
        fields.insert("body".to_owned(), attempt.body.as_str().into());
    }
    entry
}

pub async fn settings(sandbox: Data<Sandbox>) -> HttpResponse {
    HttpResponse::Ok().json(sandbox.look(|world| world.state.deliveries.settings.clone()))
}

pub async fn set(body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let patch: SettingsPatch = match read(&body) {
        Ok(patch) => patch,
        Err(reason) => return refuse(reason),
    };
    let changed = sandbox.change(Cause::default(), |world| {
        let settings = world.state.deliveries.settings.patched(&patch)?;
        world.state.deliveries.set(settings.clone());
        Ok::<_, String>(settings)
    });
    match changed {
        Ok(settings) => HttpResponse::Ok().json(settings),
        Err(reason) => refuse(reason),
    }
}

//! What a person does on the checkout page: `POST /_sandbox/checkout/{session}`.

use actix_web::{
    HttpResponse,
    web::{Bytes, Data, Path},
};
use serde::Deserialize;
use serde_json::json;

use super::{not_found, read, refuse};
use crate::sandbox::{
    json::shape::Shape,
    shared::Sandbox,
    world::{BANK_SECONDS, Card, Cause, Outcome, Session, World},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Act {
    outcome: Outcome,
    /// What renewals are charged to.
    card: Option<Card>,
    /// When the bank of a delayed method answers.
    after_seconds: Option<u32>,
}

pub async fn finish(session: Path<String>, body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let act: Act = match read(&body) {
        Ok(act) => act,
        Err(reason) => return refuse(reason),
    };
    sandbox.change(Cause::default(), |world| {
        if world.get::<Session>(&session).is_none() {
            return not_found(format!("There is no checkout session {session}."));
        }
        match world.finish_checkout(
            &session,
            act.outcome,
            act.card.unwrap_or(Card::Works),
            act.after_seconds.unwrap_or(BANK_SECONDS),
        ) {
            Ok(()) => answer(world, &session),
            Err(reason) => HttpResponse::Conflict().json(json!({"error": reason})),
        }
    })
}

fn answer(world: &World, session: &str) -> HttpResponse {
    let mut body = Shape::Items.apply(world.json::<Session>(session));
    let address = world.get::<Session>(session).map(Session::return_address);
    if let Some(fields) = body.as_object_mut() {
        fields.insert("redirect_url".to_owned(), address.into());
    }
    HttpResponse::Ok().json(body)
}

//! What banks, card holders and the account's owner do.

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
    world::{AfterDunning, Card, Cause, Charge, Customer, Dispute, Event, Object, PaymentIntent, World},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewCard {
    card: Card,
}

/// `{"card": "works"|"declines"|"needs_second_step"}`: renewals are charged to such a card from now on.
pub async fn change_card(customer: Path<String>, body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let wish: NewCard = match read(&body) {
        Ok(wish) => wish,
        Err(reason) => return refuse(reason),
    };
    sandbox.change(Cause::default(), |world| {
        if world.get::<Customer>(&customer).is_none_or(|customer| customer.deleted) {
            return not_found(format!("There is no customer {customer}."));
        }
        world.change_card(&customer, wish.card);
        shown::<Customer>(world, &customer)
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Dunning {
    after_last_retry: AfterDunning,
}

/// `{"after_last_retry": "canceled"|"unpaid"|"past_due"}`.
pub async fn set_dunning(body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let wish: Dunning = match read(&body) {
        Ok(wish) => wish,
        Err(reason) => return refuse(reason),
    };
    sandbox.change(Cause::default(), |world| world.state.after_dunning = wish.after_last_retry);
    HttpResponse::Ok().json(json!({"after_last_retry": wish.after_last_retry}))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewDispute {
    charge: Option<String>,
    payment_intent: Option<String>,
    reason: Option<String>,
}

/// `{"charge": "ch_…"}` or `{"payment_intent": "pi_…"}`: the card holder's bank takes the money back for now.
pub async fn open_dispute(body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let wish: NewDispute = match read(&body) {
        Ok(wish) => wish,
        Err(reason) => return refuse(reason),
    };
    sandbox.change(Cause::default(), |world| {
        let of_intent = || world.get::<PaymentIntent>(wish.payment_intent.as_deref()?)?.latest_charge.clone();
        let Some(charge) = wish.charge.clone().or_else(of_intent) else {
            return refuse("Say which \"charge\" or \"payment_intent\".");
        };
        match world.get::<Charge>(&charge) {
            None => return not_found(format!("There is no charge {charge}.")),
            Some(charge) if !charge.succeeded() || charge.disputed || charge.refunded() => {
                return refuse("Only a charge that was paid, not refunded and not yet disputed can be disputed.");
            }
            Some(_) => {}
        }
        let dispute = world.dispute(&charge, wish.reason.as_deref().unwrap_or("fraudulent")).unwrap_or_default();
        shown::<Dispute>(world, &dispute)
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Won,
    Lost,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Closing {
    status: Verdict,
}

/// `{"status": "won"|"lost"}`, seen from the seller.
pub async fn close_dispute(dispute: Path<String>, body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let wish: Closing = match read(&body) {
        Ok(wish) => wish,
        Err(reason) => return refuse(reason),
    };
    sandbox.change(Cause::default(), |world| {
        match world.get::<Dispute>(&dispute) {
            None => return not_found(format!("There is no dispute {dispute}.")),
            Some(dispute) if !dispute.is_open() => return refuse("This dispute is closed already."),
            Some(_) => {}
        }
        world.close_dispute(&dispute, wish.status == Verdict::Won);
        shown::<Dispute>(world, &dispute)
    })
}

/// Sends an event again, as a person can do in Stripe's dashboard.
pub async fn redeliver(event: Path<String>, sandbox: Data<Sandbox>) -> HttpResponse {
    sandbox.change(Cause::default(), |world| {
        if world.get::<Event>(&event).is_none() {
            return not_found(format!("There is no event {event}."));
        }
        world.redeliver(&event);
        HttpResponse::Ok().json(json!({"event": *event, "pending": world.state.deliveries.pending()}))
    })
}

fn shown<T: Object>(world: &World, id: &str) -> HttpResponse {
    HttpResponse::Ok().json(Shape::Items.apply(world.json::<T>(id)))
}

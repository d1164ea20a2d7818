//! One customer: what they have and paid, and what their bank can do.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Bytes, Data, Path},
};
use askama::Template;

use super::{When, message, page, see_other};
use crate::sandbox::{
    api::params::Params,
    shared::Sandbox,
    world::{Card, Cause, Charge, Customer, Dispute, Metadata, Price, Subscription, World, money},
};

struct SubscriptionRow {
    id: String,
    price: String,
    status: String,
    start: When,
    end: When,
}

struct ChargeRow {
    id: String,
    amount: String,
    at: When,
    state: String,
    refundable: bool,
    dispute: Option<String>,
}

#[derive(Template)]
#[template(path = "sandbox/customer.html")]
struct CustomerPage {
    id: String,
    email: String,
    metadata: Vec<(String, String)>,
    subscriptions: Vec<SubscriptionRow>,
    charges: Vec<ChargeRow>,
}

pub async fn show(id: Path<String>, sandbox: Data<Sandbox>) -> HttpResponse {
    sandbox.look(|world| match world.get::<Customer>(&id) {
        None => unknown(),
        Some(customer) => page(StatusCode::OK, &customer_page(world, customer), None),
    })
}

fn unknown() -> HttpResponse {
    message(
        StatusCode::NOT_FOUND,
        "No such customer",
        "The sandbox knows no customer of this name.",
        Some(("/", "To the sandbox's first page")),
    )
}

fn customer_page(world: &World, customer: &Customer) -> CustomerPage {
    let charges = world.state.charges.iter().rev().filter(|charge| charge.customer.as_deref() == Some(&customer.id));
    CustomerPage {
        id: customer.id.clone(),
        email: customer.email.clone().unwrap_or_else(|| "(no e-mail)".to_owned()),
        metadata: customer.metadata.clone().into_iter().collect(),
        subscriptions: world
            .subscriptions_of(&customer.id)
            .into_iter()
            .rev()
            .map(|row| subscription_row(world, row))
            .collect(),
        charges: charges.map(|charge| charge_row(world, charge)).collect(),
    }
}

fn subscription_row(world: &World, subscription: &Subscription) -> SubscriptionRow {
    let price = subscription.items.first().and_then(|item| world.get::<Price>(&item.price));
    SubscriptionRow {
        id: subscription.id.clone(),
        price: price.map(Price::spell).unwrap_or_default(),
        status: subscription.status.word().replace('_', " "),
        start: subscription.period_start.into(),
        end: subscription.period_end.into(),
    }
}

fn charge_row(world: &World, charge: &Charge) -> ChargeRow {
    let dispute = world.state.disputes.iter().find(|dispute| dispute.charge == charge.id);
    let state = match (charge.succeeded(), dispute, charge.amount_refunded) {
        (false, ..) => "declined".to_owned(),
        (true, Some(dispute), _) => format!("disputed: {}", dispute.status.replace('_', " ")),
        (true, None, 0) => "paid".to_owned(),
        (true, None, back) if back >= charge.amount => "refunded".to_owned(),
        (true, None, back) => format!("paid, {} refunded", money(back, &charge.currency)),
    };
    ChargeRow {
        id: charge.id.clone(),
        amount: money(charge.amount, &charge.currency),
        at: charge.created.into(),
        state,
        refundable: charge.succeeded() && !charge.refunded() && !charge.disputed,
        dispute: dispute.filter(|dispute| dispute.is_open()).map(|dispute| dispute.id.clone()),
    }
}

pub async fn act(id: Path<String>, body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let form = Params::parse(&body);
    sandbox.change(Cause::default(), |world| {
        if world.get::<Customer>(&id).is_none_or(|customer| customer.deleted) {
            return unknown();
        }
        perform(world, &id, &form);
        see_other(&format!("/customers/{id}"))
    })
}

fn perform(world: &mut World, customer: &str, form: &Params) {
    let charge = form.filled("charge").and_then(|id| world.get::<Charge>(id));
    let open = charge
        .filter(|charge| {
            charge.customer.as_deref() == Some(customer) && charge.succeeded() && !charge.disputed && !charge.refunded()
        })
        .cloned();
    match (form.text("act").unwrap_or_default(), open) {
        ("refund", Some(charge)) => {
            let left = charge.amount - charge.amount_refunded;
            world.refund(&charge.id, left, Some("requested_by_customer".to_owned()), Metadata::new());
        }
        ("refund_half", Some(charge)) => {
            let half = ((charge.amount - charge.amount_refunded) / 2).max(1);
            world.refund(&charge.id, half, Some("requested_by_customer".to_owned()), Metadata::new());
        }
        ("dispute", Some(charge)) => drop(world.dispute(&charge.id, "fraudulent")),
        (verdict @ ("dispute_won" | "dispute_lost"), _) => {
            let open =
                form.filled("dispute").and_then(|id| world.get::<Dispute>(id)).filter(|dispute| dispute.is_open());
            if let Some(id) = open.map(|dispute| dispute.id.clone()) {
                world.close_dispute(&id, verdict == "dispute_won");
            }
        }
        ("card_works", _) => world.change_card(customer, Card::Works),
        ("card_declines", _) => world.change_card(customer, Card::Declines),
        ("card_second_step", _) => world.change_card(customer, Card::NeedsSecondStep),
        ("delete", _) => world.delete_customer(customer),
        _ => {}
    }
}

//! Receipts and invoices, as a person sees them.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;

use super::{When, message, page};
use crate::sandbox::{
    shared::Sandbox,
    world::{Charge, Customer, Invoice, money},
};

#[derive(Template)]
#[template(path = "sandbox/receipt.html")]
struct ReceiptPage {
    title: String,
    payer: String,
    at: When,
    rows: Vec<(String, String)>,
    total: String,
    state: String,
}

pub async fn invoice(id: Path<String>, sandbox: Data<Sandbox>) -> HttpResponse {
    sandbox.look(|world| {
        let Some(invoice) = world.get::<Invoice>(&id) else { return unknown() };
        let payer = world.get::<Customer>(&invoice.customer).and_then(|customer| customer.email.clone());
        let receipt = ReceiptPage {
            title: format!("Invoice {}", invoice.number.as_deref().unwrap_or("(draft)")),
            payer: payer.unwrap_or_else(|| invoice.customer.clone()),
            at: invoice.created.into(),
            rows: invoice
                .lines
                .iter()
                .map(|line| (line.description.clone(), money(line.amount, &invoice.currency)))
                .collect(),
            total: money(invoice.due(), &invoice.currency),
            state: invoice.status.word().to_owned(),
        };
        page(StatusCode::OK, &receipt, None)
    })
}

pub async fn charge(id: Path<String>, sandbox: Data<Sandbox>) -> HttpResponse {
    sandbox.look(|world| {
        let Some(charge) = world.get::<Charge>(&id) else { return unknown() };
        let payer = charge
            .customer
            .as_deref()
            .and_then(|id| world.get::<Customer>(id))
            .and_then(|customer| customer.email.clone());
        let state = match (charge.succeeded(), charge.amount_refunded) {
            (false, _) => "declined".to_owned(),
            (true, 0) => "paid".to_owned(),
            (true, back) => format!("{} refunded", money(back, &charge.currency)),
        };
        let receipt = ReceiptPage {
            title: "Receipt".to_owned(),
            payer: payer.unwrap_or_else(|| "A visitor".to_owned()),
            at: charge.created.into(),
            rows: vec![(format!("Visa ending in {}", charge.card.last4()), money(charge.amount, &charge.currency))],
            total: money(charge.amount - charge.amount_refunded, &charge.currency),
            state,
        };
        page(StatusCode::OK, &receipt, None)
    })
}

fn unknown() -> HttpResponse {
    message(
        StatusCode::NOT_FOUND,
        "No such receipt",
        "The sandbox has no receipt at this address.",
        Some(("/", "To the sandbox's first page")),
    )
}

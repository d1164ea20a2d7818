//! `/v1/invoices`.

use serde_json::Value;

use super::{ApiError, Call};
use crate::sandbox::{
    json::{invoice, payment},
    world::{Charge, Customer, Invoice, InvoiceStatus, PaymentIntent, PaymentMethod, Subscription, World},
};

pub fn list(world: &World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&[
        "collection_method",
        "created",
        "customer",
        "customer_account",
        "due_date",
        "ending_before",
        "limit",
        "starting_after",
        "status",
        "subscription",
    ])?;
    call.known::<Customer>(world, "customer")?;
    call.known::<Subscription>(world, "subscription")?;
    call.page::<Invoice>(world, |invoice| {
        call.wants("customer", Some(&invoice.customer))
            && call.wants("subscription", Some(&invoice.subscription))
            && call.wants("status", Some(invoice.status.word()))
    })
}

pub fn lines(world: &World, id: &str) -> Result<Value, ApiError> {
    Ok(invoice::lines(found(world, id)?, world.state))
}

pub fn pay(world: &mut World, call: &Call, id: &str) -> Result<Value, ApiError> {
    call.allow(&["forgive", "mandate", "off_session", "payment_method"])?;
    let invoice = found(world, id)?.clone();
    match invoice.status {
        InvoiceStatus::Paid => {
            return Err(ApiError {
                code: Some("invoice_already_paid"),
                ..ApiError::refused("Invoice is already paid")
            });
        }
        InvoiceStatus::Void => return Err(ApiError::refused("This invoice can not be paid: it is void.")),
        InvoiceStatus::Draft => world.finalize(id),
        InvoiceStatus::Open | InvoiceStatus::Uncollectible => {}
    }
    let paid = match call.params.filled("payment_method") {
        None => world.collect(id, false),
        Some(name) => {
            let missing = || ApiError::no_such(400, "PaymentMethod", name, "payment_method");
            let method = world.payment_method_named(name, &invoice.customer).ok_or_else(missing)?;
            let card = world.get::<PaymentMethod>(&method).ok_or_else(missing)?.card;
            world.collect_with(id, Some(&method), card, false)
        }
    };
    if paid {
        return Ok(world.json::<Invoice>(id));
    }
    let code = if failure_code(world, id).as_deref() == Some("authentication_required") {
        "authentication_required"
    } else {
        "card_declined"
    };
    Err(ApiError::card(code, payment::failure_message(code)))
}

fn failure_code(world: &World, id: &str) -> Option<String> {
    let intent = world.get::<PaymentIntent>(found(world, id).ok()?.payment_intent.as_deref()?)?;
    world.get::<Charge>(intent.latest_charge.as_deref()?)?.failure_code.clone()
}

pub fn void(world: &mut World, id: &str) -> Result<Value, ApiError> {
    if found(world, id)?.status != InvoiceStatus::Open {
        return Err(ApiError::refused("You can only void an invoice that is open."));
    }
    world.void(id);
    Ok(world.json::<Invoice>(id))
}

fn found<'w>(world: &'w World, id: &str) -> Result<&'w Invoice, ApiError> {
    world.get::<Invoice>(id).ok_or_else(|| ApiError::no_such(404, "invoice", id, "invoice"))
}

//! Payments: what Stripe tells of money that moved, or did not (`docs/rules.md §6`).
//!
//! Everything here runs inside the transaction of an event, and every order of the events of one payment ends the same.
//! A payment's row begins with an event that tells what was bought and by whom: a checkout session in mode `payment`, or
//! an invoice. What comes before that waits in the journal. Of all payments only prepaid ones open anything.

mod charge;
mod invoice;
mod ledger;
mod owner;
mod session;

use chrono::{DateTime, Utc};

pub(super) use self::{
    charge::{charge, dispute, invoice_payment},
    invoice::invoice,
    session::session,
};
use super::{
    Rules,
    event::{ChargeObject, CheckoutSessionObject, DisputeObject, Event, InvoiceObject, InvoicePaymentObject},
};
use crate::domain::{money::Currency, notice::Amount};

/// An event at work.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    /// What has to be known to apply it.
    pub(super) rules: &'a Rules,
    /// What came.
    pub(super) event: &'a Event,
    /// The time.
    pub(super) now: DateTime<Utc>,
}

/// The id by which an event waits for its payment: that of the payment intent, as far as it says one.
pub(super) fn waits_for(event: &Event) -> Option<String> {
    let (object, kind) = (&event.object, event.kind.as_str());
    if kind.starts_with("charge.dispute.") {
        DisputeObject::from_value(object).and_then(|one| one.payment_intent.or(one.charge))
    } else if kind.starts_with("charge.") {
        ChargeObject::from_value(object).map(|one| one.payment_intent.unwrap_or(one.id))
    } else if kind.starts_with("checkout.session.") {
        CheckoutSessionObject::from_value(object).and_then(|one| one.payment_intent)
    } else if kind.starts_with("invoice_payment.") {
        // It is what tells the intent: it waits for the invoice.
        InvoicePaymentObject::from_value(object).and_then(|one| one.invoice)
    } else if kind.starts_with("invoice.") {
        InvoiceObject::from_value(object).map(|one| one.id)
    } else {
        None
    }
}

fn amount(minor: i64, currency: Option<Currency>) -> Option<Amount> {
    Some(Amount { minor, currency: currency?.as_str().to_owned() })
}

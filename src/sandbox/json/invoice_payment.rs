//! Invoice payments.

use serde_json::{Value, json};

use super::list;
use crate::sandbox::world::{Invoice, InvoicePayment, Object, State};

pub fn invoice_payment(row: &InvoicePayment, _: &State) -> Value {
    json!({
        "id": row.id,
        "object": "invoice_payment",
        "amount_paid": row.paid_at.map(|_| row.amount),
        "amount_requested": row.amount,
        "created": row.created,
        "currency": row.currency,
        "invoice": row.invoice,
        "is_default": true,
        "livemode": false,
        "payment": {"payment_intent": row.payment_intent, "type": "payment_intent"},
        "status": row.status(),
        "status_transitions": {"canceled_at": row.canceled_at, "paid_at": row.paid_at},
    })
}

/// The payments of an invoice, which the API shows only when asked.
pub fn payments(invoice: &Invoice, state: &State) -> Value {
    let mine = state.invoice_payments.iter().filter(|row| row.invoice == invoice.id);
    let data: Vec<Value> = mine.map(|row| row.json(state)).collect();
    list::whole(&format!("/v1/invoice_payments?invoice={}", invoice.id), &data)
}

//! `/v1/invoice_payments`.

use serde_json::Value;

use super::{ApiError, Call};
use crate::sandbox::world::{Invoice, InvoicePayment, World};

pub fn list(world: &World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&["created", "ending_before", "invoice", "limit", "payment", "starting_after", "status"])?;
    call.word("status", &["open", "paid", "canceled"])?;
    call.known::<Invoice>(world, "invoice")?;
    if call.params.has("payment") {
        call.required("payment[type]")?;
    }
    let kind = call.word("payment[type]", &["payment_intent", "payment_record"])?.unwrap_or("payment_intent");
    call.page::<InvoicePayment>(world, |row| {
        kind == "payment_intent"
            && call.wants("invoice", Some(&row.invoice))
            && call.wants("payment[payment_intent]", Some(&row.payment_intent))
            && call.wants("status", Some(row.status()))
    })
}

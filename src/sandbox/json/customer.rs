//! Customers.

use serde_json::{Value, json};

use crate::sandbox::world::{Customer, InvoiceStatus, State};

pub fn customer(customer: &Customer, state: &State) -> Value {
    if customer.deleted {
        return json!({"id": customer.id, "object": "customer", "deleted": true});
    }
    let owes = state.invoices.iter().any(|invoice| {
        invoice.customer == customer.id && invoice.status == InvoiceStatus::Open && invoice.attempt_count > 0
    });
    let currency =
        state.invoices.iter().find(|invoice| invoice.customer == customer.id).map(|invoice| &invoice.currency);
    json!({
        "id": customer.id,
        "object": "customer",
        "address": customer.address,
        "balance": 0,
        "created": customer.created,
        "currency": currency,
        "default_source": null,
        "delinquent": owes,
        "description": customer.description,
        "discount": null,
        "email": customer.email,
        "invoice_prefix": "TURNPIKE",
        "invoice_settings": {
            "custom_fields": null,
            "default_payment_method": customer.default_payment_method,
            "footer": null,
            "rendering_options": null,
        },
        "livemode": false,
        "metadata": customer.metadata,
        "name": customer.name,
        "next_invoice_sequence": 1,
        "phone": customer.phone,
        "preferred_locales": customer.preferred_locales,
        "shipping": null,
        "tax_exempt": "none",
        "test_clock": null,
    })
}

//! Invoices and their lines.

use serde_json::{Value, json};

use super::{catalog, join, list};
use crate::sandbox::world::{Invoice, InvoiceStatus, Line, Object, PaymentIntent, Price, State};

pub fn invoice(invoice: &Invoice, state: &State) -> Value {
    join([facts(invoice, state), customer(invoice, state), settings(), amounts(invoice), legacy(invoice, state)])
}

fn facts(invoice: &Invoice, state: &State) -> Value {
    let hosted = invoice.number.as_ref().map(|_| format!("{}/invoices/{}", state.base, invoice.id));
    json!({
        "id": invoice.id,
        "object": "invoice",
        "account_country": "DE",
        "account_name": "Turnpike sandbox",
        "attempt_count": invoice.attempt_count,
        "attempted": invoice.attempt_count > 0,
        "auto_advance": invoice.auto_advance && matches!(invoice.status, InvoiceStatus::Draft | InvoiceStatus::Open),
        "automatically_finalizes_at": invoice.finalizes_at,
        "billing_reason": invoice.reason.word(),
        "created": invoice.created,
        "currency": invoice.currency,
        "effective_at": invoice.finalized_at,
        "hosted_invoice_url": hosted,
        "invoice_pdf": hosted,
        "lines": lines(invoice, state),
        "next_payment_attempt": invoice.next_attempt.or(invoice.finalizes_at),
        "number": invoice.number,
        "parent": {
            "type": "subscription_details",
            "quote_details": null,
            "subscription_details": {"metadata": invoice.subscription_metadata, "subscription": invoice.subscription},
        },
        "period_end": invoice.period_end,
        "period_start": invoice.period_start,
    })
}

fn customer(invoice: &Invoice, state: &State) -> Value {
    let customer = state.customers.get(&invoice.customer);
    json!({
        "customer": invoice.customer,
        "customer_account": null,
        "customer_address": customer.and_then(|customer| customer.address.clone()),
        "customer_email": customer.and_then(|customer| customer.email.clone()),
        "customer_name": customer.and_then(|customer| customer.name.clone()),
        "customer_phone": customer.and_then(|customer| customer.phone.clone()),
        "customer_shipping": null,
        "customer_tax_exempt": "none",
        "customer_tax_ids": [],
    })
}

/// What nobody can set here.
fn settings() -> Value {
    json!({
        "account_tax_ids": null,
        "application": null,
        "automatic_tax": {"disabled_reason": null, "enabled": false, "liability": null, "provider": null, "status": null},
        "collection_method": "charge_automatically",
        "custom_fields": null,
        "default_payment_method": null,
        "default_source": null,
        "default_tax_rates": [],
        "description": null,
        "discounts": [],
        "due_date": null,
        "footer": null,
        "from_invoice": null,
        "issuer": {"type": "self"},
        "last_finalization_error": null,
        "latest_revision": null,
        "livemode": false,
        "metadata": {},
        "on_behalf_of": null,
        "payment_settings": {"default_mandate": null, "payment_method_options": null, "payment_method_types": null},
    })
}

fn amounts(invoice: &Invoice) -> Value {
    let (total, due) = (invoice.total(), invoice.due());
    let paid = invoice.status == InvoiceStatus::Paid;
    let remaining = if paid || invoice.status == InvoiceStatus::Void { 0 } else { due };
    json!({
        "amount_due": due,
        "amount_overpaid": 0,
        "amount_paid": if paid { due } else { 0 },
        "amount_paid_off_stripe": 0,
        "amount_remaining": remaining,
        "amount_shipping": 0,
        "ending_balance": invoice.finalized_at.map(|_| 0),
        "post_payment_credit_notes_amount": 0,
        "pre_payment_credit_notes_amount": 0,
        "receipt_number": null,
        "rendering": null,
        "shipping_cost": null,
        "shipping_details": null,
        "starting_balance": 0,
        "statement_descriptor": null,
        "status": invoice.status.word(),
        "status_transitions": {
            "finalized_at": invoice.finalized_at,
            "marked_uncollectible_at": invoice.uncollectible_at,
            "paid_at": invoice.paid_at,
            "voided_at": invoice.voided_at,
        },
        "subtotal": total,
        "subtotal_excluding_tax": total,
        "test_clock": null,
        "total": total,
        "total_discount_amounts": [],
        "total_excluding_tax": total,
        "total_pretax_credit_amounts": [],
        "total_taxes": [],
        "webhooks_delivered_at": null,
    })
}

fn legacy(invoice: &Invoice, state: &State) -> Value {
    let intent = invoice.payment_intent.as_deref().and_then(|id| PaymentIntent::table(state).get(id));
    json!({"_legacy": {
        "charge": intent.and_then(|intent| intent.latest_charge.clone()),
        "discount": null,
        "paid": invoice.status == InvoiceStatus::Paid,
        "paid_out_of_band": false,
        "payment_intent": invoice.payment_intent,
        "quote": null,
        "subscription": invoice.subscription,
        "subscription_details": {"metadata": invoice.subscription_metadata},
        "tax": null,
        "total_tax_amounts": [],
        "transfer_data": null,
    }})
}

/// The lines of an invoice.
pub fn lines(invoice: &Invoice, state: &State) -> Value {
    let data: Vec<Value> = invoice.lines.iter().map(|row| line(row, invoice, state)).collect();
    list::whole(&format!("/v1/invoices/{}/lines", invoice.id), &data)
}

fn line(line: &Line, invoice: &Invoice, state: &State) -> Value {
    let price = Price::table(state).get(&line.price);
    json!({
        "id": line.id,
        "object": "line_item",
        "amount": line.amount,
        "currency": invoice.currency,
        "description": line.description,
        "discount_amounts": [],
        "discountable": !line.proration,
        "discounts": [],
        "invoice": invoice.id,
        "livemode": false,
        "metadata": invoice.subscription_metadata,
        "parent": {
            "type": "subscription_item_details",
            "invoice_item_details": null,
            "subscription_item_details": {
                "invoice_item": null,
                "proration": line.proration,
                "proration_details": null,
                "subscription": invoice.subscription,
                "subscription_item": line.item,
            },
        },
        "period": {"start": line.period_start, "end": line.period_end},
        "pretax_credit_amounts": [],
        "pricing": {
            "type": "price_details",
            "price_details": {"price": line.price, "product": price.map_or("", |price| price.product.as_str())},
            "unit_amount_decimal": price.map(|price| price.unit_amount.to_string()),
        },
        "quantity": line.quantity,
        "quantity_decimal": line.quantity.to_string(),
        "subtotal": line.amount,
        "taxes": [],
        "_legacy": {
            "amount_excluding_tax": line.amount,
            "plan": price.map(catalog::plan),
            "price": price.map(|price| price.json(state)),
            "proration": line.proration,
            "proration_details": {"credited_items": null},
            "subscription": invoice.subscription,
            "subscription_item": line.item,
            "tax_amounts": [],
            "tax_rates": [],
            "type": "subscription",
            "unit_amount_excluding_tax": price.map(|price| price.unit_amount.to_string()),
        },
    })
}

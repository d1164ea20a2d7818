//! Checkout sessions.

use serde_json::{Value, json};

use super::{join, list, nulls};
use crate::sandbox::world::{LineItem, Mode, Object, Phase, Price, Product, Session, State};

pub fn session(session: &Session, state: &State) -> Value {
    let open = session.phase == Phase::Open;
    let buyer = session.customer.as_deref().and_then(|id| state.customers.get(id));
    let email = buyer.and_then(|customer| customer.email.clone()).or_else(|| session.customer_email.clone());
    let details = (session.phase == Phase::Complete || email.is_some()).then(|| {
        json!({
            "address": null,
            "business_name": null,
            "email": email,
            "individual_name": null,
            "name": buyer.and_then(|customer| customer.name.clone()),
            "phone": buyer.and_then(|customer| customer.phone.clone()),
            "tax_exempt": "none",
            "tax_ids": [],
        })
    });
    let creation = match session.mode {
        Mode::Subscription => session.customer.is_none().then(|| "always".to_owned()),
        Mode::Payment => session.customer_creation.clone(),
    };
    join([
        json!({
            "id": session.id,
            "object": "checkout.session",
            "allow_promotion_codes": session.allow_promotion_codes,
            "amount_subtotal": session.amount_subtotal,
            "amount_total": session.amount_total,
            "automatic_tax": {"enabled": false, "liability": null, "provider": null, "status": null},
            "billing_address_collection": session.billing_address_collection,
            "cancel_url": session.cancel_url,
            "client_reference_id": session.client_reference_id,
            "created": session.created,
            "currency": session.currency,
            "custom_fields": [],
            "custom_text": {"after_submit": null, "shipping_address": null, "submit": null, "terms_of_service_acceptance": null},
            "customer": session.customer,
            "customer_creation": creation,
            "customer_details": details,
            "customer_email": session.customer_email,
            "discounts": [],
            "expires_at": session.expires_at,
            "invoice": session.invoice,
            "livemode": false,
            "locale": session.locale,
            "metadata": session.metadata,
            "mode": match session.mode { Mode::Payment => "payment", Mode::Subscription => "subscription" },
            "payment_intent": session.payment_intent,
            "payment_method_collection": session.payment_method_collection,
            "payment_method_options": {},
            "payment_method_types": ["card"],
            "payment_status": session.payment_status,
            "phone_number_collection": {"enabled": false},
            "shipping_options": [],
            "status": match session.phase { Phase::Open => "open", Phase::Complete => "complete", Phase::Expired => "expired" },
            "subscription": session.subscription,
            "success_url": session.success_url,
            "total_details": {"amount_discount": 0, "amount_shipping": 0, "amount_tax": 0},
            "ui_mode": "hosted_page",
            "url": open.then(|| page_address(session, state)),
            "_legacy": {"ui_mode": "hosted"},
        }),
        nulls(&[
            "adaptive_pricing",
            "after_expiration",
            "client_secret",
            "collected_information",
            "consent",
            "consent_collection",
            "currency_conversion",
            "customer_account",
            "invoice_creation",
            "origin_context",
            "payment_link",
            "payment_method_configuration_details",
            "permissions",
            "recovered_from",
            "saved_payment_method_options",
            "setup_intent",
            "shipping_address_collection",
            "shipping_cost",
            "submit_type",
            "wallet_options",
        ]),
    ])
}

/// The page where the session is paid.
pub fn page_address(session: &Session, state: &State) -> String {
    format!("{}/c/pay/{}", state.base, session.id)
}

/// The lines of a session, which the API shows only when asked.
pub fn line_items(session: &Session, state: &State) -> Value {
    let data: Vec<Value> = session.line_items.iter().filter_map(|item| line_item(item, state)).collect();
    list::whole(&format!("/v1/checkout/sessions/{}/line_items", session.id), &data)
}

fn line_item(item: &LineItem, state: &State) -> Option<Value> {
    let price = Price::table(state).get(&item.price)?;
    let amount = price.unit_amount.saturating_mul(item.quantity);
    Some(json!({
        "id": item.id,
        "object": "item",
        "adjustable_quantity": null,
        "amount_discount": 0,
        "amount_subtotal": amount,
        "amount_tax": 0,
        "amount_total": amount,
        "currency": price.currency,
        "description": Product::table(state).get(&price.product).map(|product| &product.name),
        "metadata": {},
        "price": price.json(state),
        "quantity": item.quantity,
    }))
}

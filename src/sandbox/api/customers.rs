//! `/v1/customers`.

use serde_json::{Value, json};

use super::{ApiError, Call};
use crate::sandbox::world::{Customer, World};

const WRITABLE: [&str; 24] = [
    "address",
    "balance",
    "business_name",
    "cash_balance",
    "default_source",
    "description",
    "email",
    "individual_name",
    "invoice_prefix",
    "invoice_settings",
    "metadata",
    "name",
    "next_invoice_sequence",
    "payment_method",
    "phone",
    "preferred_locales",
    "shipping",
    "source",
    "tax",
    "tax_exempt",
    "tax_id_data",
    "test_clock",
    "card",
    "bank_account",
];

pub fn create(world: &mut World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&WRITABLE)?;
    let mut details = Customer::default();
    write(call, &mut details)?;
    let id = world.create_customer(details);
    set_card(world, call, &id)?;
    Ok(world.json::<Customer>(&id))
}

pub fn update(world: &mut World, call: &Call, id: &str) -> Result<Value, ApiError> {
    call.allow(&WRITABLE)?;
    let known = world.get::<Customer>(id).filter(|customer| !customer.deleted);
    let mut details = known.cloned().ok_or_else(|| ApiError::no_such(404, "customer", id, "id"))?;
    write(call, &mut details)?;
    world.update::<Customer>(id, "customer.updated", |customer| *customer = details);
    set_card(world, call, id)?;
    Ok(world.json::<Customer>(id))
}

pub fn delete(world: &mut World, id: &str) -> Result<Value, ApiError> {
    if world.get::<Customer>(id).is_none_or(|customer| customer.deleted) {
        return Err(ApiError::no_such(404, "customer", id, "id"));
    }
    world.delete_customer(id);
    Ok(world.json::<Customer>(id))
}

pub fn list(world: &World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&["created", "email", "ending_before", "limit", "starting_after", "test_clock"])?;
    call.page::<Customer>(world, |customer| !customer.deleted && call.wants("email", customer.email.as_deref()))
}

fn write(call: &Call, customer: &mut Customer) -> Result<(), ApiError> {
    if call.params.filled("email").is_some_and(|email| !email.contains('@')) {
        let message = format!("Invalid email address: {}", call.params.text("email").unwrap_or_default());
        return Err(ApiError { code: Some("email_invalid"), ..ApiError::invalid(message, "email") });
    }
    let fields = [
        ("email", &mut customer.email),
        ("name", &mut customer.name),
        ("phone", &mut customer.phone),
        ("description", &mut customer.description),
    ];
    for (name, field) in fields {
        if call.params.text(name).is_some() {
            *field = call.params.filled(name).map(ToOwned::to_owned);
        }
    }
    if call.params.has("address") {
        let part = |name: &str| call.params.filled(&format!("address[{name}]"));
        customer.address = Some(json!({
            "city": part("city"), "country": part("country"), "line1": part("line1"), "line2": part("line2"),
            "postal_code": part("postal_code"), "state": part("state"),
        }));
    }
    if call.params.has("preferred_locales") {
        customer.preferred_locales = call.params.list("preferred_locales").into_iter().map(ToOwned::to_owned).collect();
    }
    call.params.merge_metadata("metadata", &mut customer.metadata);
    Ok(())
}

/// A card by one of its names: our own id, or one of Stripe's names for tests.
fn set_card(world: &mut World, call: &Call, id: &str) -> Result<(), ApiError> {
    for name in ["invoice_settings[default_payment_method]", "payment_method", "source"] {
        let Some(wanted) = call.params.filled(name) else { continue };
        let method = world
            .payment_method_named(wanted, id)
            .ok_or_else(|| ApiError::no_such(400, "PaymentMethod", wanted, name))?;
        world.update::<Customer>(id, "customer.updated", |customer| customer.default_payment_method = Some(method));
    }
    Ok(())
}

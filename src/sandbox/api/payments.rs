//! `/v1/payment_methods`, `/v1/payment_intents`, `/v1/charges`.

use serde_json::Value;

use super::{ApiError, Call};
use crate::sandbox::world::{Charge, Customer, PaymentIntent, PaymentMethod, World};

pub fn of_customer(world: &World, call: &Call, customer: &str) -> Result<Value, ApiError> {
    call.allow(&["allow_redisplay", "ending_before", "limit", "starting_after", "type"])?;
    call.page::<PaymentMethod>(world, |method| {
        method.customer.as_deref() == Some(customer) && call.wants("type", Some("card"))
    })
}

pub fn attach(world: &mut World, call: &Call, id: &str) -> Result<Value, ApiError> {
    call.allow(&["customer", "customer_account"])?;
    let customer = call.customer(world, "customer")?;
    let method = world
        .payment_method_named(id, &customer)
        .ok_or_else(|| ApiError::no_such(404, "PaymentMethod", id, "payment_method"))?;
    Ok(world.json::<PaymentMethod>(&method))
}

pub fn intents(world: &World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&["created", "customer", "customer_account", "ending_before", "limit", "starting_after"])?;
    call.known::<Customer>(world, "customer")?;
    call.page::<PaymentIntent>(world, |intent| call.wants("customer", intent.customer.as_deref()))
}

pub fn charges(world: &World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&[
        "created",
        "customer",
        "ending_before",
        "limit",
        "payment_intent",
        "starting_after",
        "transfer_group",
    ])?;
    call.known::<Customer>(world, "customer")?;
    call.page::<Charge>(world, |charge| {
        call.wants("customer", charge.customer.as_deref()) && call.wants("payment_intent", Some(&charge.payment_intent))
    })
}

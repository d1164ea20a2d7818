//! `/v1/refunds`.

use serde_json::Value;

use super::{ApiError, Call};
use crate::sandbox::world::{Charge, PaymentIntent, Refund, World};

pub fn create(world: &mut World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&[
        "amount",
        "charge",
        "currency",
        "customer",
        "instructions_email",
        "metadata",
        "origin",
        "payment_intent",
        "reason",
        "refund_application_fee",
        "reverse_transfer",
    ])?;
    let charge = charge_of(world, call)?;
    let left = charge.amount - charge.amount_refunded;
    if !charge.succeeded() {
        return Err(ApiError::invalid(format!("Charge {} can't be refunded: it was not paid.", charge.id), "charge"));
    }
    if charge.disputed {
        return Err(ApiError {
            code: Some("charge_disputed"),
            ..ApiError::refused(format!("Charge {} has been charged back; cannot issue a refund.", charge.id))
        });
    }
    if left == 0 {
        return Err(ApiError {
            code: Some("charge_already_refunded"),
            ..ApiError::refused(format!("Charge {} has already been refunded.", charge.id))
        });
    }
    let amount = call.params.integer("amount")?.unwrap_or(left);
    if amount < 1 || amount > left {
        return Err(ApiError::invalid(
            format!("Refund amount ({amount}) is greater than unrefunded amount on charge ({left}), or less than 1."),
            "amount",
        ));
    }
    let reason = call.word("reason", &["duplicate", "fraudulent", "requested_by_customer"])?.map(ToOwned::to_owned);
    let id = charge.id.clone();
    let refund = world.refund(&id, amount, reason, call.params.metadata("metadata")).unwrap_or_default();
    Ok(world.json::<Refund>(&refund))
}

fn charge_of<'w>(world: &'w World, call: &Call) -> Result<&'w Charge, ApiError> {
    if let Some(id) = call.params.filled("charge") {
        return world.get::<Charge>(id).ok_or_else(|| ApiError::no_such(404, "charge", id, "charge"));
    }
    let id = call.required("payment_intent")?;
    let intent =
        world.get::<PaymentIntent>(id).ok_or_else(|| ApiError::no_such(404, "payment_intent", id, "payment_intent"))?;
    let charge = intent.latest_charge.as_deref().and_then(|id| world.get::<Charge>(id));
    charge.ok_or_else(|| {
        ApiError::invalid("This PaymentIntent does not have a successful charge to refund.", "payment_intent")
    })
}

pub fn list(world: &World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&["charge", "created", "ending_before", "limit", "payment_intent", "starting_after"])?;
    call.page::<Refund>(world, |refund| {
        call.wants("charge", Some(&refund.charge)) && call.wants("payment_intent", Some(&refund.payment_intent))
    })
}

//! `/v1/disputes`.

use serde_json::Value;

use super::{ApiError, Call};
use crate::sandbox::world::{Dispute, World};

pub fn list(world: &World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&["charge", "created", "ending_before", "limit", "payment_intent", "starting_after"])?;
    call.page::<Dispute>(world, |dispute| {
        call.wants("charge", Some(&dispute.charge)) && call.wants("payment_intent", Some(&dispute.payment_intent))
    })
}

/// Not to fight: the dispute is lost.
pub fn close(world: &mut World, id: &str) -> Result<Value, ApiError> {
    let dispute = world.get::<Dispute>(id).ok_or_else(|| ApiError::no_such(404, "dispute", id, "dispute"))?;
    if !dispute.is_open() {
        return Err(ApiError::refused("This dispute is already closed."));
    }
    world.close_dispute(id, false);
    Ok(world.json::<Dispute>(id))
}

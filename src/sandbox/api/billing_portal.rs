//! `/v1/billing_portal/sessions`.

use serde_json::Value;

use super::{ApiError, Call};
use crate::sandbox::{
    ids,
    world::{PortalSession, World},
};

pub fn create(world: &mut World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&[
        "configuration",
        "customer",
        "customer_account",
        "flow_data",
        "locale",
        "on_behalf_of",
        "return_url",
    ])?;
    let customer = call.customer(world, "customer")?;
    let id = ids::new("bps_");
    let text = |name: &str| call.params.filled(name).map(ToOwned::to_owned);
    world.state.portal_sessions.add(PortalSession {
        id: id.clone(),
        created: world.now,
        customer,
        return_url: text("return_url"),
        locale: text("locale"),
    });
    world.tell::<PortalSession>("billing_portal.session.created", &id);
    Ok(world.json::<PortalSession>(&id))
}

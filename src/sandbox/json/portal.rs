//! Billing portal sessions.

use serde_json::{Value, json};

use crate::sandbox::world::{PortalSession, State};

pub fn portal_session(session: &PortalSession, state: &State) -> Value {
    json!({
        "id": session.id,
        "object": "billing_portal.session",
        "configuration": "bpc_sandbox",
        "created": session.created,
        "customer": session.customer,
        "customer_account": null,
        "flow": null,
        "livemode": false,
        "locale": session.locale,
        "on_behalf_of": null,
        "return_url": session.return_url,
        "url": format!("{}/p/session/{}", state.base, session.id),
    })
}

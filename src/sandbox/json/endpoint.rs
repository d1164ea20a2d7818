//! Webhook endpoints.

use serde_json::{Value, json};

use crate::sandbox::world::{State, WebhookEndpoint};

/// The secret is shown only in the answer that makes the endpoint.
pub fn webhook_endpoint(endpoint: &WebhookEndpoint, _: &State) -> Value {
    json!({
        "id": endpoint.id,
        "object": "webhook_endpoint",
        "api_version": endpoint.api_version,
        "application": null,
        "created": endpoint.created,
        "description": endpoint.description,
        "enabled_events": endpoint.enabled_events,
        "livemode": false,
        "metadata": endpoint.metadata,
        "status": if endpoint.enabled { "enabled" } else { "disabled" },
        "url": endpoint.url.clone().unwrap_or_default(),
    })
}

//! `/v1/webhook_endpoints`. Events go to this machine only.

use serde_json::{Value, json};
use url::{Host, Url};

use super::{ApiError, Call};
use crate::sandbox::{
    ids,
    world::{Object, WebhookEndpoint, World},
};

pub fn list(world: &World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&["ending_before", "limit", "starting_after"])?;
    call.page::<WebhookEndpoint>(world, |_| true)
}

pub fn create(world: &mut World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&["api_version", "connect", "description", "enabled_events", "metadata", "url"])?;
    let enabled_events = call.params.list("enabled_events");
    if enabled_events.is_empty() {
        return Err(ApiError::missing("enabled_events"));
    }
    let row = WebhookEndpoint {
        id: ids::new("we_"),
        created: world.now,
        url: Some(local_url(call)?),
        secret: ids::new("whsec_"),
        enabled: true,
        enabled_events: enabled_events.into_iter().map(ToOwned::to_owned).collect(),
        api_version: call.params.filled("api_version").map(ToOwned::to_owned),
        description: call.params.filled("description").map(ToOwned::to_owned),
        metadata: call.params.metadata("metadata"),
    };
    let mut answer = row.json(world.state);
    if let Value::Object(fields) = &mut answer {
        fields.insert("secret".to_owned(), row.secret.as_str().into());
    }
    world.state.webhook_endpoints.add(row);
    Ok(answer)
}

pub fn update(world: &mut World, call: &Call, id: &str) -> Result<Value, ApiError> {
    call.allow(&["description", "disabled", "enabled_events", "metadata", "url"])?;
    let mut row = found(world, id)?.clone();
    if call.params.filled("url").is_some() {
        row.url = Some(local_url(call)?);
    }
    let events = call.params.list("enabled_events");
    if !events.is_empty() {
        row.enabled_events = events.into_iter().map(ToOwned::to_owned).collect();
    }
    if let Some(disabled) = call.params.boolean("disabled")? {
        row.enabled = !disabled;
    }
    if let Some(text) = call.params.text("description") {
        row.description = Some(text.to_owned());
    }
    call.params.merge_metadata("metadata", &mut row.metadata);
    if !row.enabled {
        // What was on its way to it is not tried again.
        world.state.deliveries.forget_endpoint(id);
    }
    world.edit::<WebhookEndpoint>(id, |endpoint| *endpoint = row);
    Ok(world.json::<WebhookEndpoint>(id))
}

pub fn delete(world: &mut World, id: &str) -> Result<Value, ApiError> {
    found(world, id)?;
    world.state.webhook_endpoints.retain(|endpoint| endpoint.id != id);
    world.state.deliveries.forget_endpoint(id);
    Ok(json!({"id": id, "object": "webhook_endpoint", "deleted": true}))
}

fn found<'w>(world: &'w World, id: &str) -> Result<&'w WebhookEndpoint, ApiError> {
    world.get::<WebhookEndpoint>(id).ok_or_else(|| ApiError::no_such(404, "webhook endpoint", id, "webhook_endpoint"))
}

fn local_url(call: &Call) -> Result<String, ApiError> {
    let text = call.required("url")?;
    let url = Url::parse(text)
        .map_err(|_| ApiError { code: Some("url_invalid"), ..ApiError::invalid("Not a valid URL", "url") })?;
    let local = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    if local && url.scheme() == "http" {
        Ok(text.to_owned())
    } else {
        Err(ApiError::invalid(
            "The sandbox sends events to this machine only: use an address like http://127.0.0.1:8080/webhooks/stripe.",
            "url",
        ))
    }
}

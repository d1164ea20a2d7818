//! Events.

use serde_json::{Map, Value, json};

use crate::sandbox::world::{Event, State};

pub fn event(event: &Event, state: &State) -> Value {
    let shape = state.deliveries.settings.shape;
    let mut data = Map::new();
    data.insert("object".to_owned(), read(&event.object));
    if let Some(previous) = &event.previous {
        data.insert("previous_attributes".to_owned(), read(previous));
    }
    json!({
        "id": event.id,
        "object": "event",
        "api_version": shape.api_version(),
        "created": event.created,
        "data": data,
        "livemode": false,
        "pending_webhooks": state.deliveries.pending_for(&event.id),
        "request": {"id": event.request_id, "idempotency_key": event.idempotency_key},
        "type": event.kind,
    })
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

//! Events: what happened, with the object as it was then.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{WebhookEndpoint, World, table::object};
use crate::sandbox::ids;

/// As many events with their deliveries are kept; the oldest that were delivered go first.
const KEPT: usize = 1_000;

#[derive(Clone, Serialize, Deserialize)]
pub struct Event {
    pub id: String,
    pub kind: String,
    pub created: i64,
    /// JSON text: events are written to the file much more often than they are read.
    pub object: String,
    pub previous: Option<String>,
    pub request_id: Option<String>,
    pub idempotency_key: Option<String>,
}

impl World<'_> {
    pub fn emit_with(&mut self, kind: &str, object: &Value, previous: Option<&Value>) {
        let event = Event {
            id: ids::new("evt_"),
            kind: kind.to_owned(),
            created: self.now,
            object: object.to_string(),
            previous: previous.map(ToString::to_string),
            request_id: self.cause.request_id.clone(),
            idempotency_key: self.cause.idempotency_key.clone(),
        };
        let id = event.id.clone();
        self.state.events.add(event);
        self.state.unkept_events += 1;
        self.redeliver(&id);
        self.forget_old_events();
    }

    /// Sends an event to every endpoint that wants its kind.
    pub fn redeliver(&mut self, event: &str) {
        let Some(kind) = self.get::<Event>(event).map(|event| event.kind.clone()) else { return };
        let account = self.state.deliveries.settings.shape;
        let wants = |endpoint: &&WebhookEndpoint| {
            let knows = endpoint.shape(account).is_newest() || !kind.starts_with("invoice_payment.");
            endpoint.enabled && knows && endpoint.enabled_events.iter().any(|wanted| *wanted == "*" || *wanted == kind)
        };
        let endpoints: Vec<String> =
            self.state.webhook_endpoints.iter().filter(wants).map(|endpoint| endpoint.id.clone()).collect();
        for endpoint in endpoints {
            self.state.deliveries.enqueue(event, &kind, &endpoint);
        }
    }

    fn forget_old_events(&mut self) {
        let surplus = self.state.events.len().saturating_sub(KEPT + KEPT / 10);
        if surplus == 0 {
            return;
        }
        let waiting = self.state.deliveries.pending_events();
        let mut to_go = surplus + KEPT / 10;
        let mut gone = std::collections::HashSet::new();
        self.state.events.retain(|event| {
            let goes = to_go > 0 && !waiting.contains(&event.id);
            if goes {
                to_go -= 1;
                gone.insert(event.id.clone());
            }
            !goes
        });
        self.state.deliveries.forget(&gone);
    }
}

/// The parts of `before` that are others in `after`, in the form of `previous_attributes`; none when both are the same.
pub fn difference(before: &Value, after: &Value) -> Option<Value> {
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        return (before != after).then(|| before.clone());
    };
    let mut changed = Map::new();
    for (key, value) in old {
        match new.get(key) {
            None => drop(changed.insert(key.clone(), value.clone())),
            Some(other) => {
                if let Some(part) = difference(value, other) {
                    changed.insert(key.clone(), part);
                }
            }
        }
    }
    for key in new.keys().filter(|key| !old.contains_key(*key)) {
        changed.insert(key.clone(), Value::Null);
    }
    (!changed.is_empty()).then_some(Value::Object(changed))
}

object!(Event, "event", events, crate::sandbox::json::event::event);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::difference;

    #[test]
    fn only_what_changed_is_named_with_its_old_value() {
        let before = json!({"status": "trialing", "items": {"data": [1, 2], "url": "/x"}, "metadata": {"a": "1"}, "id": "sub_1"});
        let after = json!({"status": "active", "items": {"data": [1, 3], "url": "/x"}, "metadata": {"a": "1", "b": "2"}, "id": "sub_1"});
        assert_eq!(difference(&before, &before), None);
        let expected = json!({"status": "trialing", "items": {"data": [1, 2]}, "metadata": {"b": null}});
        assert_eq!(difference(&before, &after), Some(expected));
    }
}

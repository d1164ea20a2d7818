//! The two shapes of the API: since 2025-03-31 a subscription's period stands on its items and an invoice names its
//! subscription under `parent`; before, both stood at the top.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version that the sandbox speaks unless it is asked for an older one: that of our client library.
pub const NEWEST: &str = "2026-09-30.endive";
const OLD: &str = "2024-06-20";
/// Versions are dates, and compare as text.
const CHANGED_AT: &str = "2025-03-31";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// The period on the items.
    #[default]
    Items,
    /// The period on the subscription.
    Subscription,
}

impl Shape {
    pub fn is_newest(self) -> bool {
        self == Self::Items
    }

    pub fn api_version(self) -> &'static str {
        match self {
            Self::Items => NEWEST,
            Self::Subscription => OLD,
        }
    }

    /// The shape of an API version such as `2024-06-20`.
    pub fn of_version(version: &str) -> Self {
        if version < CHANGED_AT { Self::Subscription } else { Self::Items }
    }

    /// Turns what [`crate::sandbox::world::Object::json`] gives into this shape.
    pub fn apply(self, value: Value) -> Value {
        match value {
            Value::Array(values) => Value::Array(values.into_iter().map(|value| self.apply(value)).collect()),
            Value::Object(fields) => Value::Object(self.apply_to_fields(fields)),
            other => other,
        }
    }

    fn apply_to_fields(self, mut fields: Map<String, Value>) -> Map<String, Value> {
        let legacy = fields.remove("_legacy");
        if self == Self::Subscription {
            if let Some(Value::Object(legacy)) = legacy {
                fields.extend(legacy);
            }
            for newer in newer_fields(fields.get("object").and_then(Value::as_str)) {
                fields.remove(*newer);
            }
        }
        fields.into_iter().map(|(key, value)| (key, self.apply(value))).collect()
    }
}

fn newer_fields(object: Option<&str>) -> &'static [&'static str] {
    match object {
        Some("subscription") => &["billing_mode", "billing_schedules", "status_details"],
        Some("subscription_item") => &["current_period_start", "current_period_end"],
        Some("invoice") => &["parent", "amount_overpaid", "amount_paid_off_stripe"],
        Some("line_item") => &["parent", "pricing", "subtotal"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_period_stands_in_one_place_only() {
        let object = json!({"object": "subscription", "_legacy": {"current_period_end": 7},
            "items": {"data": [{"object": "subscription_item", "current_period_end": 7, "_legacy": {}}]}});
        let items = json!({"object": "subscription", "items": {"data": [{"object": "subscription_item", "current_period_end": 7}]}});
        let old = json!({"object": "subscription", "current_period_end": 7, "items": {"data": [{"object": "subscription_item"}]}});
        assert_eq!(Shape::Items.apply(object.clone()), items);
        assert_eq!(Shape::Subscription.apply(object), old);
    }

    #[test]
    fn a_version_tells_its_shape() {
        assert_eq!(Shape::of_version("2025-02-24.acacia"), Shape::Subscription);
        assert_eq!(Shape::of_version("2025-03-31.basil"), Shape::Items);
        assert_eq!(Shape::of_version(NEWEST), Shape::Items);
    }

    #[test]
    fn our_client_speaks_the_same_version() {
        assert_eq!(stripe_shared::version::VERSION.as_str(), NEWEST);
    }
}

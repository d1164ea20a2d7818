//! Stripe's events and objects, read tolerantly (`docs/stripe.md`, "Shapes: be tolerant"): a field that is not what we
//! expect reads as absent, unknown fields and words are normal, and only the frame of an event can be refused.

mod field;
mod invoice;
mod objects;
mod subscription;

use chrono::{DateTime, Utc};
use serde_json::Value;

use field::Fields;
pub use invoice::{InvoiceObject, InvoicePaymentObject, LineObject};
pub use objects::{ChargeObject, CheckoutSessionObject, CustomerObject, DisputeObject};
pub use subscription::{ItemObject, Period, SubscriptionObject};

/// Our metadata and others': short texts by name.
pub type Metadata = std::collections::BTreeMap<String, String>;

/// One message of Stripe about one of its objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// `evt_…`, at most 255 characters.
    pub id: String,
    /// Such as `customer.subscription.updated`.
    pub kind: String,
    /// When it happened, in whole seconds.
    pub created: DateTime<Utc>,
    /// Whether real money is meant. Absent reads as false.
    pub livemode: bool,
    /// In which version's shape the object is, if Stripe says so.
    pub api_version: Option<String>,
    /// The object as it was at that moment; always a JSON object.
    pub object: Value,
    /// The customer whose it was, when it was just taken from one: a detached card names it nowhere else.
    pub former_customer: Option<String>,
}

/// Why a signed body is no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// Not JSON, or nested deeper than 128 levels.
    #[error("the body is not JSON")]
    NotJson,
    /// No usable `id`, `type`, `created` or `data.object`; names the one that is missing.
    #[error("the event has no usable {0}")]
    Without(&'static str),
}

impl Event {
    /// Reads the body of a webhook.
    pub fn parse(body: &[u8]) -> Result<Self, EventError> {
        let mut value: Value = serde_json::from_slice(body).map_err(|_| EventError::NotJson)?;
        let fields = Fields(&value);
        let id = fields.id("id").ok_or(EventError::Without("id"))?;
        let kind = fields.id("type").ok_or(EventError::Without("type"))?;
        let created = fields.instant("created").ok_or(EventError::Without("created"))?;
        let (livemode, api_version) = (fields.flag("livemode"), fields.text("api_version"));
        let former_customer = fields.inner("data").inner("previous_attributes").reference("customer");
        let object = value.pointer_mut("/data/object").map(Value::take).filter(Value::is_object);
        let object = object.ok_or(EventError::Without("data.object"))?;
        Ok(Self { id, kind, created, livemode, api_version, object, former_customer })
    }

    /// The customer that it is about, whatever its type: cards, charges and the rest repeat who that is, name and address
    /// included.
    pub fn customer(&self) -> Option<String> {
        let object = Fields(&self.object);
        let is_one = matches!(self.kind.as_str(), "customer.created" | "customer.updated" | "customer.deleted")
            || object.text("object").as_deref() == Some("customer");
        let itself = object.id("id").filter(|_| is_one);
        itself.or_else(|| object.reference("customer")).or_else(|| self.former_customer.clone())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn event() -> Value {
        json!({
            "id": "evt_1", "object": "event", "type": "customer.subscription.updated", "created": 1_780_000_000,
            "livemode": false, "api_version": "2026-09-30.endive", "request": {"id": "req_1", "idempotency_key": null},
            "data": {"object": {"id": "sub_1"}, "previous_attributes": {}}, "pending_webhooks": 1, "account": "acct_1"
        })
    }

    fn parse(value: &Value) -> Result<Event, EventError> {
        Event::parse(value.to_string().as_bytes())
    }

    #[test]
    fn bodies_that_are_not_json_are_refused() {
        let deep = "[".repeat(100_000);
        for body in ["", "{", "id=evt_1", "\u{FEFF}{}", "{\"id\": \"\\ud800\"}", &deep] {
            assert_eq!(Event::parse(body.as_bytes()), Err(EventError::NotJson), "{body:.20}");
        }
        assert_eq!(Event::parse(b"{\"id\": \"\xFF\"}"), Err(EventError::NotJson));
        assert_eq!(Event::parse(b"[]"), Err(EventError::Without("id")));
        assert_eq!(Event::parse(b"null"), Err(EventError::Without("id")));
    }

    #[test]
    fn an_event_needs_id_type_created_and_object() {
        let (long, too_far) = ("e".repeat(256), i64::MAX);
        for (pointer, values, name) in [
            (
                "/id",
                vec![json!(null), json!(1), json!({"id": "evt_1"}), json!(""), json!("evt\u{0}1"), json!(long)],
                "id",
            ),
            ("/type", vec![json!(null), json!({}), json!(""), json!("a\u{0}b")], "type"),
            ("/created", vec![json!(null), json!("1780000000"), json!(1.5), json!(1e300), json!(too_far)], "created"),
            ("/data", vec![json!(null), json!([]), json!("x"), json!({})], "data.object"),
            ("/data/object", vec![json!(null), json!("sub_1"), json!([])], "data.object"),
        ] {
            for value in values {
                let mut event = event();
                *event.pointer_mut(pointer).unwrap() = value.clone();
                assert_eq!(parse(&event), Err(EventError::Without(name)), "{pointer} {value}");
            }
        }
    }

    #[test]
    fn everything_else_may_be_anything() {
        let plain = parse(&event()).unwrap();
        assert_eq!(plain.id, "evt_1");
        assert_eq!(plain.kind, "customer.subscription.updated");
        assert_eq!(plain.created.timestamp(), 1_780_000_000);
        assert_eq!(plain.api_version.as_deref(), Some("2026-09-30.endive"));
        assert_eq!(plain.object, json!({"id": "sub_1"}));
        for (key, values) in [
            ("request", vec![json!(null), json!("req_1"), json!({}), json!(7)]),
            ("pending_webhooks", vec![json!(null), json!("many")]),
            ("object", vec![json!("v2.core.event"), json!(null)]),
            ("surprise", vec![json!({"new": [1, 2]})]),
        ] {
            for value in values {
                let mut event = event();
                event[key] = value;
                assert_eq!(parse(&event).as_ref(), Ok(&plain), "{key}");
            }
        }
    }

    #[test]
    fn whose_it_is_is_read_from_every_type() {
        let of = |object: Value, before: Value| {
            let mut event = event();
            event["type"] = json!("payment_method.attached");
            event["data"] = json!({"object": object, "previous_attributes": before});
            parse(&event).unwrap().customer()
        };
        for (object, before) in [
            (json!({}), json!({})),
            (json!({"customer": null}), json!(null)),
            (json!({"customer": 7, "id": "pm_1", "object": "payment_method"}), json!([])),
            (json!({"id": "cus_1", "object": "payment_method"}), json!({"customer": ""})),
        ] {
            assert_eq!(of(object.clone(), before), None, "{object}");
        }
        for (object, before) in [
            (json!({"id": "pm_1", "customer": "cus_1"}), json!({"customer": "cus_2"})),
            (json!({"id": "pm_1", "customer": {"id": "cus_1", "object": "customer"}}), json!({})),
            (json!({"id": "pm_1", "customer": null}), json!({"customer": "cus_1"})),
            (json!({"id": "cus_1", "object": "customer"}), json!({})),
        ] {
            assert_eq!(of(object.clone(), before).as_deref(), Some("cus_1"), "{object}");
        }
    }

    #[test]
    fn the_version_and_the_mode_may_be_missing() {
        for (version, read) in
            [(json!(null), None), (json!(3), None), (json!("2031-01-01.quince"), Some("2031-01-01.quince"))]
        {
            let mut event = event();
            event["api_version"] = version;
            assert_eq!(parse(&event).unwrap().api_version.as_deref(), read);
        }
        for (mode, read) in [(json!(true), true), (json!(null), false), (json!("true"), false)] {
            let mut event = event();
            event["livemode"] = mode;
            assert_eq!(parse(&event).unwrap().livemode, read);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Event::parse(&body);
        }
    }
}

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{Metadata, field::Fields};

/// Stripe's `subscription`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionObject {
    /// `sub_…`
    pub id: String,
    /// `cus_…`
    pub customer: Option<String>,
    /// Stripe's word, whatever it is.
    pub status: Option<String>,
    /// What we (or somebody) noted on it.
    pub metadata: Metadata,
    /// What is paid for.
    pub items: Vec<ItemObject>,
    /// The period as it stood before API 2025-03-31; since then each item has its own.
    pub period: Option<Period>,
    /// When it will end, if a date is set.
    pub cancel_at: Option<DateTime<Utc>>,
    /// Whether it ends with the period.
    pub cancel_at_period_end: bool,
    /// When somebody cancelled it (it may run on).
    pub canceled_at: Option<DateTime<Utc>>,
    /// When it was over.
    pub ended_at: Option<DateTime<Utc>>,
    /// When its trial at Stripe ends or ended.
    pub trial_end: Option<DateTime<Utc>>,
    /// `pause_collection.behavior`: `void`, `keep_as_draft`, `mark_uncollectible`.
    pub pause_behavior: Option<String>,
    /// `in_…`
    pub latest_invoice: Option<String>,
    /// When it was made.
    pub created: Option<DateTime<Utc>>,
    /// Whether real money is meant.
    pub livemode: bool,
}

/// One line of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemObject {
    /// `si_…`
    pub id: Option<String>,
    /// `price_…` (or the older `plan_…`).
    pub price: Option<String>,
    /// `prod_…`
    pub product: Option<String>,
    /// How many.
    pub quantity: Option<i64>,
    /// The item's own period, since API 2025-03-31.
    pub period: Option<Period>,
}

/// From when to when something was or will be paid, as Stripe sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// Its first instant.
    pub start: DateTime<Utc>,
    /// The first instant after it.
    pub end: DateTime<Utc>,
}

impl SubscriptionObject {
    /// Reads a subscription; nothing when it has no id.
    pub fn from_value(value: &Value) -> Option<Self> {
        let fields = Fields(value);
        Some(Self {
            id: fields.id("id")?,
            customer: fields.reference("customer"),
            status: fields.text("status"),
            metadata: fields.metadata("metadata"),
            items: fields.list("items").map(ItemObject::read).collect(),
            period: Period::read(fields),
            cancel_at: fields.instant("cancel_at"),
            cancel_at_period_end: fields.flag("cancel_at_period_end"),
            canceled_at: fields.instant("canceled_at"),
            ended_at: fields.instant("ended_at"),
            trial_end: fields.instant("trial_end"),
            pause_behavior: fields.inner("pause_collection").text("behavior"),
            latest_invoice: fields.reference("latest_invoice"),
            created: fields.instant("created"),
            livemode: fields.flag("livemode"),
        })
    }

    /// The period of `item`, wherever this version of the API puts it.
    pub fn period_of(&self, item: &ItemObject) -> Option<Period> {
        item.period.or(self.period)
    }
}

impl ItemObject {
    fn read(fields: Fields<'_>) -> Self {
        Self {
            id: fields.id("id"),
            price: fields.reference("price").or_else(|| fields.reference("plan")),
            product: fields.inner("price").reference("product").or_else(|| fields.inner("plan").reference("product")),
            quantity: fields.number("quantity"),
            period: Period::read(fields),
        }
    }
}

impl Period {
    fn read(fields: Fields<'_>) -> Option<Self> {
        Some(Self { start: fields.instant("current_period_start")?, end: fields.instant("current_period_end")? })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    fn full() -> Value {
        json!({
            "id": "sub_1", "object": "subscription", "customer": "cus_1", "status": "active", "metadata": {"turnpike_user": "u1"},
            "items": {"object": "list", "data": [
                {"id": "si_1", "price": {"id": "price_monthly", "product": "prod_1"}, "quantity": 1,
                 "current_period_start": 100, "current_period_end": 200}
            ], "has_more": false},
            "cancel_at": 210, "cancel_at_period_end": true, "canceled_at": 150, "ended_at": 220, "trial_end": 90,
            "pause_collection": {"behavior": "void", "resumes_at": null}, "latest_invoice": "in_1", "created": 80, "livemode": true
        })
    }

    #[test]
    fn reads_every_field() {
        let read = SubscriptionObject::from_value(&full()).unwrap();
        let period = Some(Period { start: at(100), end: at(200) });
        let item = ItemObject {
            id: Some("si_1".into()),
            price: Some("price_monthly".into()),
            product: Some("prod_1".into()),
            quantity: Some(1),
            period,
        };
        let expected = SubscriptionObject {
            id: "sub_1".into(),
            customer: Some("cus_1".into()),
            status: Some("active".into()),
            metadata: [("turnpike_user".to_owned(), "u1".to_owned())].into(),
            items: vec![item],
            period: None,
            cancel_at: Some(at(210)),
            cancel_at_period_end: true,
            canceled_at: Some(at(150)),
            ended_at: Some(at(220)),
            trial_end: Some(at(90)),
            pause_behavior: Some("void".into()),
            latest_invoice: Some("in_1".into()),
            created: Some(at(80)),
            livemode: true,
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn only_the_id_is_needed() {
        for value in [json!(null), json!([]), json!("sub_1"), json!({}), json!({"id": 5}), json!({"id": {"id": "x"}})] {
            assert_eq!(SubscriptionObject::from_value(&value), None, "{value}");
        }
        let bare = SubscriptionObject::from_value(&json!({"id": "sub_1"})).unwrap();
        assert_eq!((bare.items.len(), bare.period, bare.cancel_at_period_end), (0, None, false));
    }

    #[test]
    fn a_field_of_the_wrong_kind_is_absent_and_spoils_no_other() {
        let complete = full();
        let keys: Vec<&String> = complete.as_object().unwrap().keys().filter(|key| *key != "id").collect();
        for key in keys {
            let mut without = complete.clone();
            without.as_object_mut().unwrap().remove(key);
            let absent = SubscriptionObject::from_value(&without).unwrap();
            for wrong in [
                json!(null),
                json!([[1]]),
                json!(1.5),
                json!({"data": {}}),
                json!({"data": null}),
                json!("a\u{0}b"),
                json!(1e40),
            ] {
                let mut damaged = complete.clone();
                damaged[key] = wrong.clone();
                assert_eq!(SubscriptionObject::from_value(&damaged).unwrap(), absent, "{key} = {wrong}");
            }
        }
    }

    #[test]
    fn the_period_stands_on_the_item_or_on_the_subscription() {
        let mut old = full();
        old["items"]["data"][0] = json!({"id": "si_1", "price": {"id": "price_monthly"}});
        old["current_period_start"] = json!(300);
        old["current_period_end"] = json!(400);
        let mut both = full();
        both["current_period_start"] = json!(300);
        both["current_period_end"] = json!(400);
        let mut half = full();
        half["items"]["data"][0]["current_period_end"] = json!(null);
        for (value, end) in [(full(), Some(200)), (old, Some(400)), (both, Some(200)), (half, None)] {
            let read = SubscriptionObject::from_value(&value).unwrap();
            assert_eq!(read.period_of(&read.items[0]).map(|period| period.end), end.map(at));
        }
    }

    #[test]
    fn ids_may_be_expanded_objects() {
        let mut value = full();
        value["customer"] = json!({"id": "cus_2", "object": "customer", "deleted": true});
        value["latest_invoice"] = json!({"id": "in_2", "lines": {}});
        value["items"]["data"] = json!([
            {"price": "price_a"}, {"price": {"id": "price_b", "product": {"id": "prod_b"}}}, {"plan": {"id": "plan_c", "product": "prod_c"}}, 7
        ]);
        let read = SubscriptionObject::from_value(&value).unwrap();
        assert_eq!(read.customer.as_deref(), Some("cus_2"));
        assert_eq!(read.latest_invoice.as_deref(), Some("in_2"));
        let items: Vec<_> = read.items.iter().map(|item| (item.price.as_deref(), item.product.as_deref())).collect();
        assert_eq!(
            items,
            [
                (Some("price_a"), None),
                (Some("price_b"), Some("prod_b")),
                (Some("plan_c"), Some("prod_c")),
                (None, None)
            ]
        );
    }

    #[test]
    fn metadata_may_be_null_and_keeps_only_texts() {
        let mut value = full();
        for (metadata, read) in [
            (json!(null), vec![]),
            (json!({}), vec![]),
            (
                json!({"a": "1", "b": 2, "c": null, "d": "x\u{0}", "e\u{0}": "x"}),
                vec![("a".to_owned(), "1".to_owned())],
            ),
        ] {
            value["metadata"] = metadata;
            assert_eq!(SubscriptionObject::from_value(&value).unwrap().metadata, read.into_iter().collect());
        }
    }

    #[test]
    fn unknown_words_are_kept_and_long_ids_are_not() {
        let mut value = full();
        value["status"] = json!("hibernating");
        value["customer"] = json!("c".repeat(256));
        let read = SubscriptionObject::from_value(&value).unwrap();
        assert_eq!(read.status.as_deref(), Some("hibernating"));
        assert_eq!(read.customer, None);
    }
}

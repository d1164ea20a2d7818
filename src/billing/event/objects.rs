use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{Metadata, field::Fields};
use crate::domain::money::Currency;

/// Stripe's `checkout.session`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckoutSessionObject {
    /// `cs_…`
    pub id: String,
    /// `subscription`, `payment` or `setup`.
    pub mode: Option<String>,
    /// `open`, `complete` or `expired`.
    pub status: Option<String>,
    /// `paid`, `unpaid` or `no_payment_required`.
    pub payment_status: Option<String>,
    /// `cus_…`
    pub customer: Option<String>,
    /// `sub_…`, for a recurring plan.
    pub subscription: Option<String>,
    /// `pi_…`, for a single payment.
    pub payment_intent: Option<String>,
    /// `in_…`
    pub invoice: Option<String>,
    /// Our user's public id.
    pub client_reference_id: Option<String>,
    /// What we noted on it.
    pub metadata: Metadata,
    /// What was paid, in minor units.
    pub amount_total: Option<i64>,
    /// Of which currency.
    pub currency: Option<Currency>,
    /// Stripe's page, while it is open.
    pub url: Option<String>,
    /// When it was made.
    pub created: Option<DateTime<Utc>>,
}

impl CheckoutSessionObject {
    /// Reads a session; nothing when it has no id.
    pub fn from_value(value: &Value) -> Option<Self> {
        let fields = Fields(value);
        Some(Self {
            id: fields.id("id")?,
            mode: fields.text("mode"),
            status: fields.text("status"),
            payment_status: fields.text("payment_status"),
            customer: fields.reference("customer"),
            subscription: fields.reference("subscription"),
            payment_intent: fields.reference("payment_intent"),
            invoice: fields.reference("invoice"),
            client_reference_id: fields.id("client_reference_id"),
            metadata: fields.metadata("metadata"),
            amount_total: fields.number("amount_total"),
            currency: fields.currency("currency"),
            url: fields.link("url"),
            created: fields.instant("created"),
        })
    }

    /// Whether the money has arrived or none was due. A delayed payment is neither, yet.
    pub fn is_paid(&self) -> bool {
        matches!(self.payment_status.as_deref(), Some("paid" | "no_payment_required"))
    }
}

/// Stripe's `customer`, also one that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerObject {
    /// `cus_…`
    pub id: String,
    /// Stripe answers so for a customer that was deleted.
    pub deleted: bool,
    /// The address that Stripe knows. Never used to find a user (`docs/rules.md` §5).
    pub email: Option<String>,
    /// What we noted on it.
    pub metadata: Metadata,
}

impl CustomerObject {
    /// Reads a customer; nothing when it has no id.
    pub fn from_value(value: &Value) -> Option<Self> {
        let fields = Fields(value);
        Some(Self {
            id: fields.id("id")?,
            deleted: fields.flag("deleted"),
            email: fields.text("email"),
            metadata: fields.metadata("metadata"),
        })
    }
}

/// Stripe's `charge`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChargeObject {
    /// `ch_…`
    pub id: String,
    /// `cus_…`
    pub customer: Option<String>,
    /// `pi_…`
    pub payment_intent: Option<String>,
    /// `in_…`; only before API 2025-03-31.
    pub invoice: Option<String>,
    /// What was charged, in minor units.
    pub amount: Option<i64>,
    /// What went back so far, in minor units.
    pub amount_refunded: Option<i64>,
    /// Whether all of it went back.
    pub refunded: bool,
    /// Of which currency.
    pub currency: Option<Currency>,
    /// Stripe's page with the receipt.
    pub receipt_url: Option<String>,
    /// When it was made.
    pub created: Option<DateTime<Utc>>,
}

impl ChargeObject {
    /// Reads a charge; nothing when it has no id.
    pub fn from_value(value: &Value) -> Option<Self> {
        let fields = Fields(value);
        Some(Self {
            id: fields.id("id")?,
            customer: fields.reference("customer"),
            payment_intent: fields.reference("payment_intent"),
            invoice: fields.reference("invoice"),
            amount: fields.number("amount"),
            amount_refunded: fields.number("amount_refunded"),
            refunded: fields.flag("refunded"),
            currency: fields.currency("currency"),
            receipt_url: fields.link("receipt_url"),
            created: fields.instant("created"),
        })
    }
}

/// Stripe's `dispute`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisputeObject {
    /// `dp_…` or `du_…`
    pub id: String,
    /// `ch_…`
    pub charge: Option<String>,
    /// `pi_…`
    pub payment_intent: Option<String>,
    /// Stripe's word: `needs_response`, `won`, `lost`, …
    pub status: Option<String>,
    /// What the bank was told.
    pub reason: Option<String>,
    /// What is disputed, in minor units.
    pub amount: Option<i64>,
    /// Of which currency.
    pub currency: Option<Currency>,
}

impl DisputeObject {
    /// Reads a dispute; nothing when it has no id.
    pub fn from_value(value: &Value) -> Option<Self> {
        let fields = Fields(value);
        Some(Self {
            id: fields.id("id")?,
            charge: fields.reference("charge"),
            payment_intent: fields.reference("payment_intent"),
            status: fields.text("status"),
            reason: fields.text("reason"),
            amount: fields.number("amount"),
            currency: fields.currency("currency"),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::billing::event::{InvoiceObject, InvoicePaymentObject, SubscriptionObject};

    #[test]
    fn without_an_id_there_is_no_object() {
        for value in [json!(null), json!({}), json!({"id": null}), json!({"id": ""}), json!({"id": "a\u{0}"})] {
            assert_eq!(InvoiceObject::from_value(&value), None);
            assert_eq!(InvoicePaymentObject::from_value(&value), None);
            assert_eq!(CheckoutSessionObject::from_value(&value), None);
            assert_eq!(CustomerObject::from_value(&value), None);
            assert_eq!(ChargeObject::from_value(&value), None);
            assert_eq!(DisputeObject::from_value(&value), None);
        }
    }

    #[test]
    fn a_checkout_is_paid_when_money_came_or_none_was_due() {
        for (word, paid) in [
            (json!("paid"), true),
            (json!("no_payment_required"), true),
            (json!("unpaid"), false),
            (json!("PAID"), false),
            (json!(null), false),
            (json!(true), false),
        ] {
            let session = CheckoutSessionObject::from_value(&json!({"id": "cs_1", "payment_status": word})).unwrap();
            assert_eq!(session.is_paid(), paid, "{word}");
        }
    }

    #[test]
    fn the_other_objects() {
        let session = CheckoutSessionObject::from_value(&json!({
            "id": "cs_1", "customer": "cus_1", "subscription": {"id": "sub_1"}, "client_reference_id": "u1", "metadata": null,
            "amount_total": 900, "currency": "jpy", "url": null
        }))
        .unwrap();
        assert_eq!(session.subscription.as_deref(), Some("sub_1"));
        assert_eq!(session.client_reference_id.as_deref(), Some("u1"));
        let customer =
            CustomerObject::from_value(&json!({"id": "cus_1", "object": "customer", "deleted": true})).unwrap();
        assert!(customer.deleted);
        let charge = ChargeObject::from_value(
            &json!({"id": "ch_1", "payment_intent": "pi_1", "amount": 900, "amount_refunded": 900, "refunded": true}),
        );
        let charge = charge.unwrap();
        assert_eq!(
            (charge.payment_intent.as_deref(), charge.amount_refunded, charge.refunded),
            (Some("pi_1"), Some(900), true)
        );
        let dispute =
            DisputeObject::from_value(&json!({"id": "du_1", "charge": {"id": "ch_1"}, "status": "lost"})).unwrap();
        assert_eq!((dispute.charge.as_deref(), dispute.status.as_deref()), (Some("ch_1"), Some("lost")));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let key = "id|customer|items|data|price|parent|subscription_details|subscription|metadata|created|status|currency|cancel_at";
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 64, 8, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map(key, inner, 0..8).prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_json_is_read_as_some_object_or_none(mut value in any_json()) {
            if value.is_object() {
                value["id"] = "x_1".into();
            }
            let is_object = value.is_object();
            prop_assert_eq!(SubscriptionObject::from_value(&value).is_some(), is_object);
            prop_assert_eq!(InvoiceObject::from_value(&value).is_some(), is_object);
            prop_assert_eq!(InvoicePaymentObject::from_value(&value).is_some(), is_object);
            prop_assert_eq!(CheckoutSessionObject::from_value(&value).is_some(), is_object);
            prop_assert_eq!(CustomerObject::from_value(&value).is_some(), is_object);
            prop_assert_eq!(ChargeObject::from_value(&value).is_some(), is_object);
            prop_assert_eq!(DisputeObject::from_value(&value).is_some(), is_object);
        }
    }
}

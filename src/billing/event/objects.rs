use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{Metadata, field::Fields};
use crate::domain::money::Currency;

/// Stripe's `invoice`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvoiceObject {
    /// `in_…`
    pub id: String,
    /// `cus_…`
    pub customer: Option<String>,
    /// `sub_…`, from `parent.subscription_details` (since API 2025-03-31) or from `subscription` (before).
    pub subscription: Option<String>,
    /// The metadata of that subscription, as it was when the invoice was made.
    pub subscription_metadata: Metadata,
    /// Stripe's word: `draft`, `open`, `paid`, …
    pub status: Option<String>,
    /// Why it was made: `subscription_create`, `subscription_cycle`, …
    pub billing_reason: Option<String>,
    /// What was paid, in minor units.
    pub amount_paid: Option<i64>,
    /// What was to be paid, in minor units.
    pub amount_due: Option<i64>,
    /// Of which currency.
    pub currency: Option<Currency>,
    /// The number on the paper.
    pub number: Option<String>,
    /// Stripe's page with the receipt.
    pub hosted_url: Option<String>,
    /// `pi_…`; only before API 2025-03-31.
    pub payment_intent: Option<String>,
    /// When Stripe tries again, after a failed payment.
    pub next_payment_attempt: Option<DateTime<Utc>>,
    /// When it was paid.
    pub paid_at: Option<DateTime<Utc>>,
    /// When it was made.
    pub created: Option<DateTime<Utc>>,
}

impl InvoiceObject {
    /// Reads an invoice; nothing when it has no id.
    pub fn from_value(value: &Value) -> Option<Self> {
        let fields = Fields(value);
        let details = fields.inner("parent").inner("subscription_details");
        let mut subscription_metadata = details.metadata("metadata");
        if subscription_metadata.is_empty() {
            subscription_metadata = fields.inner("subscription_details").metadata("metadata");
        }
        Some(Self {
            id: fields.id("id")?,
            customer: fields.reference("customer"),
            subscription: details.reference("subscription").or_else(|| fields.reference("subscription")),
            subscription_metadata,
            status: fields.text("status"),
            billing_reason: fields.text("billing_reason"),
            amount_paid: fields.number("amount_paid"),
            amount_due: fields.number("amount_due"),
            currency: fields.currency("currency"),
            number: fields.text("number"),
            hosted_url: fields.link("hosted_invoice_url"),
            payment_intent: fields.reference("payment_intent"),
            next_payment_attempt: fields.instant("next_payment_attempt"),
            paid_at: fields.inner("status_transitions").instant("paid_at"),
            created: fields.instant("created"),
        })
    }
}

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
    use crate::billing::event::SubscriptionObject;

    #[test]
    fn without_an_id_there_is_no_object() {
        for value in [json!(null), json!({}), json!({"id": null}), json!({"id": ""}), json!({"id": "a\u{0}"})] {
            assert_eq!(InvoiceObject::from_value(&value), None);
            assert_eq!(CheckoutSessionObject::from_value(&value), None);
            assert_eq!(CustomerObject::from_value(&value), None);
            assert_eq!(ChargeObject::from_value(&value), None);
            assert_eq!(DisputeObject::from_value(&value), None);
        }
    }

    #[test]
    fn an_invoice_names_its_subscription_in_two_places() {
        let basil = json!({"type": "subscription_details", "subscription_details": {"subscription": "sub_new", "metadata": {"u": "1"}}});
        for (value, subscription, metadata) in [
            (json!({"id": "in_1", "parent": basil}), Some("sub_new"), Some("1")),
            (json!({"id": "in_1", "parent": basil, "subscription": "sub_old"}), Some("sub_new"), Some("1")),
            (
                json!({"id": "in_1", "subscription": "sub_old", "subscription_details": {"metadata": {"u": "2"}}}),
                Some("sub_old"),
                Some("2"),
            ),
            (json!({"id": "in_1", "subscription": {"id": "sub_old"}}), Some("sub_old"), None),
            (
                json!({"id": "in_1", "parent": {"subscription_details": {"subscription": {"id": "sub_x"}, "metadata": null}}}),
                Some("sub_x"),
                None,
            ),
            (json!({"id": "in_1", "parent": null, "subscription": null}), None, None),
            (json!({"id": "in_1", "parent": "odd", "subscription": 7}), None, None),
        ] {
            let invoice = InvoiceObject::from_value(&value).unwrap();
            assert_eq!(invoice.subscription.as_deref(), subscription, "{value}");
            assert_eq!(invoice.subscription_metadata.get("u").map(String::as_str), metadata, "{value}");
        }
    }

    #[test]
    fn an_invoice_in_full() {
        let invoice = InvoiceObject::from_value(&json!({
            "id": "in_1", "customer": {"id": "cus_1"}, "status": "paid", "billing_reason": "subscription_cycle", "amount_paid": 900,
            "amount_due": 900, "currency": "eur", "number": "A-1", "hosted_invoice_url": "https://invoice.example/1",
            "payment_intent": "pi_1", "next_payment_attempt": 7, "status_transitions": {"paid_at": 5}, "created": 3
        }))
        .unwrap();
        assert_eq!(invoice.customer.as_deref(), Some("cus_1"));
        assert_eq!((invoice.amount_paid, invoice.currency), (Some(900), Currency::parse("eur")));
        assert_eq!(invoice.paid_at.map(|at| at.timestamp()), Some(5));
        assert_eq!(invoice.next_payment_attempt.map(|at| at.timestamp()), Some(7));
        assert_eq!(invoice.hosted_url.as_deref(), Some("https://invoice.example/1"));
    }

    #[test]
    fn fields_of_the_wrong_kind_are_absent() {
        let invoice = InvoiceObject::from_value(&json!({
            "id": "in_1", "customer": 5, "status": ["paid"], "amount_paid": "900", "amount_due": 9.5, "currency": "euro",
            "hosted_invoice_url": "javascript:alert(1)", "status_transitions": [], "created": "now", "number": "x".repeat(5_001)
        }))
        .unwrap();
        assert_eq!(invoice, InvoiceObject::from_value(&json!({"id": "in_1"})).unwrap());
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
            prop_assert_eq!(CheckoutSessionObject::from_value(&value).is_some(), is_object);
            prop_assert_eq!(CustomerObject::from_value(&value).is_some(), is_object);
            prop_assert_eq!(ChargeObject::from_value(&value).is_some(), is_object);
            prop_assert_eq!(DisputeObject::from_value(&value).is_some(), is_object);
        }
    }
}

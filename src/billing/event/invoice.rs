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
    /// `pi_…`, from `payments` where that is included (since API 2025-03-31) or from `payment_intent` (before).
    pub payment_intent: Option<String>,
    /// What is to be paid.
    pub lines: Vec<LineObject>,
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
            payment_intent: paid_by(fields).or_else(|| fields.reference("payment_intent")),
            lines: fields.list("lines").map(LineObject::read).collect(),
            next_payment_attempt: fields.instant("next_payment_attempt"),
            paid_at: fields.inner("status_transitions").instant("paid_at"),
            created: fields.instant("created"),
        })
    }
}

/// The payment intent that paid an invoice, of all that tried.
fn paid_by(invoice: Fields<'_>) -> Option<String> {
    let mut intents: Vec<_> = invoice
        .list("payments")
        .filter_map(|one| Some((one.text("status"), one.inner("payment").reference("payment_intent")?)))
        .collect();
    let paid = intents.iter().position(|(status, _)| status.as_deref() == Some("paid")).unwrap_or(0);
    (paid < intents.len()).then(|| intents.swap_remove(paid).1)
}

/// One line of an invoice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineObject {
    /// `price_…`, from `pricing.price_details` (since API 2025-03-31) or from `price` or `plan` (before).
    pub price: Option<String>,
    /// What it costs, in minor units.
    pub amount: Option<i64>,
}

impl LineObject {
    fn read(fields: Fields<'_>) -> Self {
        let details = fields.inner("pricing").inner("price_details");
        let before = || fields.reference("price").or_else(|| fields.reference("plan"));
        Self { price: details.reference("price").or_else(before), amount: fields.number("amount") }
    }
}

/// Stripe's `invoice_payment`: which payment paid an invoice (since API 2025-03-31).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvoicePaymentObject {
    /// `inpay_…`
    pub id: String,
    /// `in_…`
    pub invoice: Option<String>,
    /// `pi_…`
    pub payment_intent: Option<String>,
    /// `ch_…`, for a payment without an intent.
    pub charge: Option<String>,
}

impl InvoicePaymentObject {
    /// Reads an invoice's payment; nothing when it has no id.
    pub fn from_value(value: &Value) -> Option<Self> {
        let fields = Fields(value);
        let payment = fields.inner("payment");
        Some(Self {
            id: fields.id("id")?,
            invoice: fields.reference("invoice"),
            payment_intent: payment.reference("payment_intent"),
            charge: payment.reference("charge"),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
    fn an_invoice_names_its_prices_and_its_payment_in_two_places() {
        let new = json!({"id": "in_1", "payment_intent": null, "lines": {"data": [
            {"amount": -300, "pricing": {"type": "price_details", "price_details": {"price": "price_a"}}},
            {"amount": 900, "pricing": {"price_details": {"price": {"id": "price_b"}}}, "price": {"id": "price_old"}}
        ]}, "payments": {"data": [
            {"status": "canceled", "payment": {"type": "payment_intent", "payment_intent": "pi_0"}},
            {"status": "paid", "payment": {"type": "payment_intent", "payment_intent": {"id": "pi_1"}}}
        ]}});
        let old = json!({"id": "in_1", "payment_intent": {"id": "pi_1"}, "lines": {"data": [
            {"amount": -300, "price": {"id": "price_a"}}, {"amount": 900, "plan": {"id": "price_b"}}
        ]}});
        for value in [new, old] {
            let invoice = InvoiceObject::from_value(&value).unwrap();
            let lines: Vec<_> = invoice.lines.iter().map(|line| (line.price.as_deref(), line.amount)).collect();
            assert_eq!(lines, [(Some("price_a"), Some(-300)), (Some("price_b"), Some(900))], "{value}");
            assert_eq!(invoice.payment_intent.as_deref(), Some("pi_1"), "{value}");
        }
        let open = json!({"id": "in_1", "payments": {"data": [{"payment": {"payment_intent": "pi_0"}}]}, "lines": {"data": [{}, 7]}});
        let open = InvoiceObject::from_value(&open).unwrap();
        assert_eq!(open.payment_intent.as_deref(), Some("pi_0"));
        assert!(open.lines.iter().all(|line| *line == LineObject { price: None, amount: None }));
    }

    #[test]
    fn an_invoices_payment_is_an_intent_or_a_charge() {
        for (payment, intent, charge) in [
            (json!({"type": "payment_intent", "payment_intent": "pi_1"}), Some("pi_1"), None),
            (json!({"type": "payment_intent", "payment_intent": {"id": "pi_1"}}), Some("pi_1"), None),
            (json!({"type": "charge", "charge": "ch_1"}), None, Some("ch_1")),
            (json!({"type": "by_pigeon"}), None, None),
            (json!(null), None, None),
        ] {
            let value = json!({"id": "inpay_1", "invoice": {"id": "in_1"}, "status": "paid", "payment": payment});
            let read = InvoicePaymentObject::from_value(&value).unwrap();
            assert_eq!(read.invoice.as_deref(), Some("in_1"));
            assert_eq!((read.payment_intent.as_deref(), read.charge.as_deref()), (intent, charge), "{value}");
        }
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
}

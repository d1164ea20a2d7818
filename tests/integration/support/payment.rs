//! What Stripe sends around money: sessions, charges, disputes, invoices' payments.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{app::App, stripe};

/// A checkout of the plan `half-year`, as we make it, and what Stripe makes of it.
#[derive(Clone, Debug)]
pub struct Checkout {
    /// Stands in every id.
    pub name: String,
    pub intent: Option<String>,
    pub customer: Option<String>,
    pub reference: Option<String>,
    pub metadata: Value,
    pub amount: i64,
    pub currency: String,
}

impl Checkout {
    /// By the person with this public id.
    pub fn by(user: &str, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            intent: Some(format!("pi_{name}")),
            customer: Some(format!("cus_of_{user}")),
            reference: Some(user.to_owned()),
            metadata: json!({ "user_id": user, "plan": "half-year", "months": "6" }),
            amount: 4_900,
            currency: "eur".to_owned(),
        }
    }

    /// `checkout.session.{what}`; `status` is the payment's.
    pub fn session(&self, what: &str, status: &str, created: DateTime<Utc>) -> Value {
        let session = json!({
            "id": format!("cs_{}", self.name), "object": "checkout.session", "mode": "payment", "status": "complete",
            "payment_status": status, "customer": self.customer, "client_reference_id": self.reference,
            "metadata": self.metadata, "payment_intent": self.intent, "subscription": null, "invoice": null,
            "amount_total": self.amount, "currency": self.currency, "created": created.timestamp(), "livemode": false,
            "customer_details": { "email": "somebody.else@example.com" },
        });
        self.event(&format!("checkout.session.{what}"), status, created, &session)
    }

    /// The checkout is done and paid.
    pub fn paid(&self, created: DateTime<Utc>) -> Value {
        self.session("completed", "paid", created)
    }

    /// The checkout is done, and a slow method pays.
    pub fn unpaid(&self, created: DateTime<Utc>) -> Value {
        self.session("completed", "unpaid", created)
    }

    /// The slow method paid.
    pub fn paid_late(&self, created: DateTime<Utc>) -> Value {
        self.session("async_payment_succeeded", "paid", created)
    }

    /// The slow method failed.
    pub fn failed(&self, created: DateTime<Utc>) -> Value {
        self.session("async_payment_failed", "unpaid", created)
    }

    /// `charge.{what}`, with so much of it refunded.
    pub fn charge(&self, what: &str, refunded: i64, created: DateTime<Utc>) -> Value {
        let charge = json!({
            "id": format!("ch_{}", self.name), "object": "charge", "amount": self.amount, "amount_refunded": refunded,
            "refunded": refunded == self.amount, "currency": self.currency, "customer": self.customer,
            "payment_intent": self.intent, "paid": true, "status": "succeeded", "metadata": {},
            "receipt_url": format!("https://pay.example/receipts/{}", self.name),
        });
        self.event(&format!("charge.{what}"), &refunded.to_string(), created, &charge)
    }

    /// So much of it went back, in all.
    pub fn refunded(&self, amount: i64, created: DateTime<Utc>) -> Value {
        self.charge("refunded", amount, created)
    }

    /// `charge.dispute.{what}` with this status.
    pub fn dispute(&self, what: &str, status: &str, created: DateTime<Utc>) -> Value {
        let dispute = json!({
            "id": format!("du_{}", self.name), "object": "dispute", "charge": format!("ch_{}", self.name),
            "payment_intent": self.intent, "amount": self.amount, "currency": self.currency, "status": status,
            "reason": "fraudulent", "metadata": {},
        });
        self.event(&format!("charge.dispute.{what}"), status, created, &dispute)
    }

    fn event(&self, kind: &str, detail: &str, created: DateTime<Utc>, object: &Value) -> Value {
        stripe::event(&format!("evt_{}_{kind}_{detail}", self.name), kind, created, object)
    }
}

/// `invoice_payment.paid`: this payment intent paid this invoice.
pub fn invoice_payment(id: &str, invoice: &str, intent: &str, created: DateTime<Utc>) -> Value {
    let object = json!({
        "id": format!("inpay_{id}"), "object": "invoice_payment", "invoice": invoice, "status": "paid", "amount_paid": 900,
        "amount_requested": 900, "currency": "eur", "is_default": true, "livemode": false,
        "payment": { "type": "payment_intent", "payment_intent": intent },
    });
    stripe::event(&format!("evt_{id}_invoice_payment"), "invoice_payment.paid", created, &object)
}

/// The same event as if Stripe had made it another time.
pub fn again(event: &Value) -> Value {
    let mut event = event.clone();
    event["id"] = json!(format!("{}_again", event["id"].as_str().unwrap()));
    event
}

impl App {
    /// The payment's row, with every column that an order could change; nothing when there is none.
    pub fn payment(&self, condition: &str) -> Option<String> {
        let columns = [
            "purpose",
            "status",
            "amount",
            "amount_refunded",
            "currency",
            "plan",
            "months",
            "receipt_url",
            "dispute",
            "provider_payment_id",
            "provider_session_id",
            "provider_charge_id",
            "provider_invoice_id",
            "provider_subscription_id",
            "added_from",
            "added_until",
            "taken_back_at",
            "happened_at",
        ];
        self.database.text(&format!("SELECT {} FROM payments WHERE {condition}", in_one(&columns)))
    }

    /// The prepaid subscription of a person; nothing when there is none.
    pub fn prepaid(&self, user: i64) -> Option<String> {
        let columns = ["status", "plan", "current_period_start", "current_period_end", "cancel_at", "ended_at"];
        let condition = format!("user_id = {user} AND kind = 'prepaid'");
        self.database.text(&format!("SELECT {} FROM subscriptions WHERE {condition}", in_one(&columns)))
    }

    /// What became of an event.
    pub fn outcome(&self, event: &Value) -> String {
        let id = event["id"].as_str().unwrap();
        self.database.text(&format!("SELECT outcome FROM webhook_events WHERE event_id = '{id}'")).unwrap_or_default()
    }

    /// How many mails of this kind there are to somebody.
    pub fn mails(&self, user: i64, kind: &str) -> i64 {
        self.database.count("mails", &format!("user_id = {user} AND notice LIKE '%\"kind\":\"{kind}\"%'"))
    }
}

fn in_one(columns: &[&str]) -> String {
    let texts: Vec<String> = columns.iter().map(|name| format!("coalesce(CAST({name} AS TEXT), '-')")).collect();
    texts.join(" || ' ' || ")
}

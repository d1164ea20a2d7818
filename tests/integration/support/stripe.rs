//! What Stripe sends, made here byte for byte and signed with the app's webhook secret.

use chrono::{DateTime, TimeDelta, Utc};
use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

/// The secret of every app under test.
pub const WEBHOOK_SECRET: &str = "whsec_test_example_1";

/// The price of the plan `monthly`.
pub const MONTHLY: &str = "price_monthly";

/// `Stripe-Signature` for this body, as Stripe makes it.
pub fn signature(secret: &str, timestamp: i64, body: &[u8]) -> String {
    format!("t={timestamp},v1={}", v1(secret, &timestamp.to_string(), body))
}

/// The hexadecimal code alone.
pub fn v1(secret: &str, timestamp: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(body);
    HEXLOWER.encode(&mac.finalize().into_bytes())
}

/// A subscription as Stripe shows it at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub id: String,
    pub customer: String,
    /// Our public user id in the metadata.
    pub user: Option<String>,
    pub price: String,
    pub status: String,
    pub start: DateTime<Utc>,
    pub end: DateTime<Utc>,
    pub cancel_at_period_end: bool,
    pub cancel_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
    /// As API versions before 2025-03-31 put it: the period on the subscription.
    pub old_shape: bool,
    pub livemode: bool,
}

impl Snapshot {
    /// An active one that starts at `start` and is paid for twenty days, less than a session lasts.
    pub fn active(id: &str, customer: &str, user: &str, start: DateTime<Utc>) -> Self {
        Self {
            id: id.to_owned(),
            customer: customer.to_owned(),
            user: Some(user.to_owned()),
            price: MONTHLY.to_owned(),
            status: "active".to_owned(),
            start,
            end: start + TimeDelta::days(20),
            cancel_at_period_end: false,
            cancel_at: None,
            ended_at: None,
            old_shape: false,
            livemode: false,
        }
    }

    /// With another status.
    pub fn status(&self, status: &str) -> Self {
        Self { status: status.to_owned(), ..self.clone() }
    }

    /// One period later.
    pub fn renewed(&self) -> Self {
        Self { start: self.end, end: self.end + (self.end - self.start), ..self.clone() }
    }

    /// Ended at `moment`.
    pub fn canceled(&self, moment: DateTime<Utc>) -> Self {
        Self { status: "canceled".to_owned(), ended_at: Some(moment), ..self.clone() }
    }

    /// The object in Stripe's form.
    pub fn object(&self) -> Value {
        let seconds = |moment: Option<DateTime<Utc>>| moment.map(|moment| moment.timestamp());
        let metadata = self.user.as_ref().map_or(json!({}), |user| json!({ "user_id": user }));
        let mut item = json!({
            "id": format!("si_{}", self.id), "object": "subscription_item", "quantity": 1, "metadata": {},
            "price": { "id": self.price, "object": "price", "currency": "eur", "unit_amount": 900, "type": "recurring",
                "recurring": { "interval": "month", "interval_count": 1 } },
            "subscription": self.id,
        });
        let mut object = json!({
            "id": self.id, "object": "subscription", "customer": self.customer, "status": self.status,
            "livemode": self.livemode, "created": self.start.timestamp(), "metadata": metadata, "currency": "eur",
            "collection_method": "charge_automatically", "billing_cycle_anchor": self.start.timestamp(),
            "cancel_at": seconds(self.cancel_at), "cancel_at_period_end": self.cancel_at_period_end,
            "canceled_at": seconds(self.ended_at), "ended_at": seconds(self.ended_at), "pause_collection": null,
            "trial_start": null, "trial_end": null, "latest_invoice": format!("in_{}", self.id),
        });
        let period = if self.old_shape { &mut object } else { &mut item };
        period["current_period_start"] = json!(self.start.timestamp());
        period["current_period_end"] = json!(self.end.timestamp());
        object["items"] =
            json!({ "object": "list", "has_more": false, "data": [item], "url": "/v1/subscription_items" });
        object
    }

    /// The event `customer.subscription.{what}` about it.
    pub fn event(&self, id: &str, what: &str, created: DateTime<Utc>) -> Value {
        let mut event = event(id, &format!("customer.subscription.{what}"), created, &self.object());
        event["livemode"] = json!(self.livemode);
        event
    }
}

/// An event around any object.
pub fn event(id: &str, kind: &str, created: DateTime<Utc>, object: &Value) -> Value {
    json!({
        "id": id, "object": "event", "api_version": "2026-09-30.endive", "created": created.timestamp(),
        "livemode": false, "pending_webhooks": 1, "request": { "id": null, "idempotency_key": null },
        "type": kind, "data": { "object": object },
    })
}

/// An invoice of a subscription, in the shape since API version 2025-03-31.
pub fn invoice(id: &str, snapshot: &Snapshot, paid: bool) -> Value {
    json!({
        "id": id, "object": "invoice", "customer": snapshot.customer, "currency": "eur", "livemode": false,
        "amount_due": 900, "amount_paid": if paid { 900 } else { 0 }, "total": 900,
        "status": if paid { "paid" } else { "open" }, "billing_reason": "subscription_cycle",
        "created": snapshot.start.timestamp(), "metadata": {},
        "parent": { "type": "subscription_details", "quote_details": null,
            "subscription_details": { "subscription": snapshot.id, "metadata": {} } },
        "lines": { "object": "list", "has_more": false, "data": [] },
    })
}

//! Everything that the sandbox knows, and what is kept in its file.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Charge, Customer, Dispute, Event, Invoice, InvoicePayment, Object, PaymentIntent, PaymentMethod, PortalSession,
    Price, Product, Refund, Session, Subscription, Table, WebhookEndpoint,
};
use crate::sandbox::{api::idempotency::Answers, delivery::Deliveries};

/// What happens to a subscription whose last retry failed: a setting of the Stripe account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterDunning {
    #[default]
    Canceled,
    Unpaid,
    PastDue,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    pub customers: Table<Customer>,
    pub payment_methods: Table<PaymentMethod>,
    pub products: Table<Product>,
    pub prices: Table<Price>,
    pub sessions: Table<Session>,
    pub portal_sessions: Table<PortalSession>,
    pub subscriptions: Table<Subscription>,
    pub invoices: Table<Invoice>,
    pub invoice_payments: Table<InvoicePayment>,
    pub payment_intents: Table<PaymentIntent>,
    pub charges: Table<Charge>,
    pub refunds: Table<Refund>,
    pub disputes: Table<Dispute>,
    pub webhook_endpoints: Table<WebhookEndpoint>,
    /// Kept in a file of its own.
    #[serde(skip)]
    pub events: Table<Event>,
    /// So many of the newest events are not in their file yet.
    #[serde(skip)]
    pub unkept_events: usize,
    pub deliveries: Deliveries,
    pub answers: Answers,
    pub after_dunning: AfterDunning,
    pub invoice_count: u64,
    /// The sandbox's own address, `http://127.0.0.1:8081`, for the links in its answers.
    #[serde(skip)]
    pub base: String,
}

impl State {
    /// The object with this name, of whatever kind: what `expand` puts in place of an id.
    pub fn object(&self, id: &str) -> Option<Value> {
        fn one<T: Object>(state: &State, id: &str) -> Option<Value> {
            T::table(state).get(id).map(|row| row.json(state))
        }
        match id.split('_').next()? {
            "cus" => one::<Customer>(self, id),
            "pm" => one::<PaymentMethod>(self, id),
            "prod" => one::<Product>(self, id),
            "price" => one::<Price>(self, id),
            "cs" => one::<Session>(self, id),
            "sub" => one::<Subscription>(self, id),
            "in" => one::<Invoice>(self, id),
            "inpay" => one::<InvoicePayment>(self, id),
            "pi" => one::<PaymentIntent>(self, id),
            "ch" => one::<Charge>(self, id),
            "re" => one::<Refund>(self, id),
            "dp" => one::<Dispute>(self, id),
            _ => None,
        }
    }
}

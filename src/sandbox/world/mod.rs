//! What happens at Stripe: customers, subscriptions, invoices and money, and how time moves them. No HTTP in here.

mod card;
mod catalog;
mod checkout;
mod collection;
mod customer;
mod dispute;
mod ending;
mod endpoint;
mod event;
mod invoice;
mod invoice_payment;
mod invoicing;
mod lifecycle;
mod pausing;
mod payment;
mod plan_change;
mod portal;
mod refund;
mod session;
mod state;
mod subscription;
mod table;
mod timeline;

use serde_json::Value;

pub use card::{Card, PaymentMethod};
pub use catalog::{Price, Product, money};
pub use checkout::{BANK_SECONDS, Outcome};
pub use customer::Customer;
pub use dispute::Dispute;
pub use endpoint::{APP_ENDPOINT, WebhookEndpoint};
pub use event::{Event, difference};
pub use invoice::{BillingReason, Invoice, InvoiceStatus, Line};
pub use invoice_payment::InvoicePayment;
pub use lifecycle::{Begin, TrialEnd};
pub use payment::{Charge, IntentStatus, PaymentIntent};
pub use plan_change::Proration;
pub use portal::PortalSession;
pub use refund::Refund;
pub use session::{LineItem, Mode, Phase, Session, Settlement};
pub use state::{AfterDunning, State};
pub use subscription::{Cancellation, Item, MissingCard, Pause, Status, Subscription};
pub use table::{Object, Table};

/// Key and value pairs of the caller.
pub type Metadata = std::collections::BTreeMap<String, String>;

/// The API request that makes something happen; none when time does.
#[derive(Clone, Default)]
pub struct Cause {
    pub request_id: Option<String>,
    pub idempotency_key: Option<String>,
}

/// The state at one instant (UNIX seconds), and who changes it.
pub struct World<'a> {
    pub state: &'a mut State,
    pub now: i64,
    pub cause: Cause,
}

impl<'a> World<'a> {
    pub fn new(state: &'a mut State, now: i64) -> Self {
        Self { state, now, cause: Cause::default() }
    }

    pub fn get<T: Object>(&self, id: &str) -> Option<&T> {
        T::table(self.state).get(id)
    }

    pub fn json<T: Object>(&self, id: &str) -> Value {
        self.get::<T>(id).map_or(Value::Null, |row| row.json(self.state))
    }

    /// Changes a row without telling anybody.
    pub fn edit<T: Object>(&mut self, id: &str, change: impl FnOnce(&mut T)) {
        if let Some(row) = T::table_mut(self.state).get_mut(id) {
            change(row);
        }
    }

    /// Changes a row, and sends an event with the values that were there before when any was another.
    pub fn update<T: Object>(&mut self, id: &str, kind: &str, change: impl FnOnce(&mut T)) {
        let before = self.json::<T>(id);
        self.edit(id, change);
        let after = self.json::<T>(id);
        if let Some(previous) = difference(&before, &after) {
            self.emit_with(kind, &after, Some(&previous));
        }
    }

    /// Sends an event about a row as it is now.
    pub fn tell<T: Object>(&mut self, kind: &str, id: &str) {
        let object = self.json::<T>(id);
        self.emit_with(kind, &object, None);
    }
}

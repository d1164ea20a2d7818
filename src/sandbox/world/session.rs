//! Checkout sessions.

use serde::{Deserialize, Serialize};

use super::{Metadata, MissingCard, table::object};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Payment,
    Subscription,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    Open,
    Complete,
    Expired,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct LineItem {
    pub id: String,
    pub price: String,
    pub quantity: i64,
}

/// A payment by a delayed method: what its bank will say, and when.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Settlement {
    pub at: i64,
    pub succeeds: bool,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Session {
    pub id: String,
    pub created: i64,
    pub expires_at: i64,
    pub mode: Mode,
    pub phase: Phase,
    pub payment_status: String,
    pub customer: Option<String>,
    pub customer_email: Option<String>,
    pub client_reference_id: Option<String>,
    pub success_url: String,
    pub cancel_url: Option<String>,
    pub line_items: Vec<LineItem>,
    pub currency: String,
    pub amount_subtotal: i64,
    /// What is due now: nothing while a trial runs.
    pub amount_total: i64,
    pub metadata: Metadata,
    pub locale: Option<String>,
    pub allow_promotion_codes: Option<bool>,
    pub billing_address_collection: Option<String>,
    pub payment_method_collection: String,
    pub customer_creation: Option<String>,
    /// `subscription_data` or `payment_intent_data`, by mode.
    pub data_metadata: Metadata,
    pub data_description: Option<String>,
    pub trial_end: Option<i64>,
    pub trial_period_days: Option<i64>,
    pub missing_card: MissingCard,
    pub subscription: Option<String>,
    pub payment_intent: Option<String>,
    pub invoice: Option<String>,
    pub settlement: Option<Settlement>,
}

object!(Session, "checkout.session", sessions, crate::sandbox::json::session::session);

impl Session {
    /// Where the browser goes after payment.
    pub fn return_address(&self) -> String {
        self.success_url.replace("{CHECKOUT_SESSION_ID}", &self.id)
    }

    /// When the trial ends that this session gives, if it is paid at `now`.
    pub fn trial_from(&self, now: i64) -> Option<i64> {
        let days =
            self.trial_period_days.map(|days| now.saturating_add(days.saturating_mul(crate::sandbox::calendar::DAY)));
        self.trial_end.or(days)
    }
}

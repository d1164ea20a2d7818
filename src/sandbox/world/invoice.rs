//! Invoices: their facts.

use serde::{Deserialize, Serialize};

use super::{Metadata, table::object};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InvoiceStatus {
    Draft,
    Open,
    Paid,
    Void,
    Uncollectible,
}

impl InvoiceStatus {
    pub fn word(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Open => "open",
            Self::Paid => "paid",
            Self::Void => "void",
            Self::Uncollectible => "uncollectible",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BillingReason {
    Create,
    Cycle,
    Update,
}

impl BillingReason {
    pub fn word(self) -> &'static str {
        match self {
            Self::Create => "subscription_create",
            Self::Cycle => "subscription_cycle",
            Self::Update => "subscription_update",
        }
    }
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Line {
    pub id: String,
    pub description: String,
    pub price: String,
    pub item: String,
    pub quantity: i64,
    pub amount: i64,
    pub period_start: i64,
    pub period_end: i64,
    pub proration: bool,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Invoice {
    pub id: String,
    pub created: i64,
    pub number: Option<String>,
    pub customer: String,
    pub subscription: String,
    pub subscription_metadata: Metadata,
    pub status: InvoiceStatus,
    pub reason: BillingReason,
    pub currency: String,
    pub lines: Vec<Line>,
    pub period_start: i64,
    pub period_end: i64,
    pub auto_advance: bool,
    pub attempt_count: i64,
    pub next_attempt: Option<i64>,
    pub finalizes_at: Option<i64>,
    pub finalized_at: Option<i64>,
    pub paid_at: Option<i64>,
    pub voided_at: Option<i64>,
    pub uncollectible_at: Option<i64>,
    pub payment_intent: Option<String>,
    /// A delayed method has the money under way: nothing is retried meanwhile.
    pub processing: bool,
}

object!(Invoice, "invoice", invoices, crate::sandbox::json::invoice::invoice);

impl Invoice {
    pub fn total(&self) -> i64 {
        self.lines.iter().map(|line| line.amount).sum()
    }

    /// A credit is kept for later, never paid out.
    pub fn due(&self) -> i64 {
        self.total().max(0)
    }
}

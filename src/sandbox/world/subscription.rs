//! Subscriptions: their facts.

use serde::{Deserialize, Serialize};

use super::{Line, Metadata, table::object};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Incomplete,
    IncompleteExpired,
    Trialing,
    Active,
    PastDue,
    Unpaid,
    Paused,
    Canceled,
}

impl Status {
    pub fn word(self) -> &'static str {
        match self {
            Self::Incomplete => "incomplete",
            Self::IncompleteExpired => "incomplete_expired",
            Self::Trialing => "trialing",
            Self::Active => "active",
            Self::PastDue => "past_due",
            Self::Unpaid => "unpaid",
            Self::Paused => "paused",
            Self::Canceled => "canceled",
        }
    }

    /// Nothing brings it back.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Canceled | Self::IncompleteExpired)
    }

    /// Time moves its period.
    pub fn renews(self) -> bool {
        matches!(self, Self::Trialing | Self::Active | Self::PastDue | Self::Unpaid)
    }
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Item {
    pub id: String,
    pub created: i64,
    pub price: String,
    pub quantity: i64,
    pub metadata: Metadata,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Pause {
    pub behavior: String,
    pub resumes_at: Option<i64>,
}

/// What a trial's end does to a subscription without a card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingCard {
    Cancel,
    #[default]
    CreateInvoice,
    Pause,
}

impl MissingCard {
    pub fn word(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::CreateInvoice => "create_invoice",
            Self::Pause => "pause",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Self::Cancel, Self::CreateInvoice, Self::Pause].into_iter().find(|behavior| behavior.word() == word)
    }
}

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Cancellation {
    pub comment: Option<String>,
    pub feedback: Option<String>,
    pub reason: Option<String>,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Subscription {
    pub id: String,
    pub created: i64,
    pub customer: String,
    pub status: Status,
    pub currency: String,
    pub items: Vec<Item>,
    pub period_start: i64,
    pub period_end: i64,
    pub billing_cycle_anchor: i64,
    pub trial_start: Option<i64>,
    pub trial_end: Option<i64>,
    pub told_of_trial_end: bool,
    pub cancel_at: Option<i64>,
    pub cancel_at_period_end: bool,
    pub canceled_at: Option<i64>,
    pub ended_at: Option<i64>,
    pub cancellation: Cancellation,
    pub default_payment_method: Option<String>,
    pub latest_invoice: Option<String>,
    pub description: Option<String>,
    pub metadata: Metadata,
    pub pause: Option<Pause>,
    /// While the status is `paused`: since when, and Stripe's word for the reason.
    #[serde(default)]
    pub paused: Option<(i64, String)>,
    pub missing_card: MissingCard,
    /// Prorations that wait for the next invoice.
    #[serde(default)]
    pub pending_lines: Vec<Line>,
    /// Flexible billing names the date of a cancellation instead of the period's end.
    pub flexible: bool,
}

object!(Subscription, "subscription", subscriptions, crate::sandbox::json::subscription::subscription);

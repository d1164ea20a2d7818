//! How access stands, as a word and a shape, and the next step when it ends.

use super::moment::Moment;
use crate::domain::subscription::{Kind, Status};

/// The effective status (`docs/rules.md §3`) as a person sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Badge {
    /// The trial given at sign-up runs.
    Trial,
    /// Paid for, or given by an admin.
    Active,
    /// Subscribed, while the days that were left come first (`docs/rules.md §7`).
    ActiveAfterTrial,
    /// The last payment failed.
    PastDue,
    /// Ended by the person or by Stripe.
    Canceled,
    /// Past its end.
    Expired,
    /// There never was a subscription.
    Nothing,
}

impl Badge {
    /// For the subscription that is shown, by its effective status.
    pub fn of(kind: Kind, status: Status) -> Self {
        match (status, kind) {
            (Status::Trialing, Kind::Recurring) => Self::ActiveAfterTrial,
            (Status::Trialing, _) => Self::Trial,
            (Status::Active, _) => Self::Active,
            (Status::PastDue, _) => Self::PastDue,
            (Status::Canceled, _) => Self::Canceled,
            (Status::Expired, _) => Self::Expired,
        }
    }

    /// For a line of the list.
    pub fn of_line(status: Option<Status>, kind: Option<Kind>) -> Self {
        status.zip(kind).map_or(Self::Nothing, |(status, kind)| Self::of(kind, status))
    }

    /// The key of the word on the page.
    pub fn word(self) -> &'static str {
        match self {
            Self::Trial => "status-trial",
            Self::Active | Self::ActiveAfterTrial => "status-active",
            Self::PastDue => "status-past-due",
            Self::Canceled => "status-canceled",
            Self::Expired => "status-expired",
            Self::Nothing => "status-nothing",
        }
    }

    /// The effective status in the word of the data.
    pub fn code(self) -> &'static str {
        match self {
            Self::Trial | Self::ActiveAfterTrial => "trialing",
            Self::Active => "active",
            Self::PastDue => "past_due",
            Self::Canceled => "canceled",
            Self::Expired => "expired",
            Self::Nothing => "none",
        }
    }

    /// The name of the shape and the colour.
    pub fn shape(self) -> &'static str {
        match self {
            Self::ActiveAfterTrial => "active",
            other => other.code(),
        }
    }
}

/// Why a person may not read.
pub use crate::domain::access::Denial as Reason;

/// A reason in words that lead on. They are keys.
pub trait Explained {
    /// The sentence that says what is the matter.
    fn heading(self) -> &'static str;
    /// What it means, and what stays as it is.
    fn explanation(self) -> &'static str;
    /// Whether the way back is the card that is on file, not a new plan.
    fn needs_billing(self) -> bool;
}

impl Explained for Reason {
    fn heading(self) -> &'static str {
        match self {
            Self::NeverSubscribed => "denied-never-subscribed",
            Self::TrialEnded => "denied-trial-ended",
            Self::PeriodEnded => "denied-period-ended",
            Self::PaymentFailed => "denied-payment-failed",
            Self::Canceled => "denied-canceled",
            Self::Paused => "denied-paused",
            Self::EmailUnconfirmed => "denied-email-unconfirmed",
            Self::PlanNotIncluded => "denied-plan-not-included",
        }
    }

    fn explanation(self) -> &'static str {
        match self {
            Self::NeverSubscribed => "denied-never-subscribed-text",
            Self::TrialEnded => "denied-trial-ended-text",
            Self::PeriodEnded => "denied-period-ended-text",
            Self::PaymentFailed => "denied-payment-failed-text",
            Self::Canceled => "denied-canceled-text",
            Self::Paused => "denied-paused-text",
            Self::EmailUnconfirmed => "denied-email-unconfirmed-text",
            Self::PlanNotIncluded => "denied-plan-not-included-text",
        }
    }

    fn needs_billing(self) -> bool {
        matches!(self, Self::PaymentFailed | Self::Paused)
    }
}

/// The answer of the gate as the account shows it (`docs/rules.md §3`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// May read.
    Granted {
        /// The end of what is given now.
        until: Moment,
        /// How long that is, in words: "184 days".
        left: String,
        /// How much of the period is used up, in percent; nothing hides the bar.
        used: Option<u8>,
        /// Goes on by itself after `until`.
        renews: bool,
    },
    /// May not read.
    Denied {
        /// Why.
        reason: Reason,
        /// When it ended, if there was something.
        since: Option<Moment>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_badge_keeps_the_effective_status_of_every_subscription() {
        for kind in Kind::ALL {
            for status in Status::ALL {
                assert_eq!(Badge::of(kind, status).code(), status.as_str(), "{kind:?}");
            }
        }
    }

    /// Whoever subscribed in the trial has nothing left to do, and must not be told to choose a plan.
    #[test]
    fn a_subscription_that_begins_with_the_trials_rest_is_called_active() {
        let badge = Badge::of(Kind::Recurring, Status::Trialing);
        assert_eq!((badge.word(), badge.code(), badge.shape()), ("status-active", "trialing", "active"));
        assert_eq!(Badge::of(Kind::Trial, Status::Trialing).word(), "status-trial");
    }
}

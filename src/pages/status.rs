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

    /// The word on the page.
    pub fn word(self) -> &'static str {
        match self {
            Self::Trial => "Trial",
            Self::Active | Self::ActiveAfterTrial => "Active",
            Self::PastDue => "Past due",
            Self::Canceled => "Canceled",
            Self::Expired => "Expired",
            Self::Nothing => "No subscription",
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

/// A reason in words that lead on.
pub trait Words {
    /// The sentence that says what is the matter.
    fn heading(self) -> &'static str;
    /// What it means, and what stays as it is.
    fn explanation(self) -> &'static str;
    /// Whether the way back is the card that is on file, not a new plan.
    fn needs_billing(self) -> bool;
}

impl Words for Reason {
    fn heading(self) -> &'static str {
        match self {
            Self::NeverSubscribed => "You have no subscription yet",
            Self::TrialEnded => "Your trial has ended",
            Self::PeriodEnded => "Your subscription has ended",
            Self::PaymentFailed => "Your last payment did not go through",
            Self::Canceled => "Your subscription was canceled",
            Self::Paused => "Your subscription is paused",
        }
    }

    fn explanation(self) -> &'static str {
        match self {
            Self::NeverSubscribed => {
                "Premium pages are for subscribers. Your account is ready: all it needs is a plan."
            }
            Self::TrialEnded => "Thank you for trying it. Your account is as you left it. Choose a plan to read on.",
            Self::PeriodEnded => {
                "The time that was paid for is used up. Your account is as you left it. Choose a plan to read on."
            }
            Self::PaymentFailed => {
                "Access comes back by itself as soon as the payment succeeds. Often the card has expired, or the bank \
                 wants a confirmation."
            }
            Self::Canceled => "Nothing more will be charged. You can come back whenever you like: choose a plan.",
            Self::Paused => {
                "While it is paused nothing is charged, and premium pages stay closed. Resume it to read on."
            }
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
        assert_eq!((badge.word(), badge.code(), badge.shape()), ("Active", "trialing", "active"));
        assert_eq!(Badge::of(Kind::Trial, Status::Trialing).word(), "Trial");
    }
}

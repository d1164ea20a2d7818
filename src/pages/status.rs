//! How access stands, as a word and a shape, and the next step when it ends.

use super::moment::Moment;

/// The effective status (`docs/rules.md` §3) as a person sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Badge {
    /// The trial given at sign-up runs.
    Trial,
    /// Paid for, or given by an admin.
    Active,
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
    /// The word on the page.
    pub fn word(self) -> &'static str {
        match self {
            Self::Trial => "Trial",
            Self::Active => "Active",
            Self::PastDue => "Past due",
            Self::Canceled => "Canceled",
            Self::Expired => "Expired",
            Self::Nothing => "No subscription",
        }
    }

    /// The word of the data, also the name of the shape and the colour.
    pub fn code(self) -> &'static str {
        match self {
            Self::Trial => "trialing",
            Self::Active => "active",
            Self::PastDue => "past_due",
            Self::Canceled => "canceled",
            Self::Expired => "expired",
            Self::Nothing => "none",
        }
    }
}

/// Why a person may not read, in words that lead on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No trial and no subscription.
    NeverSubscribed,
    /// The trial is over.
    TrialEnded,
    /// What was paid for is over.
    PeriodEnded,
    /// The last payment failed and there is no grace left.
    PaymentFailed,
    /// The subscription was ended.
    Canceled,
    /// The subscription is paused at Stripe.
    Paused,
}

impl Reason {
    /// The word of the data.
    pub fn code(self) -> &'static str {
        match self {
            Self::NeverSubscribed => "never_subscribed",
            Self::TrialEnded => "trial_ended",
            Self::PeriodEnded => "period_ended",
            Self::PaymentFailed => "payment_failed",
            Self::Canceled => "canceled",
            Self::Paused => "paused",
        }
    }

    /// The sentence that says what is the matter.
    pub fn heading(self) -> &'static str {
        match self {
            Self::NeverSubscribed => "You have no subscription yet",
            Self::TrialEnded => "Your trial has ended",
            Self::PeriodEnded => "Your subscription has ended",
            Self::PaymentFailed => "Your last payment did not go through",
            Self::Canceled => "Your subscription was canceled",
            Self::Paused => "Your subscription is paused",
        }
    }

    /// What it means, and what stays as it is.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::NeverSubscribed => {
                "Premium pages are for subscribers. Your account is ready: all it needs is a plan."
            }
            Self::TrialEnded => "Thank you for trying it. Your account and your settings are as you left them.",
            Self::PeriodEnded => {
                "The time that was paid for is used up. Your account and your settings are as you left them."
            }
            Self::PaymentFailed => {
                "Access comes back by itself as soon as the payment succeeds. Often the card has expired or the bank wants a confirmation."
            }
            Self::Canceled => "Nothing more will be charged. You can come back whenever you like.",
            Self::Paused => "While it is paused nothing is charged, and premium pages stay closed.",
        }
    }

    /// Whether the way back is the card that is on file, not a new plan.
    pub fn is_about_billing(self) -> bool {
        matches!(self, Self::PaymentFailed | Self::Paused)
    }
}

/// The answer of the gate as the account shows it (`docs/rules.md` §3).
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

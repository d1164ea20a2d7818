//! What people are told by mail.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// A message to one person. Names, address and time zone are looked up when it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Notice {
    /// A new password can be set by a link.
    ResetPassword,
    /// The password is another one.
    PasswordChanged,
    /// The account is gone.
    AccountDeleted,
    /// A payment did not go through.
    PaymentFailed {
        /// The key of the plan, where it is known.
        plan: Option<String>,
        /// What was to be paid.
        amount: Option<Amount>,
        /// When Stripe tries again, if it does.
        next_attempt: Option<DateTime<Utc>>,
    },
    /// A subscription is over.
    SubscriptionEnded {
        /// The key of the plan, where it is known.
        plan: Option<String>,
        /// When it ended.
        ended_at: DateTime<Utc>,
    },
    /// The bank took money back: a dispute was lost.
    DisputeLost {
        /// The key of the plan, where it is known.
        plan: Option<String>,
        /// What was taken back.
        amount: Option<Amount>,
        /// Nothing is left of what was paid.
        in_full: bool,
    },
    /// Money went back.
    Refunded {
        /// The key of the plan, where it is known.
        plan: Option<String>,
        /// What went back in all by now.
        amount: Option<Amount>,
        /// Everything that was paid.
        in_full: bool,
    },
    /// A link that confirms the address of the account.
    ConfirmEmail,
    /// A link that puts this address in the place of the account's; the mail goes there.
    ConfirmNewEmail {
        /// The address as it was typed.
        email: String,
    },
    /// The address of the account is another now; the mail goes to the one that it was.
    EmailChanged,
    /// Somebody who is signed in wants to give the account another address; the mail goes to the present one.
    EmailChangeAsked,
    /// Somebody wants to give their account the address that is this person's.
    EmailWanted,
    /// A second factor is asked for from now on.
    SecondFactorOn,
    /// No second factor is asked for any more.
    SecondFactorOff,
    /// Somebody logged in with a recovery code.
    RecoveryCodeUsed,
    /// New recovery codes take the place of the old ones.
    RecoveryCodesNew,
}

/// An amount in its currency's smallest unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// How many of the smallest unit.
    pub minor: i64,
    /// Three letters, as Stripe writes them.
    pub currency: String,
}

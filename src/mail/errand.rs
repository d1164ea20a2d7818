//! What a mail asks its reader to do by a link that only its reader has.

use chrono::TimeDelta;

use crate::{
    domain::notice::Notice,
    store::{
        tokens::{Purpose, Token},
        users::User,
    },
};

/// For how long an address can be confirmed.
const CONFIRMATION: TimeDelta = TimeDelta::days(3);

/// For how long a new password can be set.
const RESET: TimeDelta = TimeDelta::hours(1);

/// What the link is good for, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Errand {
    pub(super) purpose: Purpose,
    pub(super) token: Token,
    /// Counted from the moment at which the mail is sent.
    pub(super) valid_for: TimeDelta,
}

impl Errand {
    /// What `notice` asks for, if it asks for anything.
    pub(super) fn of(notice: &Notice, user: &User) -> Option<Self> {
        let (purpose, email, valid_for) = match notice {
            Notice::ConfirmEmail => (Purpose::EmailConfirmation, Some(user.email.clone()), CONFIRMATION),
            Notice::ConfirmNewEmail { email } => (Purpose::EmailChange, Some(email.clone()), CONFIRMATION),
            Notice::ResetPassword => (Purpose::PasswordReset, Some(user.email.clone()), RESET),
            Notice::PaymentFailed { .. }
            | Notice::SubscriptionEnded { .. }
            | Notice::Refunded { .. }
            | Notice::DisputeLost { .. }
            | Notice::EmailChanged
            | Notice::EmailChangeAsked
            | Notice::EmailWanted
            | Notice::SecondFactorOn
            | Notice::SecondFactorOff
            | Notice::RecoveryCodeUsed
            | Notice::RecoveryCodesNew
            | Notice::PasswordChanged
            | Notice::AccountDeleted => return None,
        };
        Some(Self { purpose, token: Token { user_id: user.id, email }, valid_for })
    }

    /// Whether there still is something to do: a mail may have waited for days.
    pub(super) fn is_wanted(notice: &Notice, user: &User) -> bool {
        match notice {
            // Whoever is gone is told that, and nothing else.
            Notice::AccountDeleted => true,
            _ if user.deleted => false,
            Notice::ConfirmEmail => !user.email_confirmed,
            Notice::ConfirmNewEmail { email } => user.email_pending.as_ref() == Some(email),
            _ => true,
        }
    }
}

//! The one decision: may this person see premium pages now? (`docs/rules.md §3`)

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::subscription::{AccessPolicy, Kind, Status, Subscription};

/// The answer that feeds pages, JSON and proxies alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Premium pages open.
    Granted {
        /// The kind of the subscription that opens them.
        by: Kind,
        /// The latest access end of those that give access.
        until: DateTime<Utc>,
        /// A recurring one gives access and no end is set for it.
        renews: bool,
    },
    /// They stay closed.
    Denied {
        /// Why, in a way that leads to a next step.
        reason: Denial,
    },
}

/// Why premium pages stay closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Denial {
    /// No subscription of any kind, ever.
    NeverSubscribed,
    /// The trial ran out.
    TrialEnded,
    /// What was paid or given ran out.
    PeriodEnded,
    /// A renewal was not paid.
    PaymentFailed,
    /// The subscription was ended.
    Canceled,
    /// The subscription is paused at Stripe.
    Paused,
    /// A subscription would open them, and only the address is not confirmed.
    EmailUnconfirmed,
    /// Something gives access, and this gate is for another plan.
    PlanNotIncluded,
}

impl Denial {
    /// Every reason.
    pub const ALL: [Self; 8] = [
        Self::NeverSubscribed,
        Self::TrialEnded,
        Self::PeriodEnded,
        Self::PaymentFailed,
        Self::Canceled,
        Self::Paused,
        Self::EmailUnconfirmed,
        Self::PlanNotIncluded,
    ];

    /// The word that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NeverSubscribed => "never_subscribed",
            Self::TrialEnded => "trial_ended",
            Self::PeriodEnded => "period_ended",
            Self::PaymentFailed => "payment_failed",
            Self::Canceled => "canceled",
            Self::Paused => "paused",
            Self::EmailUnconfirmed => "email_unconfirmed",
            Self::PlanNotIncluded => "plan_not_included",
        }
    }
}

/// Decides from all of a person's subscriptions, and from whether their address is confirmed (`docs/rules.md §3`).
pub fn premium_access(
    subscriptions: &[Subscription],
    email_confirmed: bool,
    policy: &AccessPolicy,
    now: DateTime<Utc>,
) -> Access {
    let giving = || subscriptions.iter().filter(|one| one.opens(policy, now));
    let deciding = deciding(subscriptions, policy, now);
    let Some(longest) = giving().max_by_key(|one| one.access_end(policy)) else {
        let elsewhere = deciding.is_some_and(|one| one.gives_access(policy, now));
        return Access::Denied { reason: if elsewhere { Denial::PlanNotIncluded } else { denial(deciding) } };
    };
    // Last, so that nobody confirms an address only to be told that there is nothing to read.
    if policy.confirmed_email_only && !email_confirmed {
        return Access::Denied { reason: Denial::EmailUnconfirmed };
    }
    Access::Granted {
        by: deciding.unwrap_or(longest).kind,
        until: longest.access_end(policy).unwrap_or(now),
        renews: giving().any(Subscription::renews),
    }
}

/// The subscription to show the person: a recurring one that gives access or is past due, because its payment is
/// what matters; else the one that lasts longest (`docs/rules.md §3`).
pub fn shown<'a>(
    subscriptions: &'a [Subscription],
    policy: &AccessPolicy,
    now: DateTime<Utc>,
) -> Option<&'a Subscription> {
    subscriptions.iter().max_by_key(|one| {
        let gives = one.gives_access(policy, now);
        let matters = one.kind == Kind::Recurring && (gives || one.status == Status::PastDue);
        (matters, gives, one.horizon(policy), one.id)
    })
}

/// The subscription that the decision rests on: the one that opens the gate; else the one that says why it is closed.
pub fn deciding<'a>(
    subscriptions: &'a [Subscription],
    policy: &AccessPolicy,
    now: DateTime<Utc>,
) -> Option<&'a Subscription> {
    let gives = |one: &&Subscription| one.opens(policy, now);
    let shown = shown(subscriptions, policy, now);
    let longest = || subscriptions.iter().filter(gives).max_by_key(|one| one.access_end(policy));
    shown.filter(gives).or_else(longest).or(shown)
}

/// The recurring subscription that still runs at Stripe, if there is one: the one that is shown, where that is one.
/// Who has it is not sold another (`docs/rules.md §8`), and can cancel or resume it.
pub fn live<'a>(
    subscriptions: &'a [Subscription],
    policy: &AccessPolicy,
    now: DateTime<Utc>,
) -> Option<&'a Subscription> {
    let runs = |one: &&Subscription| one.is_live_at_provider();
    shown(subscriptions, policy, now).filter(runs).or_else(|| subscriptions.iter().find(runs))
}

fn denial(deciding: Option<&Subscription>) -> Denial {
    let Some(deciding) = deciding else { return Denial::NeverSubscribed };
    match (deciding.kind, deciding.status, deciding.provider_status.as_deref()) {
        (_, Status::PastDue, _) | (_, Status::Expired, Some("unpaid")) => Denial::PaymentFailed,
        (_, Status::Expired, Some("paused")) => Denial::Paused,
        (_, Status::Trialing | Status::Active, _) if deciding.collection_voided => Denial::Paused,
        (_, Status::Canceled, _) => Denial::Canceled,
        (Kind::Trial, _, _) => Denial::TrialEnded,
        _ => Denial::PeriodEnded,
    }
}

#[cfg(test)]
mod tests;

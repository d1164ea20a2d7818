//! What a person paid, as the account lists it.

use super::{account::plan_name, moment::Moment, site::Site};
use crate::{
    domain::{
        money::Money,
        payment::{Payment, PaymentStatus},
    },
    error::Error,
    store::{payments, sessions::SignedIn},
    words::Words,
};

/// So many are shown.
const SHOWN: usize = 24;

/// The list.
#[derive(Clone, Debug, Default)]
pub struct Payments {
    /// The newest first.
    pub lines: Vec<PaymentLine>,
    /// There are older ones.
    pub has_more: bool,
}

impl Payments {
    /// Whether one of them is not decided yet.
    pub fn has_pending(&self) -> bool {
        self.lines.iter().any(|line| line.state == PaymentState::Pending)
    }
}

/// One payment.
#[derive(Clone, Debug)]
pub struct PaymentLine {
    /// When it was paid or tried.
    pub at: Moment,
    /// What for: the plan's name.
    pub what: String,
    /// The amount with its currency ("€9.00").
    pub amount: String,
    /// How it stands.
    pub state: PaymentState,
    /// What went back of it, if something did.
    pub refunded: Option<String>,
    /// The address of the receipt at Stripe.
    pub receipt: Option<String>,
}

/// How a payment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentState {
    /// The money came.
    Paid,
    /// Not decided.
    Pending,
    /// It did not go through.
    Failed,
    /// Some of it went back.
    PartlyRefunded,
    /// All of it went back.
    Refunded,
    /// The card's owner told the bank that it was not right.
    Disputed,
    /// The bank took it back.
    ChargedBack,
}

impl PaymentState {
    /// Every state.
    pub const ALL: [Self; 7] = [
        Self::Paid,
        Self::Pending,
        Self::Failed,
        Self::PartlyRefunded,
        Self::Refunded,
        Self::Disputed,
        Self::ChargedBack,
    ];

    /// What matters most of what is known.
    pub fn of(payment: &Payment) -> Self {
        match (payment.dispute.as_deref(), payment.status) {
            (Some("lost"), _) if payment.amount_lost == 0 || payment.amount_lost >= payment.amount => Self::ChargedBack,
            _ if payment.is_refunded() => Self::Refunded,
            (Some("needs_response" | "under_review" | "warning_needs_response" | "warning_under_review"), _) => {
                Self::Disputed
            }
            _ if payment.amount_refunded > 0 || payment.amount_lost > 0 => Self::PartlyRefunded,
            (_, PaymentStatus::Paid) => Self::Paid,
            (_, PaymentStatus::Pending) => Self::Pending,
            (_, PaymentStatus::Failed) => Self::Failed,
        }
    }

    /// The key of the word on the page.
    pub fn word(self) -> &'static str {
        match self {
            Self::Paid => "payments-paid",
            Self::Pending => "payments-pending",
            Self::Failed => "payments-failed",
            Self::PartlyRefunded => "payments-partly-refunded",
            Self::Refunded => "payments-refunded",
            Self::Disputed => "payments-disputed",
            Self::ChargedBack => "payments-charged-back",
        }
    }

    /// The word in the data.
    pub fn code(self) -> &'static str {
        match self {
            Self::Paid => "paid",
            Self::Pending => "pending",
            Self::Failed => "failed",
            Self::PartlyRefunded => "partly_refunded",
            Self::Refunded => "refunded",
            Self::Disputed => "disputed",
            Self::ChargedBack => "charged_back",
        }
    }

    /// The name of the shape and the colour, among those of the statuses.
    pub fn shape(self) -> &'static str {
        match self {
            Self::Paid | Self::PartlyRefunded => "active",
            Self::Pending => "trialing",
            Self::Failed | Self::Disputed => "past_due",
            Self::Refunded | Self::ChargedBack => "canceled",
        }
    }
}

/// The payments of a person.
///
/// # Errors
/// The database failed.
pub async fn payments_of(site: &Site, person: &SignedIn) -> Result<Payments, Error> {
    let (user, limit) = (person.user.id, i64::try_from(SHOWN + 1).unwrap_or(i64::MAX));
    let mut newest = site.store.read(move |conn| payments::of_user(conn, user, limit)).await?;
    let has_more = newest.len() > SHOWN;
    newest.truncate(SHOWN);
    Ok(Payments { lines: newest.iter().map(|payment| line(site, person, payment)).collect(), has_more })
}

fn line(site: &Site, person: &SignedIn, payment: &Payment) -> PaymentLine {
    let language = person.user.language();
    let sum = |minor: i64| match payment.currency {
        Some(currency) => Money::new(minor, currency).in_words_of(language),
        None => minor.to_string(),
    };
    PaymentLine {
        at: site.moment(payment.happened_at, &person.user),
        what: what_for(site, person, payment),
        amount: sum(payment.amount),
        state: PaymentState::of(payment),
        refunded: (payment.amount_refunded > 0).then(|| sum(payment.amount_refunded)),
        receipt: payment.receipt_url.clone(),
    }
}

/// The plan's name; an invoice that names no plan is one of its subscription's.
fn what_for(site: &Site, person: &SignedIn, payment: &Payment) -> String {
    let of_subscription = || {
        let provider_id = payment.subscription.as_deref()?;
        person.subscriptions.iter().find(|one| one.provider_id.as_deref() == Some(provider_id))?.plan.as_deref()
    };
    let plan = payment.plan.as_deref().or_else(of_subscription);
    plan.and_then(|key| plan_name(site, key))
        .unwrap_or_else(|| Words::of(person.user.language()).say("payments-subscription").into())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::domain::payment::{Purchase, Purpose};

    fn payment(status: PaymentStatus, refunded: i64, dispute: Option<&str>) -> Payment {
        let purchase = Purchase {
            purpose: Purpose::Prepaid,
            subscription: None,
            plan: None,
            months: Some(6),
            status,
            amount: 4_900,
            currency: None,
            happened_at: chrono::DateTime::UNIX_EPOCH,
        };
        Payment { amount_refunded: refunded, dispute: dispute.map(str::to_owned), ..Payment::new(&purchase) }
    }

    #[test]
    fn the_worst_that_happened_to_a_payment_is_what_is_shown() {
        use PaymentStatus::{Failed, Paid, Pending};
        for (status, refunded, dispute, state) in [
            (Pending, 0, None, PaymentState::Pending),
            (Failed, 0, None, PaymentState::Failed),
            (Paid, 0, None, PaymentState::Paid),
            (Paid, 0, Some("won"), PaymentState::Paid),
            (Paid, 0, Some("warning_closed"), PaymentState::Paid),
            (Paid, 0, Some("a_word_of_tomorrow"), PaymentState::Paid),
            (Paid, 1, None, PaymentState::PartlyRefunded),
            (Paid, 1, Some("needs_response"), PaymentState::Disputed),
            (Paid, 4_900, Some("needs_response"), PaymentState::Refunded),
            (Paid, 4_900, Some("lost"), PaymentState::ChargedBack),
            (Paid, 0, Some("lost"), PaymentState::ChargedBack),
        ] {
            assert_eq!(
                PaymentState::of(&payment(status, refunded, dispute)),
                state,
                "{status:?} {refunded} {dispute:?}"
            );
        }
    }

    #[test]
    fn each_state_has_a_word_of_its_own() {
        let words: BTreeSet<_> = PaymentState::ALL.map(PaymentState::word).into();
        let codes: BTreeSet<_> = PaymentState::ALL.map(PaymentState::code).into();
        assert_eq!((words.len(), codes.len()), (PaymentState::ALL.len(), PaymentState::ALL.len()));
    }
}

//! One payment, and how news of it add up: in whatever order they come, and however often, the same is known in the end
//! (`docs/rules.md §6`).

use chrono::{DateTime, Utc};

use super::{money::Currency, subscription::Period};

/// What was paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// An invoice of a subscription at Stripe.
    Subscription,
    /// Months, paid once.
    Prepaid,
}

/// How far it came. A later word of this list stays, whatever is heard afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PaymentStatus {
    /// Not decided: a slow method, or a bank that wants a confirmation.
    Pending,
    /// It did not go through.
    Failed,
    /// The money came.
    Paid,
}

impl Purpose {
    /// Every purpose.
    pub const ALL: [Self; 2] = [Self::Subscription, Self::Prepaid];

    /// The word that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Subscription => "subscription",
            Self::Prepaid => "prepaid",
        }
    }
}

impl PaymentStatus {
    /// Every status.
    pub const ALL: [Self; 3] = [Self::Pending, Self::Failed, Self::Paid];

    /// The word that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Failed => "failed",
            Self::Paid => "paid",
        }
    }
}

/// Stripe's ids of one payment. Any of them names it; none has to be known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaymentIds {
    /// `pi_…`
    pub intent: Option<String>,
    /// `in_…`
    pub invoice: Option<String>,
    /// `cs_…`
    pub session: Option<String>,
    /// `ch_…`
    pub charge: Option<String>,
}

impl PaymentIds {
    /// Those that are known.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        [&self.session, &self.invoice, &self.intent, &self.charge].into_iter().filter_map(Option::as_deref)
    }

    fn fill(&mut self, news: &Self) {
        fill(&mut self.intent, news.intent.as_ref());
        fill(&mut self.invoice, news.invoice.as_ref());
        fill(&mut self.session, news.session.as_ref());
        fill(&mut self.charge, news.charge.as_ref());
    }

    /// Forgets those that belong to another payment.
    pub fn leave(&mut self, other: &Self) {
        for (own, others) in [
            (&mut self.intent, &other.intent),
            (&mut self.invoice, &other.invoice),
            (&mut self.session, &other.session),
            (&mut self.charge, &other.charge),
        ] {
            own.take_if(|id| others.as_ref() == Some(id));
        }
    }
}

/// Everything that is known of one payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// What was paid for.
    pub purpose: Purpose,
    /// Stripe's ids.
    pub ids: PaymentIds,
    /// `sub_…`, for an invoice.
    pub subscription: Option<String>,
    /// The key of the plan, where it is known.
    pub plan: Option<String>,
    /// How many months were bought; only with [`Purpose::Prepaid`].
    pub months: Option<u32>,
    /// How far it came.
    pub status: PaymentStatus,
    /// What was paid or was to be paid, in the currency's smallest unit.
    pub amount: i64,
    /// Of which currency.
    pub currency: Option<Currency>,
    /// When it came as far as that.
    pub happened_at: DateTime<Utc>,
    /// Stripe's page with the receipt.
    pub receipt_url: Option<String>,
    /// What went back so far.
    pub amount_refunded: i64,
    /// What the bank took back in a dispute that was lost.
    pub amount_lost: i64,
    /// Stripe's word for a dispute.
    pub dispute: Option<String>,
    /// What it added to the prepaid subscription.
    pub added: Option<Period>,
    /// When it first did not go through, whether or not it was paid afterwards.
    pub failed_at: Option<DateTime<Utc>>,
    /// When all of the money had gone back: from then on it gives nothing.
    pub taken_back_at: Option<DateTime<Utc>>,
}

/// What one event tells of a payment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Stripe's ids, as far as they are told.
    pub ids: PaymentIds,
    /// What was bought; only an event that tells this can be the first of a payment.
    pub purchase: Option<Purchase>,
    /// Stripe's page with the receipt.
    pub receipt: Option<Receipt>,
    /// What went back so far.
    pub amount_refunded: i64,
    /// What the bank took back in a dispute that was lost.
    pub amount_lost: i64,
    /// Stripe's word for a dispute.
    pub dispute: Option<String>,
    /// All of the money has gone back.
    pub reversed: bool,
}

/// What was bought, and how far the payment came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purchase {
    /// What was paid for.
    pub purpose: Purpose,
    /// `sub_…`, for an invoice.
    pub subscription: Option<String>,
    /// The key of the plan, where it is known.
    pub plan: Option<String>,
    /// How many months were bought.
    pub months: Option<u32>,
    /// How far it came.
    pub status: PaymentStatus,
    /// What was paid or is to be paid.
    pub amount: i64,
    /// Of which currency.
    pub currency: Option<Currency>,
    /// When it came as far as that.
    pub happened_at: DateTime<Utc>,
}

/// A receipt: an invoice says more than a charge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// The invoice's page.
    Invoice(String),
    /// The charge's page.
    Charge(String),
}

impl Payment {
    /// A payment of which nothing else is known.
    pub fn new(purchase: &Purchase) -> Self {
        Self {
            purpose: purchase.purpose,
            ids: PaymentIds::default(),
            subscription: purchase.subscription.clone(),
            plan: purchase.plan.clone(),
            months: purchase.months,
            status: purchase.status,
            amount: purchase.amount,
            currency: purchase.currency,
            happened_at: purchase.happened_at,
            receipt_url: None,
            amount_refunded: 0,
            amount_lost: 0,
            dispute: None,
            added: None,
            failed_at: None,
            taken_back_at: None,
        }
    }

    /// Takes in what an event tells.
    pub fn learn(&mut self, news: &News, now: DateTime<Utc>) {
        self.ids.fill(&news.ids);
        if let Some(purchase) = &news.purchase {
            self.come_as_far_as(purchase);
        }
        match &news.receipt {
            Some(Receipt::Invoice(url)) => self.receipt_url = Some(url.clone()),
            Some(Receipt::Charge(url)) => fill(&mut self.receipt_url, Some(url)),
            None => {}
        }
        self.amount_refunded = self.amount_refunded.max(news.amount_refunded);
        self.amount_lost = self.amount_lost.max(news.amount_lost);
        if let Some(word) = &news.dispute
            && self.dispute.as_ref().is_none_or(|known| finality(word) > finality(known))
        {
            self.dispute = Some(word.clone());
        }
        if news.reversed || self.is_given_back() {
            self.taken_back_at.get_or_insert(now);
        }
    }

    fn come_as_far_as(&mut self, purchase: &Purchase) {
        fill(&mut self.subscription, purchase.subscription.as_ref());
        fill(&mut self.plan, purchase.plan.as_ref());
        self.months = self.months.or(purchase.months);
        if purchase.status == PaymentStatus::Failed {
            let first = self.failed_at.map_or(purchase.happened_at, |known| known.min(purchase.happened_at));
            self.failed_at = Some(first);
        }
        if purchase.status > self.status {
            self.status = purchase.status;
            self.amount = purchase.amount;
            self.currency = purchase.currency.or(self.currency);
            self.happened_at = purchase.happened_at;
        } else if purchase.status == self.status {
            self.amount = self.amount.max(purchase.amount);
            self.currency = self.currency.or(purchase.currency);
            self.happened_at = self.happened_at.min(purchase.happened_at);
        }
    }

    /// The months that it still has to give.
    pub fn months_to_give(&self) -> Option<u32> {
        let due = self.purpose == Purpose::Prepaid && self.status == PaymentStatus::Paid && self.added.is_none();
        self.months.filter(|_| due)
    }

    /// The span that has to go back with the money.
    pub fn span_to_take_back(&self) -> Option<Period> {
        self.added.filter(|_| self.taken_back_at.is_some())
    }

    /// Whether all that was paid went back, in whichever ways.
    fn is_given_back(&self) -> bool {
        self.amount > 0 && self.amount_refunded.saturating_add(self.amount_lost) >= self.amount
    }

    /// Whether as much went back as was paid.
    pub fn is_refunded(&self) -> bool {
        self.amount > 0 && self.amount_refunded >= self.amount
    }
}

/// A dispute's end says more than its course, and a lost one more than any other. The word itself only makes the order
/// total.
fn finality(word: &str) -> (u8, &str) {
    let rank = match word {
        "lost" => 3,
        "won" => 2,
        "warning_closed" | "prevented" | "charge_refunded" => 1,
        _ => 0,
    };
    (rank, word)
}

fn fill<T: Clone>(known: &mut Option<T>, news: Option<&T>) {
    if known.is_none() {
        *known = news.cloned();
    }
}

#[cfg(test)]
mod tests;

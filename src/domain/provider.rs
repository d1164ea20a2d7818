//! Stripe's word about a subscription, and what it becomes with us (`docs/rules.md §5`).

use std::cmp::Ordering;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::subscription::{Period, Status};

/// A subscription as one event, or one answer, of Stripe's showed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Stripe's id of the subscription.
    pub id: String,
    /// The moment that it shows: the event's `created`, or the moment of the answer. Whole seconds.
    pub as_of: DateTime<Utc>,
    /// Stripe's word, verbatim.
    pub status: String,
    /// What is subscribed to, in Stripe's order.
    pub items: Vec<Item>,
    /// The period on the subscription itself, where Stripe put it before API 2025-03-31.
    pub period: Option<Period>,
    /// It ends with the period.
    pub cancel_at_period_end: bool,
    /// The moment at which it will end.
    pub cancel_at: Option<DateTime<Utc>>,
    /// The moment at which it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// The behaviour of a pause of its collection, verbatim.
    pub pause: Option<String>,
}

/// One line of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Stripe's id of the price.
    pub price: String,
    /// The period on the item, where Stripe puts it since API 2025-03-31.
    pub period: Option<Period>,
}

/// What is stored of a subscription at Stripe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The moment that these facts show.
    pub as_of: DateTime<Utc>,
    /// Our word.
    pub status: Status,
    /// Stripe's word, verbatim.
    pub provider_status: String,
    /// The key of our plan; `None` when no item has a price of ours.
    pub plan: Option<String>,
    /// The period as Stripe sent it.
    pub period: Option<Period>,
    /// It ends with the period.
    pub cancel_at_period_end: bool,
    /// The moment at which it will end.
    pub cancel_at: Option<DateTime<Utc>>,
    /// The moment at which it ended.
    pub ended_at: Option<DateTime<Utc>>,
}

/// What a snapshot means for the row of its subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// These facts become the row.
    Store {
        /// The row's new content.
        facts: Facts,
        /// Why Stripe has to be asked again, if there is a doubt.
        doubt: Option<Doubt>,
    },
    /// A newer snapshot is stored already, or the subscription has ended for good.
    Stale {
        /// Why Stripe has to be asked again, if there is a doubt.
        doubt: Option<Doubt>,
    },
    /// Nothing of ours.
    Ignore {
        /// Why, for the journal.
        because: &'static str,
    },
}

/// A reason to ask Stripe again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Two different snapshots of the same second.
    SameSecond,
    /// No period in the snapshot.
    NoPeriod,
    /// A status that we do not know.
    UnknownStatus,
}

/// Decides what `snapshot` does to the row that holds `stored` (`None`: a subscription not seen before).
/// `plan_of` knows the plan of a price of ours.
///
/// The outcome for a set of snapshots does not depend on the order in which they come.
pub fn judge(stored: Option<&Facts>, snapshot: &Snapshot, plan_of: impl Fn(&str) -> Option<String>) -> Verdict {
    if matches!(snapshot.status.as_str(), "incomplete" | "incomplete_expired") {
        return Verdict::Ignore { because: "the first payment has not succeeded" };
    }
    let ours = snapshot.items.iter().find_map(|item| Some((item, plan_of(&item.price)?)));
    if ours.is_none() && stored.is_none() {
        return Verdict::Ignore { because: "no price of ours" };
    }
    let (facts, doubt) = read(snapshot, ours, stored);
    let Some(stored) = stored else { return Verdict::Store { facts, doubt } };
    match newer(&facts, stored) {
        Ordering::Greater => {
            let tie = facts.as_of == stored.as_of && facts.status != Status::Canceled;
            Verdict::Store { facts, doubt: doubt.or(tie.then_some(Doubt::SameSecond)) }
        }
        Ordering::Equal => Verdict::Stale { doubt: None },
        Ordering::Less => {
            let tie = facts.as_of == stored.as_of && stored.status != Status::Canceled;
            Verdict::Stale { doubt: tie.then_some(Doubt::SameSecond) }
        }
    }
}

fn read(snapshot: &Snapshot, ours: Option<(&Item, String)>, stored: Option<&Facts>) -> (Facts, Option<Doubt>) {
    let (status, known) = our_status(&snapshot.status);
    let sent = ours.as_ref().and_then(|(item, _)| item.period).or(snapshot.period);
    let pays_nothing = snapshot.pause.as_deref() == Some("void");
    let period = match (sent, stored.and_then(|facts| facts.period)) {
        // The service stops with a pause that voids the invoices: what was reached stays.
        (Some(sent), Some(reached)) if pays_nothing && sent.end > reached.end => Some(reached),
        (Some(sent), _) => Some(sent),
        // Nothing is granted by a snapshot without a period; nothing is taken away either.
        (None, reached) => reached,
    };
    let doubt = match () {
        () if !known => Some(Doubt::UnknownStatus),
        () if sent.is_none() && status != Status::Canceled => Some(Doubt::NoPeriod),
        () => None,
    };
    let plan = ours.map(|(_, plan)| plan);
    let facts = Facts {
        as_of: snapshot.as_of,
        // Another product's subscription opens nothing here.
        status: if plan.is_none() && status != Status::Canceled { Status::Expired } else { status },
        provider_status: snapshot.status.clone(),
        plan,
        period,
        cancel_at_period_end: snapshot.cancel_at_period_end,
        cancel_at: snapshot.cancel_at,
        ended_at: match status {
            Status::Canceled => Some(snapshot.ended_at.unwrap_or(snapshot.as_of)),
            _ => snapshot.ended_at,
        },
    };
    (facts, doubt)
}

/// The table of `docs/rules.md §5`; an unknown word grants nothing.
fn our_status(word: &str) -> (Status, bool) {
    match word {
        "trialing" => (Status::Trialing, true),
        "active" => (Status::Active, true),
        "past_due" => (Status::PastDue, true),
        "canceled" => (Status::Canceled, true),
        "unpaid" | "paused" => (Status::Expired, true),
        _ => (Status::Expired, false),
    }
}

/// The end is final, whenever it is heard of; else the newest wins, and in the same second the later period end, then
/// active over trialing over past due. The rest only makes the order total, so that every order of arrival ends the
/// same.
fn newer(one: &Facts, other: &Facts) -> Ordering {
    fn key(facts: &Facts) -> impl Ord + '_ {
        let phase = match facts.status {
            Status::Active => 3,
            Status::Trialing => 2,
            Status::PastDue => 1,
            Status::Canceled | Status::Expired => 0,
        };
        (
            (facts.status == Status::Canceled, facts.as_of, facts.period.map(|period| period.end), phase),
            (facts.cancel_at_period_end, facts.cancel_at, facts.ended_at),
            (facts.provider_status.as_str(), facts.plan.as_deref(), facts.period.map(|period| period.start)),
        )
    }
    key(one).cmp(&key(other))
}

#[cfg(test)]
mod tests;

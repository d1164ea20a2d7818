//! Stripe's word about a subscription, and what it becomes with us (`docs/rules.md §5`).

mod known;
mod reading;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use self::known::Known;
use super::subscription::{Period, Status};

/// A subscription as one event, or one answer, of Stripe's showed it.
///
/// The order of the fields is the last resort in the order of snapshots, see [`Known`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Snapshot {
    /// The moment that it shows: the event's `created`, in whole seconds; or that of an answer ([`Known::answered`]).
    pub as_of: DateTime<Utc>,
    /// How it came to us.
    pub source: Source,
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

/// How a snapshot came to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Stripe sent it; `as_of` is Stripe's own time.
    Event,
    /// Stripe answered it to a question asked after everything else that is stored had been said; `as_of` is our time.
    Answer,
}

/// One line of a subscription.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// Its invoices are voided while its collection is paused.
    #[serde(default)]
    pub collection_voided: bool,
}

/// What a snapshot means for the row of its subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing of ours.
    Ignore {
        /// Why, for the journal.
        because: &'static str,
    },
    /// This is what is known now. Without news it can still be more than what was known before.
    Learned {
        /// Everything that decides, to be kept.
        known: Box<Known>,
        /// The row's content.
        facts: Box<Facts>,
        /// Why Stripe has to be asked again, if there is a doubt.
        doubt: Option<Doubt>,
        /// The snapshot is the newest one, or it changed the row.
        news: bool,
    },
}

/// A reason to ask Stripe again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Two different snapshots of the same second; or one that is a little older, by Stripe's clock, than an answer, by
    /// ours.
    SameSecond,
    /// No period in the snapshot.
    NoPeriod,
    /// A status that we do not know.
    UnknownStatus,
}

/// Decides what `snapshot` does to a subscription of which `before` is known (`None`: one not seen before).
/// `plan_of` knows the plan of a price of ours.
///
/// What is known after a set of snapshots does not depend on the order in which they come, nor on how often.
pub fn judge(before: Option<&Known>, snapshot: Snapshot, plan_of: impl Fn(&str) -> Option<String>) -> Verdict {
    if matches!(snapshot.status.as_str(), "incomplete" | "incomplete_expired") {
        return Verdict::Ignore { because: "the first payment has not succeeded" };
    }
    let Some(before) = before else {
        if !snapshot.items.iter().any(|item| plan_of(&item.price).is_some()) {
            return Verdict::Ignore { because: "no price of ours" };
        }
        return learned(Known::first(snapshot), &plan_of, None);
    };
    learned(before.with(&snapshot, &plan_of), &plan_of, Some(before))
}

fn learned(known: Known, plan_of: &impl Fn(&str) -> Option<String>, before: Option<&Known>) -> Verdict {
    let facts = known.facts(plan_of);
    let news = before.is_none_or(|before| before.newest != known.newest || before.facts(plan_of) != facts);
    Verdict::Learned { doubt: known.doubt(plan_of), facts: Box::new(facts), known: Box::new(known), news }
}

#[cfg(test)]
mod tests;

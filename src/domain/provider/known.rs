//! What is known of one subscription, from all snapshots of it that were ever seen.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::{
    Doubt, Facts, Item, Snapshot, Source,
    reading::{VOID, our_status},
};
use crate::domain::subscription::{Period, Status};

/// By how much our clock may be ahead of Stripe's before an event would wrongly look older than an answer.
const CLOCKS_DIFFER: TimeDelta = TimeDelta::minutes(2);

/// Of all snapshots of a subscription, those that decide what its row says. Snapshots come late, twice and out of
/// order, and this is a function of their set: of each kind the first or the last in one total order is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The last in the order: it speaks.
    pub(super) newest: Snapshot,
    /// Something else was said in the same second.
    tied: bool,
    /// The last one that told a period while invoices were not voided. Kept while the newest has no such period.
    reached: Option<Snapshot>,
    /// The first one that told a period while they were. Kept while that is all that is known of a period.
    voided: Option<Snapshot>,
}

impl Known {
    pub(super) fn first(snapshot: Snapshot) -> Self {
        // Nothing is kept beside a snapshot that is alone, whatever the plans are.
        Self { newest: snapshot, tied: false, reached: None, voided: None }
    }

    /// From a row that was written before snapshots were kept; `price` is that of its plan.
    pub fn from_row(facts: &Facts, price: Option<&str>) -> Self {
        let item = |price: &str| Item { price: price.to_owned(), period: facts.period };
        Self::first(Snapshot {
            as_of: facts.as_of,
            source: Source::Event,
            status: facts.provider_status.clone(),
            items: price.map(item).into_iter().collect(),
            period: facts.period,
            cancel_at_period_end: facts.cancel_at_period_end,
            cancel_at: facts.cancel_at,
            ended_at: facts.ended_at,
            pause: facts.collection_voided.then(|| VOID.to_owned()),
        })
    }

    /// Takes in one more snapshot.
    pub(super) fn with(&self, snapshot: &Snapshot, plan_of: &impl Fn(&str) -> Option<String>) -> Self {
        let order = |one: &&Snapshot, other: &&Snapshot| one.order(other, plan_of);
        let told = |one: &&Snapshot| one.sent_period(plan_of).is_some();
        let all =
            || [Some(&self.newest), Some(snapshot), self.reached.as_ref(), self.voided.as_ref()].into_iter().flatten();

        let newest = all().max_by(order).unwrap_or(snapshot).clone();
        let speaks_for_itself = newest.sent_period(plan_of).is_some() && !newest.is_voided();
        let reached = all().filter(told).filter(|one| !one.is_voided() && **one != newest).max_by(order);
        let reached = reached.filter(|_| !speaks_for_itself).cloned();
        let voided = all().filter(told).filter(|one| one.is_voided()).min_by(order);
        let voided = voided.filter(|one| !speaks_for_itself && reached.is_none() && **one != newest).cloned();

        let tied = self.is_tied_with(snapshot, &newest);
        Self { newest, tied, reached, voided }
    }

    /// Whether it is not sure that `newest` is the newest. An answer was asked for when all else had been said; but an
    /// event that looks a little older than an answer may be newer, because two clocks were read.
    fn is_tied_with(&self, snapshot: &Snapshot, newest: &Snapshot) -> bool {
        let (won, loser) = (newest == snapshot, if newest == snapshot { &self.newest } else { snapshot });
        if newest.is_canceled() || (won && newest.source == Source::Answer) {
            return false;
        }
        let near = match newest.source {
            Source::Event => newest.as_of == loser.as_of,
            Source::Answer => newest.as_of - loser.as_of <= CLOCKS_DIFFER,
        };
        (self.tied && newest.as_of == self.newest.as_of) || (near && !newest.says_the_same_as(loser))
    }

    /// What the row says.
    pub fn facts(&self, plan_of: &impl Fn(&str) -> Option<String>) -> Facts {
        let newest = &self.newest;
        let plan = newest.ours(plan_of).map(|(_, plan)| plan);
        let status = our_status(&newest.status).unwrap_or(Status::Expired);
        Facts {
            as_of: newest.as_of,
            // Another product's subscription opens nothing here.
            status: if plan.is_none() && status != Status::Canceled { Status::Expired } else { status },
            provider_status: newest.status.clone(),
            plan,
            period: self.period(plan_of),
            cancel_at_period_end: newest.cancel_at_period_end,
            cancel_at: newest.cancel_at,
            ended_at: match status {
                Status::Canceled => Some(newest.ended_at.unwrap_or(newest.as_of)),
                _ => newest.ended_at,
            },
            collection_voided: newest.is_voided(),
        }
    }

    /// The service stops with a pause that voids the invoices: what was reached stays, and is not moved. A snapshot
    /// without a period grants nothing, and takes nothing away.
    fn period(&self, plan_of: &impl Fn(&str) -> Option<String>) -> Option<Period> {
        let before = self.reached.as_ref().or(self.voided.as_ref()).and_then(|one| one.sent_period(plan_of));
        match (self.newest.sent_period(plan_of), before) {
            (Some(sent), Some(before)) if self.newest.is_voided() && sent.end > before.end => Some(before),
            (Some(sent), _) => Some(sent),
            (None, before) => before,
        }
    }

    /// Why Stripe has to be asked again, if it has to.
    pub fn doubt(&self, plan_of: &impl Fn(&str) -> Option<String>) -> Option<Doubt> {
        let newest = &self.newest;
        if newest.is_canceled() {
            None
        } else if our_status(&newest.status).is_none() {
            Some(Doubt::UnknownStatus)
        } else if newest.ours(plan_of).is_some() && newest.sent_period(plan_of).is_none() {
            Some(Doubt::NoPeriod)
        } else {
            self.tied.then_some(Doubt::SameSecond)
        }
    }

    /// The moment of an answer that was asked for at `asked`, when all this was known.
    pub fn answered(&self, asked: DateTime<Utc>) -> DateTime<Utc> {
        // An event of the same second was known already, so the answer is newer, however little.
        asked.max(self.newest.as_of) + TimeDelta::microseconds(1)
    }
}

//! What one snapshot says, in our words (`docs/rules.md §5`).

use std::cmp::Ordering;

use super::{Item, Snapshot};
use crate::domain::subscription::{Period, Status};

/// The behaviour of a pause that stops the service too.
pub(super) const VOID: &str = "void";

impl Snapshot {
    /// The line with a price of ours, and the key of its plan.
    pub(super) fn ours(&self, plan_of: &impl Fn(&str) -> Option<String>) -> Option<(&Item, String)> {
        self.items.iter().find_map(|item| Some((item, plan_of(&item.price)?)))
    }

    /// The period that was sent for what is ours, wherever it stands.
    pub(super) fn sent_period(&self, plan_of: &impl Fn(&str) -> Option<String>) -> Option<Period> {
        self.ours(plan_of)?.0.period.or(self.period)
    }

    pub(super) fn is_canceled(&self) -> bool {
        self.status == "canceled"
    }

    /// Invoices are voided: the service stops with what was reached.
    pub(super) fn is_voided(&self) -> bool {
        self.pause.as_deref() == Some(VOID)
    }

    /// Whether both show the same, at whatever moment.
    pub(super) fn says_the_same_as(&self, other: &Self) -> bool {
        *self == Self { as_of: self.as_of, source: self.source, ..other.clone() }
    }

    /// The end is final, whenever it is heard of; else the newest wins, and of one second the later period
    /// end, then active over trialing over past due. The rest only makes the order total, so that every order of
    /// arrival ends the same.
    pub(super) fn order(&self, other: &Self, plan_of: &impl Fn(&str) -> Option<String>) -> Ordering {
        let key = |one: &Self| {
            let end = one.sent_period(plan_of).map(|period| period.end);
            (one.is_canceled(), one.as_of, end, phase(&one.status))
        };
        key(self).cmp(&key(other)).then_with(|| self.cmp(other))
    }
}

fn phase(word: &str) -> u8 {
    match word {
        "active" => 3,
        "trialing" => 2,
        "past_due" => 1,
        _ => 0,
    }
}

/// The table of `docs/rules.md §5`; `None`: a word that we do not know.
pub(super) fn our_status(word: &str) -> Option<Status> {
    Some(match word {
        "trialing" => Status::Trialing,
        "active" => Status::Active,
        "past_due" => Status::PastDue,
        "canceled" => Status::Canceled,
        "unpaid" | "paused" => Status::Expired,
        _ => return None,
    })
}

//! The one door through which Stripe's word changes a subscription: for events and for answers alike.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{Rules, customer::USER_ID, event::SubscriptionObject};
use crate::{
    domain::{
        notice::Notice,
        provider::{Doubt, Facts, Item, Known, Snapshot, Source, Verdict, judge},
        subscription::{Period, Status},
    },
    store::{
        Conn, StoreError, mails,
        recurring::{self, News, Recurring},
        users::{self, User},
        webhook_events::Outcome,
    },
};

/// Whoever hears of an end that is longer ago does not need a mail about it.
const TOLD_WITHIN: chrono::TimeDelta = chrono::TimeDelta::days(7);

/// What became of a snapshot or of another object of Stripe's.
#[derive(Clone, Debug)]
pub struct Applied {
    /// In a word.
    pub outcome: Outcome,
    /// Why, in a few more.
    pub detail: Option<String>,
    /// Whose it is.
    pub user_id: Option<i64>,
    /// Before → after, as JSON.
    pub change: Option<String>,
    /// Something is known now that events may have waited for.
    pub appeared: Option<Appeared>,
    /// The row and Stripe's id of a subscription that Stripe has to be asked about.
    pub doubtful: Option<(i64, String)>,
}

/// Something that events may have waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Appeared {
    /// A subscription, by Stripe's id.
    Subscription(String),
    /// A payment, by those of Stripe's ids that were not known before.
    Payment(Vec<String>),
}

impl Applied {
    pub(super) fn new(outcome: Outcome, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..Self::silent(outcome) }
    }

    pub(super) fn silent(outcome: Outcome) -> Self {
        Self { outcome, detail: None, user_id: None, change: None, appeared: None, doubtful: None }
    }

    pub(super) fn of(mut self, user_id: i64) -> Self {
        self.user_id = Some(user_id);
        self
    }
}

/// Before → after, for the journal.
#[derive(Serialize)]
pub(super) struct Change<T> {
    pub(super) before: Option<T>,
    pub(super) after: T,
}

impl<T: Serialize> Change<T> {
    pub(super) fn json(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }
}

/// When and how Stripe said it.
#[derive(Clone, Copy, Debug)]
pub enum Said {
    /// In an event that was made then.
    InEvent(DateTime<Utc>),
    /// In an answer to a question that we asked then.
    InAnswer(DateTime<Utc>),
}

/// Applies what Stripe showed of a subscription. Belongs into a write transaction. An answer may be applied only while
/// the row is as it was when Stripe was asked.
///
/// # Errors
/// The database failed; nothing is applied then.
pub fn apply_snapshot(
    conn: &mut Conn,
    rules: &Rules,
    object: &SubscriptionObject,
    said: Said,
    now: DateTime<Utc>,
) -> Result<Applied, StoreError> {
    if object.livemode != rules.livemode {
        return Ok(Applied::new(Outcome::Ignored, "it belongs to the other mode, live or test, than our key"));
    }
    let user = match owner(conn, object)? {
        Owner::Known(user) => user,
        Owner::Unknown if !has_price_of_ours(object, rules) => {
            return Ok(Applied::new(Outcome::Ignored, "a stranger's subscription without a price of ours"));
        }
        Owner::Unknown => {
            return Ok(Applied::new(Outcome::Unmatched, "nobody here is known to Stripe by that customer"));
        }
        Owner::Conflict(why) => return Ok(conflict(object, why)),
    };
    users::lock(conn, user)?;
    let before = recurring::by_provider_id(conn, &object.id)?;
    if before.as_ref().is_some_and(|row| row.user_id != user) {
        return Ok(conflict(object, "conflict: the subscription is kept for somebody else").of(user));
    }
    learn(conn, rules, object, said, before.as_ref(), user, now).map(|applied| applied.of(user))
}

fn conflict(object: &SubscriptionObject, why: &str) -> Applied {
    tracing::error!(subscription = %object.id, why, "refused a subscription");
    Applied::new(Outcome::Ignored, why)
}

fn learn(
    conn: &mut Conn,
    rules: &Rules,
    object: &SubscriptionObject,
    said: Said,
    before: Option<&Recurring>,
    user: i64,
    now: DateTime<Utc>,
) -> Result<Applied, StoreError> {
    let plan_of = |price: &str| rules.plans.by_price(price).map(|plan| plan.key.clone());
    let known = before.map(|row| known(row, rules));
    let (known, facts, doubt, news) = match judge(known.as_ref(), snapshot(object, said, known.as_ref()), plan_of) {
        Verdict::Ignore { because } => return Ok(Applied::new(Outcome::Ignored, because)),
        Verdict::Learned { known, facts, doubt, news } => (known, facts, doubt, news),
    };
    let queued = before.and_then(|row| row.refresh_due_at);
    let refresh_due_at = doubt.map(|_| queued.unwrap_or(now));
    let row = News { facts: &facts, known: &known, refresh_due_at };
    let id = match before {
        None => recurring::insert(conn, user, &object.id, row, now)?,
        Some(stored) => {
            if stored.known.as_ref() != Some(&known) || stored.refresh_due_at != refresh_due_at {
                recurring::update(conn, stored.id, row, now)?;
            }
            stored.id
        }
    };
    tell_of_the_end(conn, user, &object.id, before.map(|row| &row.facts), &facts, now)?;
    Ok(Applied {
        outcome: if news { Outcome::Applied } else { Outcome::Stale },
        detail: detail(news, doubt),
        user_id: Some(user),
        change: if news { Change { before: before.map(|row| &row.facts), after: &*facts }.json() } else { None },
        appeared: before.is_none().then(|| Appeared::Subscription(object.id.clone())),
        doubtful: doubt.map(|_| (id, object.id.clone())),
    })
}

fn known(row: &Recurring, rules: &Rules) -> Known {
    let price = || row.facts.plan.as_deref().and_then(|key| rules.plans.by_key(key)).map(|plan| plan.price.as_str());
    row.known.clone().unwrap_or_else(|| Known::from_row(&row.facts, price()))
}

fn detail(news: bool, doubt: Option<Doubt>) -> Option<String> {
    match (news, doubt) {
        (true, None) => None,
        (true, Some(doubt)) => Some(format!("Stripe has to be asked: {doubt:?}")),
        (false, None) => Some("something newer is stored".to_owned()),
        (false, Some(doubt)) => Some(format!("something newer is stored; Stripe has to be asked: {doubt:?}")),
    }
}

fn tell_of_the_end(
    conn: &mut Conn,
    user: i64,
    provider_id: &str,
    before: Option<&Facts>,
    after: &Facts,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let already = before.is_some_and(|before| before.status == Status::Canceled);
    let Some(ended_at) = after.ended_at.filter(|_| after.status == Status::Canceled && !already) else { return Ok(()) };
    if now - ended_at <= TOLD_WITHIN {
        let notice = Notice::SubscriptionEnded { plan: after.plan.clone(), ended_at };
        mails::queue(conn, user, &format!("ended:{provider_id}"), &notice, now)?;
    }
    Ok(())
}

enum Owner {
    Known(i64),
    Unknown,
    Conflict(&'static str),
}

/// Our id in the metadata, else the customer that we made, else whose it was before; never the e-mail
/// (`docs/rules.md §5`).
fn owner(conn: &mut Conn, object: &SubscriptionObject) -> Result<Owner, StoreError> {
    let id = |user: User| user.id;
    let named = match object.metadata.get(USER_ID) {
        Some(public_id) => users::by_public_id(conn, public_id)?.map(id),
        None => None,
    };
    let paying = match &object.customer {
        Some(customer) => users::by_customer(conn, customer)?.map(id),
        None => None,
    };
    if let (Some(named), Some(paying)) = (named, paying)
        && named != paying
    {
        return Ok(Owner::Conflict("conflict: the customer of one person with the id of another in its metadata"));
    }
    if let Some(user) = named.or(paying) {
        return Ok(Owner::Known(user));
    }
    let stored = recurring::by_provider_id(conn, &object.id)?;
    Ok(stored.map_or(Owner::Unknown, |row| Owner::Known(row.user_id)))
}

fn has_price_of_ours(object: &SubscriptionObject, rules: &Rules) -> bool {
    object.items.iter().filter_map(|item| item.price.as_deref()).any(|price| rules.plans.by_price(price).is_some())
}

fn snapshot(object: &SubscriptionObject, said: Said, known: Option<&Known>) -> Snapshot {
    let period = |period: super::event::Period| Period { start: period.start, end: period.end };
    let (source, as_of) = match said {
        Said::InEvent(created) => (Source::Event, created),
        Said::InAnswer(asked) => (Source::Answer, known.map_or(asked, |known| known.answered(asked))),
    };
    Snapshot {
        as_of,
        source,
        status: object.status.clone().unwrap_or_default(),
        items: object
            .items
            .iter()
            .filter_map(|item| Some(Item { price: item.price.clone()?, period: item.period.map(period) }))
            .collect(),
        period: object.period.map(period),
        cancel_at_period_end: object.cancel_at_period_end,
        cancel_at: object.cancel_at,
        ended_at: object.ended_at,
        pause: object.pause_behavior.clone(),
    }
}

//! The one door through which Stripe's word changes a subscription: for events and for answers alike.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{Rules, customer::USER_ID, event::SubscriptionObject};
use crate::{
    domain::{
        provider::{Doubt, Facts, Item, Snapshot, Verdict, judge},
        subscription::Period,
    },
    store::{
        Conn, StoreError, recurring,
        users::{self, User},
        webhook_events::Outcome,
    },
};

/// What became of a snapshot.
#[derive(Clone, Debug)]
pub struct Applied {
    /// In a word.
    pub outcome: Outcome,
    /// Why, in a few more.
    pub detail: Option<String>,
    /// Whose subscription it is.
    pub user_id: Option<i64>,
    /// Before → after, as JSON.
    pub change: Option<String>,
}

impl Applied {
    pub(super) fn new(outcome: Outcome, detail: impl Into<String>) -> Self {
        Self { outcome, detail: Some(detail.into()), user_id: None, change: None }
    }

    fn of(mut self, user: Option<&User>) -> Self {
        self.user_id = user.map(|user| user.id);
        self
    }
}

/// Applies what Stripe showed of a subscription at `as_of`. Belongs into a write transaction.
///
/// # Errors
/// The database failed; nothing is applied then.
pub fn apply_snapshot(
    conn: &mut Conn,
    rules: &Rules,
    object: &SubscriptionObject,
    as_of: DateTime<Utc>,
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
        Owner::Conflict(why) => {
            tracing::error!(subscription = %object.id, why, "refused a subscription");
            return Ok(Applied::new(Outcome::Ignored, why));
        }
    };
    users::lock(conn, user.id)?;
    let before = recurring::by_provider_id(conn, &object.id)?;
    if before.as_ref().is_some_and(|row| row.user_id != user.id) {
        return Ok(
            Applied::new(Outcome::Ignored, "conflict: the subscription is kept for somebody else").of(Some(&user))
        );
    }
    let plan_of = |price: &str| rules.plans.by_price(price).map(|plan| plan.key.clone());
    let known = before.as_ref().map(|row| &row.facts);
    let applied = match judge(known, &snapshot(object, as_of), plan_of) {
        Verdict::Ignore { because } => Applied::new(Outcome::Ignored, because),
        Verdict::Stale { doubt } => {
            queue_if(conn, doubt, &object.id, now)?;
            Applied::new(Outcome::Stale, "something newer is stored")
        }
        Verdict::Store { facts, doubt } => {
            match &before {
                Some(row) => recurring::update(conn, row.id, &facts, now)?,
                None => recurring::insert(conn, user.id, &object.id, &facts, now)?,
            }
            queue_if(conn, doubt, &object.id, now)?;
            let change = serde_json::to_string(&Change { before: known, after: &facts }).ok();
            let detail = doubt.map(|doubt| format!("to be asked again: {doubt:?}"));
            Applied { outcome: Outcome::Applied, detail, user_id: None, change }
        }
    };
    Ok(applied.of(Some(&user)))
}

#[derive(Serialize)]
struct Change<'a> {
    before: Option<&'a Facts>,
    after: &'a Facts,
}

enum Owner {
    Known(Box<User>),
    Unknown,
    Conflict(&'static str),
}

/// Our id in the metadata, else the customer that we made; never the e-mail (`docs/rules.md §5`).
fn owner(conn: &mut Conn, object: &SubscriptionObject) -> Result<Owner, StoreError> {
    let named = match object.metadata.get(USER_ID) {
        Some(id) => users::by_public_id(conn, id)?,
        None => None,
    };
    let paying = match &object.customer {
        Some(customer) => users::by_customer(conn, customer)?,
        None => None,
    };
    Ok(match (named, paying) {
        (Some(named), Some(paying)) if named.id != paying.id => {
            Owner::Conflict("conflict: the customer of one person with the id of another in its metadata")
        }
        (Some(user), _) | (None, Some(user)) => Owner::Known(Box::new(user)),
        (None, None) => Owner::Unknown,
    })
}

fn has_price_of_ours(object: &SubscriptionObject, rules: &Rules) -> bool {
    object.items.iter().filter_map(|item| item.price.as_deref()).any(|price| rules.plans.by_price(price).is_some())
}

fn snapshot(object: &SubscriptionObject, as_of: DateTime<Utc>) -> Snapshot {
    let period = |period: super::event::Period| Period { start: period.start, end: period.end };
    Snapshot {
        id: object.id.clone(),
        as_of,
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

fn queue_if(conn: &mut Conn, doubt: Option<Doubt>, provider_id: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    match doubt {
        Some(_) => recurring::queue_refresh(conn, provider_id, now),
        None => Ok(()),
    }
}

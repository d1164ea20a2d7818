//! `/plans`: what can be bought, and what happens to the access that is left.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;

use super::{
    account::plan_name,
    cards::cards,
    frame::Frame,
    moment::{Moment, time_left},
    payments::payments_of,
    site::{Site, page, query},
    status::{Explained, Reason},
    way_back,
};
use crate::{
    auth::{guard::CurrentUser, next::ReturnHosts},
    domain::{
        access::{Access, live, premium_access},
        subscription::{Status, Subscription},
    },
    error::Error,
    store::sessions::SignedIn,
    words::Words,
};

/// How a plan is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanKind {
    /// Again and again, until it is canceled.
    Recurring,
    /// Once.
    Prepaid {
        /// Calendar months of access.
        months: u32,
    },
}

/// One plan.
#[derive(Clone, Debug)]
pub struct PlanCard {
    /// Its key in the settings, sent by the form.
    pub key: String,
    /// Its name.
    pub name: String,
    /// The amount with its currency ("€9.00"); nothing while the price is not known.
    pub price: Option<String>,
    /// How often ("a month"); nothing for a single payment or an unknown price.
    pub every: Option<String>,
    /// How it is paid.
    pub kind: PlanKind,
}

/// What the person has while they choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// Nothing that could be carried over.
    Nothing,
    /// Access until then, which is carried over (`docs/rules.md §7`).
    Until {
        /// The end of it.
        until: Moment,
        /// How long that is, in words: "184 days".
        left: String,
    },
    /// A recurring subscription is live: nothing is sold a second time (`docs/rules.md §8`).
    Subscribed {
        /// The name of its plan.
        plan: String,
        /// The end of the period that is paid for.
        until: Option<Moment>,
        /// Goes on by itself after `until`.
        renews: bool,
        /// Why it opens nothing, or soon will not: the last payment failed, or it is paused.
        trouble: Option<Reason>,
    },
}

/// The page with the cards.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/plans.html")]
pub struct Plans {
    /// Around the page.
    pub frame: Frame,
    /// What can be bought.
    pub plans: Vec<PlanCard>,
    /// What the person has.
    pub left: Left,
    /// The key of the plan that was chosen before logging in.
    pub chosen: Option<String>,
    /// A payment of theirs is being confirmed.
    pub is_paying: bool,
    /// What happened ("You left the payment page. Nothing was charged.").
    pub notice: Option<String>,
}

impl Plans {
    fn can_buy(&self) -> bool {
        !matches!(self.left, Left::Subscribed { .. })
    }

    fn is_chosen(&self, plan: &PlanCard) -> bool {
        self.can_buy() && self.chosen.as_ref() == Some(&plan.key)
    }
}

/// What can be bought by whoever is signed in.
///
/// # Errors
/// Nobody is signed in, or the template failed.
pub async fn show(
    site: web::Data<Site>,
    request: HttpRequest,
    hosts: web::Data<ReturnHosts>,
    CurrentUser(person): CurrentUser,
) -> Result<HttpResponse, Error> {
    let frame = site.frame(&request, Some(&person));
    let mut response = page(&Plans {
        plans: cards(&site.billing, frame.words),
        left: left(&site, &person),
        is_paying: payments_of(&site, &person).await?.has_pending(),
        chosen: query(&request, "plan").filter(|key| site.billing.plans.by_key(key).is_some()),
        notice: query(&request, "left").map(|_| frame.say("plans-came-back").into()),
        frame,
    })?;
    if let Some(target) = query(&request, "back").and_then(|target| hosts.allowed(&target)) {
        way_back::keep(&mut response, &hosts, target);
    }
    Ok(response)
}

fn left(site: &Site, person: &SignedIn) -> Left {
    let now = site.clock.now();
    if let Some(live) = live(&person.subscriptions, &site.policy, now) {
        return Left::Subscribed {
            plan: live.plan.as_deref().and_then(|key| plan_name(site, key)).unwrap_or_default(),
            until: live.access_end(&site.policy).filter(|end| now < *end).map(|end| site.moment(end, &person.user)),
            renews: live.renews(),
            trouble: trouble(live, live.gives_access(&site.policy, now)),
        };
    }
    // What is left is carried over, whether or not the address is confirmed.
    match premium_access(&person.subscriptions, true, &site.policy, now) {
        Access::Granted { until, .. } => Left::Until {
            until: site.moment(until, &person.user),
            left: time_left(Words::of(person.user.language()), now, until).to_string(),
        },
        Access::Denied { .. } => Left::Nothing,
    }
}

fn trouble(live: &Subscription, opens: bool) -> Option<Reason> {
    match (live.status, live.provider_status.as_deref()) {
        (Status::Trialing | Status::Active, _) if live.collection_voided && !opens => Some(Reason::Paused),
        (Status::PastDue, _) | (Status::Expired, Some("unpaid")) => Some(Reason::PaymentFailed),
        (Status::Expired, _) => Some(Reason::Paused),
        _ => None,
    }
}

//! `/checkout/return`: what a person sees who comes back from paying. It changes nothing.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use url::Url;

use super::{
    account::plan_name,
    frame::Frame,
    moment::Moment,
    site::{Site, page, query},
    status::Badge,
    way_back,
};
use crate::{
    auth::{guard::CurrentUser, next::ReturnHosts},
    billing::returned::{Returned, is_session_id},
    domain::{
        access::{Access, premium_access, shown},
        payment::{Payment, PaymentStatus},
        subscription::{Kind, Status},
    },
    error::Error,
    store::{payments, sessions::SignedIn},
};

/// How far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The signed message has not come yet.
    Pending {
        /// The address of the next look: this page, counting up if the handler wants to count.
        again: String,
    },
    /// It has not come for so long that the person should know.
    Slow {
        /// The address of the next look.
        again: String,
    },
    /// The money is under way for days.
    Delayed {
        /// The address of the next look.
        again: String,
    },
    /// It came.
    Active {
        /// The name of the plan.
        plan: String,
        /// The end of what is given now.
        until: Moment,
        /// Goes on by itself after `until`.
        renews: bool,
    },
    /// The payment was refused in the end.
    Failed,
    /// The checkout was closed without a payment.
    Closed,
    /// This person has no checkout to wait for.
    Nothing,
}

/// The page that looks again by itself.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout_return.html")]
pub struct CheckoutReturn {
    /// Around the page.
    pub frame: Frame,
    /// How far it is.
    pub progress: Progress,
    /// The application behind a gate from which the person came to pay: its host, and the address.
    pub back: Option<(String, String)>,
}

impl CheckoutReturn {
    /// The address of the next look and the seconds until then.
    fn again(&self) -> Option<(&str, u32)> {
        match &self.progress {
            Progress::Pending { again } => Some((again, 3)),
            Progress::Slow { again } => Some((again, 15)),
            Progress::Delayed { again } => Some((again, 60)),
            Progress::Active { .. } | Progress::Failed | Progress::Closed | Progress::Nothing => None,
        }
    }

    fn state(&self) -> &'static str {
        match self.progress {
            Progress::Pending { .. } => "pending",
            Progress::Slow { .. } => "slow",
            Progress::Delayed { .. } => "delayed",
            Progress::Active { .. } => "active",
            Progress::Failed => "failed",
            Progress::Closed => "closed",
            Progress::Nothing => "nothing",
        }
    }
}

/// After so many looks a person should know that it takes longer.
const SLOW_AFTER: u32 = 20;

/// Where Stripe sends a person back to. It reads how things stand and changes nothing.
///
/// # Errors
/// Nobody is signed in, or the template or the database failed.
pub async fn show(
    site: web::Data<Site>,
    request: HttpRequest,
    hosts: web::Data<ReturnHosts>,
    CurrentUser(person): CurrentUser,
) -> Result<HttpResponse, Error> {
    let session = query(&request, "session_id").filter(|id| is_session_id(id));
    let look = query(&request, "look").and_then(|look| look.parse::<u32>().ok()).unwrap_or(0);
    let progress = progress(&site, &person, session.as_deref(), look.min(SLOW_AFTER)).await?;
    let back = way_back::kept(&request, &hosts).map(|target| (host_of(&target), target));
    page(&CheckoutReturn { frame: site.frame(&request, Some(&person)), progress, back })
}

fn host_of(target: &str) -> String {
    Url::parse(target).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}

/// What our own word says; as long as it says nothing, what Stripe says of the checkout that is named.
async fn progress(site: &Site, person: &SignedIn, session: Option<&str>, look: u32) -> Result<Progress, Error> {
    let Some(session) = session else { return Ok(subscribed(site, person, true).unwrap_or(Progress::Nothing)) };
    let (user, id) = (person.user.id, session.to_owned());
    let payment = site.store.read(move |conn| payments::of_session(conn, user, &id)).await?;
    let known = match &payment {
        Some(payment) => Some(paid_once(site, person, payment, again(session, look))),
        None => subscribed(site, person, false),
    };
    match known {
        Some(progress) => Ok(progress),
        None => Ok(asked(site, person, session, look).await),
    }
}

fn paid_once(site: &Site, person: &SignedIn, payment: &Payment, again: String) -> Progress {
    match payment.status {
        PaymentStatus::Pending => Progress::Delayed { again },
        PaymentStatus::Failed => Progress::Failed,
        PaymentStatus::Paid => active(site, person, payment.plan.as_deref()).unwrap_or(Progress::Nothing),
    }
}

/// A recurring plan shows in the subscription. Months that were paid once count only where nothing tells for which
/// checkout the person waits.
fn subscribed(site: &Site, person: &SignedIn, any: bool) -> Option<Progress> {
    let now = site.clock.now();
    let paid_for = |kind| kind == Kind::Recurring || (any && kind == Kind::Prepaid);
    let shown = shown(&person.subscriptions, &site.policy, now).filter(|one| paid_for(one.kind))?;
    if shown.gives_access(&site.policy, now) {
        return active(site, person, shown.plan.as_deref());
    }
    (shown.status == Status::PastDue).then_some(Progress::Failed)
}

fn active(site: &Site, person: &SignedIn, plan: Option<&str>) -> Option<Progress> {
    // What was paid for is there, whether or not the address is confirmed; the gate tells what else it wants.
    match premium_access(&person.subscriptions, true, &site.policy, site.clock.now()) {
        Access::Granted { until, renews, .. } => Some(Progress::Active {
            plan: plan.and_then(|key| plan_name(site, key)).unwrap_or_default(),
            until: site.moment(until, &person.user),
            renews,
        }),
        // What was paid for may open other gates than that of the premium pages.
        Access::Denied { .. } => {
            let now = site.clock.now();
            let one = shown(&person.subscriptions, &site.policy, now)?;
            let until = one.access_end(&site.policy).filter(|end| now < *end)?;
            Some(Progress::Active {
                plan: plan.and_then(|key| plan_name(site, key)).unwrap_or_default(),
                until: site.moment(until, &person.user),
                renews: one.renews(),
            })
        }
    }
}

async fn asked(site: &Site, person: &SignedIn, session: &str, look: u32) -> Progress {
    match site.billing.returned(&person.user, session).await {
        Returned::Nothing => Progress::Nothing,
        Returned::Closed => Progress::Closed,
        Returned::Delayed => Progress::Delayed { again: again(session, look) },
        Returned::Waiting if look >= SLOW_AFTER => Progress::Slow { again: again(session, look) },
        Returned::Waiting => Progress::Pending { again: again(session, look + 1) },
    }
}

fn again(session: &str, look: u32) -> String {
    format!("/checkout/return?session_id={session}&look={look}")
}

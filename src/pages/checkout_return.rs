//! `/checkout/return`: what a person sees who comes back from paying. It changes nothing.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;

use super::{
    account::plan_name,
    frame::Frame,
    moment::Moment,
    site::{Site, page, query},
    status::Badge,
};
use crate::{
    auth::guard::CurrentUser,
    billing::returned::Returned,
    domain::{
        access::{Access, premium_access, shown},
        subscription::{Kind, Status},
    },
    error::Error,
    store::sessions::SignedIn,
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
/// Nobody is signed in, or the template failed.
pub async fn show(
    site: web::Data<Site>,
    request: HttpRequest,
    CurrentUser(person): CurrentUser,
) -> Result<HttpResponse, Error> {
    let session = query(&request, "session_id").unwrap_or_default();
    let look = query(&request, "look").and_then(|look| look.parse::<u32>().ok()).unwrap_or(0);
    let progress = match known(&site, &person) {
        Some(progress) => progress,
        None => asked(&site, &person, &session, look.min(SLOW_AFTER)).await,
    };
    page(&CheckoutReturn { frame: site.frame(&request, Some(&person)), progress })
}

/// What our own word says.
fn known(site: &Site, person: &SignedIn) -> Option<Progress> {
    let now = site.clock.now();
    let recurring = shown(&person.subscriptions, &site.policy, now).filter(|one| one.kind == Kind::Recurring)?;
    match premium_access(&person.subscriptions, &site.policy, now) {
        Access::Granted { until, renews, .. } if recurring.gives_access(&site.policy, now) => Some(Progress::Active {
            plan: recurring.plan.as_deref().and_then(|key| plan_name(site, key)).unwrap_or_default(),
            until: site.moment(until, &person.user),
            renews,
        }),
        _ => (recurring.status == Status::PastDue).then_some(Progress::Failed),
    }
}

/// What Stripe says of the checkout that is named, as long as our own word says nothing.
async fn asked(site: &Site, person: &SignedIn, session: &str, look: u32) -> Progress {
    let again = |look: u32| format!("/checkout/return?session_id={session}&look={look}");
    match site.billing.returned(&person.user, session).await {
        Returned::Nothing => Progress::Nothing,
        Returned::Closed => Progress::Closed,
        Returned::Delayed => Progress::Delayed { again: again(look) },
        Returned::Waiting if look >= SLOW_AFTER => Progress::Slow { again: again(look) },
        Returned::Waiting => Progress::Pending { again: again(look + 1) },
    }
}

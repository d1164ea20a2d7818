//! `/checkout/return`: what a person sees who comes back from paying. It changes nothing.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;

use super::{
    checkout_progress::progress,
    frame::Frame,
    moment::Moment,
    posted::Posted,
    problem::wants_json,
    site::{Site, page, see_other},
    status::Badge,
};
use crate::{
    auth::{
        guard::{CurrentUser, Visitor},
        refusal::Refusal,
    },
    billing::BillingError,
    domain::plan::Plan,
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
    /// It came.
    Active {
        /// The name of the plan.
        plan: String,
        /// The end of what is given now.
        until: Moment,
        /// Goes on by itself after `until`.
        renews: bool,
    },
    /// The delayed payment was refused in the end.
    Failed,
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
            Progress::Active { .. } | Progress::Failed => None,
        }
    }

    fn state(&self) -> &'static str {
        match self.progress {
            Progress::Pending { .. } => "pending",
            Progress::Slow { .. } => "slow",
            Progress::Active { .. } => "active",
            Progress::Failed => "failed",
        }
    }
}

/// Sends a person to Stripe's page for a plan; one who pays already to the portal.
///
/// # Errors
/// Nobody is signed in, there is no such plan, or Stripe does not answer.
pub async fn start(
    site: web::Data<Site>,
    request: HttpRequest,
    visitor: Visitor,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    let plan = site.billing.plans.by_key(posted.raw("plan"));
    let Some(person) = visitor.0 else { return log_in_first(&request, plan) };
    let plan = plan.ok_or(Error::BadRequest("There is no such plan. Go back to the plans and choose one."))?;
    match site.billing.checkout(&person, plan).await {
        Ok(page) => Ok(see_other(&page)),
        Err(BillingError::AlreadySubscribed) => portal_of(&site, &person).await,
        Err(BillingError::NotOffered) => Err(Error::BadRequest("This plan can't be bought here just now.")),
        Err(error) => Err(error.into()),
    }
}

/// Whoever chose a plan before logging in finds it chosen afterwards.
fn log_in_first(request: &HttpRequest, plan: Option<&Plan>) -> Result<HttpResponse, Error> {
    match plan {
        Some(plan) if !wants_json(request) => Ok(see_other(&format!("/login?next=/plans%3Fplan%3D{}", plan.key))),
        _ => Err(Refusal::Unauthenticated.into()),
    }
}

/// Sends a person to Stripe's portal.
///
/// # Errors
/// Nobody is signed in, or Stripe does not answer.
pub async fn portal(site: web::Data<Site>, CurrentUser(person): CurrentUser) -> Result<HttpResponse, Error> {
    portal_of(&site, &person).await
}

async fn portal_of(site: &Site, person: &SignedIn) -> Result<HttpResponse, Error> {
    match site.billing.portal(&person.user).await {
        Ok(page) => Ok(see_other(&page)),
        Err(BillingError::NotOffered) => Ok(see_other("/plans")),
        Err(error) => Err(error.into()),
    }
}

/// Where Stripe sends a person back to. It reads how things stand and changes nothing.
///
/// # Errors
/// Nobody is signed in, or the template or the database failed.
pub async fn come_back(
    site: web::Data<Site>,
    request: HttpRequest,
    CurrentUser(person): CurrentUser,
) -> Result<HttpResponse, Error> {
    let progress = progress(&site, &request, &person).await?;
    page(&CheckoutReturn { frame: site.frame(&request, Some(&person)), progress })
}

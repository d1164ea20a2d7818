//! `/checkout` and `/billing-portal`: to Stripe's pages.

use actix_web::{HttpRequest, HttpResponse, web};

use super::{
    posted::Posted,
    problem::wants_json,
    site::{Site, see_other},
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
    let plan = plan.ok_or(Error::BadRequest("errors-no-plan"))?;
    match site.billing.checkout(&person, plan).await {
        Ok(page) => Ok(see_other(&page)),
        Err(BillingError::AlreadySubscribed) => portal_of(&site, &person).await,
        Err(BillingError::PaidMeanwhile(session)) => Ok(see_other(&format!("/checkout/return?session_id={session}"))),
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

//! `/subscription/…`: cancels and resumes what the person pays for again and again.

use actix_web::{HttpRequest, HttpResponse, web};

use super::{
    api,
    problem::wants_json,
    site::{Site, see_other},
};
use crate::{
    auth::guard::CurrentUser,
    billing::{
        BillingError,
        change::{Changed, Wish},
    },
    error::{Error, Misfit},
    store::{sessions::SignedIn, subscriptions},
};

const TO_ACCOUNT: (&str, &str) = ("/account", "status-to-account");
const TO_PLANS: (&str, &str) = ("/plans", "status-see-plans");

static NOTHING_TO_CANCEL: Misfit = Misfit {
    code: "NOTHING_TO_CANCEL",
    title: "subscription-nothing-to-cancel",
    message: "subscription-nothing-to-cancel-text",
    link: TO_ACCOUNT,
};
static NOTHING_TO_RESUME: Misfit = Misfit {
    code: "NOTHING_TO_RESUME",
    title: "subscription-nothing-to-resume",
    message: "subscription-nothing-to-resume-text",
    link: TO_PLANS,
};
static PAYMENT_OPEN: Misfit = Misfit {
    code: "PAYMENT_OPEN",
    title: "subscription-payment-open",
    message: "subscription-payment-open-text",
    link: TO_ACCOUNT,
};
static PAUSED: Misfit =
    Misfit { code: "PAUSED", title: "subscription-paused", message: "subscription-paused-text", link: TO_ACCOUNT };
static OVER: Misfit = Misfit {
    code: "SUBSCRIPTION_ENDED",
    title: "subscription-over",
    message: "subscription-over-text",
    link: TO_PLANS,
};

/// It ends with what is paid for.
///
/// # Errors
/// Nobody is signed in, there is nothing to cancel, or Stripe does not answer.
pub async fn cancel(
    site: web::Data<Site>,
    request: HttpRequest,
    CurrentUser(person): CurrentUser,
) -> Result<HttpResponse, Error> {
    change(&site, &request, person, Wish::Cancel).await
}

/// It goes on after all.
///
/// # Errors
/// Nobody is signed in, there is nothing to resume, or Stripe does not answer.
pub async fn resume(
    site: web::Data<Site>,
    request: HttpRequest,
    CurrentUser(person): CurrentUser,
) -> Result<HttpResponse, Error> {
    change(&site, &request, person, Wish::Resume).await
}

async fn change(site: &Site, request: &HttpRequest, person: SignedIn, wish: Wish) -> Result<HttpResponse, Error> {
    let changed = site.billing.change(&person, wish).await.map_err(in_doubt)?;
    match (changed, wish) {
        (Changed::Done, _) if wants_json(request) => Ok(api::me::about(site, &again(site, person).await?)),
        (Changed::Done, _) => Ok(see_other("/account")),
        (Changed::NothingRuns, Wish::Cancel) => Err(Error::Misfit(&NOTHING_TO_CANCEL)),
        (Changed::NothingRuns, Wish::Resume) => Err(Error::Misfit(&NOTHING_TO_RESUME)),
        (Changed::Unpaid, _) => Err(Error::Misfit(&PAYMENT_OPEN)),
        (Changed::Paused, _) => Err(Error::Misfit(&PAUSED)),
        (Changed::Over, _) => Err(Error::Misfit(&OVER)),
    }
}

fn in_doubt(error: BillingError) -> Error {
    match error {
        BillingError::Store(error) => Error::Store(error),
        error => Error::InDoubt(error),
    }
}

/// The person as they stand after the change.
async fn again(site: &Site, person: SignedIn) -> Result<SignedIn, Error> {
    let id = person.user.id;
    let subscriptions = site.store.read(move |conn| subscriptions::of_user(conn, id)).await?;
    Ok(SignedIn { subscriptions, ..person })
}

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

const TO_ACCOUNT: (&str, &str) = ("/account", "To your account");
const TO_PLANS: (&str, &str) = ("/plans", "See the plans");

static NOTHING_TO_CANCEL: Misfit = Misfit {
    code: "NOTHING_TO_CANCEL",
    title: "There is nothing to cancel",
    message: "You have no subscription that renews, so nothing will be charged. Your account says how long you can read.",
    link: TO_ACCOUNT,
};
static NOTHING_TO_RESUME: Misfit = Misfit {
    code: "NOTHING_TO_RESUME",
    title: "There is nothing to resume",
    message: "You have no subscription that could go on. To read on, choose a plan.",
    link: TO_PLANS,
};
static PAYMENT_OPEN: Misfit = Misfit {
    code: "PAYMENT_OPEN",
    title: "Your last payment did not go through",
    message: "Nothing was changed: the open payment comes first. Your account leads to Stripe’s page, where you can pay \
              it with another card, or end the subscription.",
    link: TO_ACCOUNT,
};
static PAUSED: Misfit = Misfit {
    code: "PAUSED",
    title: "Your subscription is paused",
    message: "Nothing was changed, and nothing is charged while it is paused. Your account leads to Stripe’s page, where \
              you can let it go on or end it.",
    link: TO_ACCOUNT,
};
static OVER: Misfit = Misfit {
    code: "SUBSCRIPTION_ENDED",
    title: "Your subscription has ended",
    message: "It ended for good, so it can’t be changed any more, and nothing more is charged. To read on, choose a plan.",
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
        (Changed::Done, _) if wants_json(request) => Ok(api::about(site, &again(site, person).await?)),
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

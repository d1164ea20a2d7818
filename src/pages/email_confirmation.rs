//! `/email/confirmation`: shows that an address is its owner's. Whoever opens the link sees a button, and only the button
//! does something: programs that look for harm in mails open every link.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;

use super::{
    frame::Frame,
    posted::Posted,
    problem::wants_json,
    site::{Site, page_with, see_other},
};
use crate::{
    auth::{
        email::{self, Asked, Confirmed, Offer},
        guard::{Enrolling, Visitor},
        token::{random_id, token_hash},
    },
    error::{Error, Misfit},
    store::users::User,
};

static SENT_ALREADY: Misfit = Misfit {
    code: "MAIL_SENT_ALREADY",
    title: "email-sent-already",
    message: "email-sent-already-text",
    link: ("/account", "status-to-account"),
};
/// Also for mails about a change.
pub(super) static ENOUGH_MAILS: Misfit = Misfit {
    code: "TOO_MANY_MAILS",
    title: "email-too-many",
    message: "email-too-many-text",
    link: ("/account", "status-to-account"),
};

/// What the page says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The button.
    Ask {
        /// The address that is confirmed.
        email: String,
        /// It takes the place of another one.
        is_new: bool,
    },
    /// The address of the account is confirmed.
    Confirmed,
    /// The account has the new address.
    Changed,
    /// The new address belongs to another account by now.
    Taken,
    /// The link does not work.
    Gone,
}

/// The page.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/email_confirmation.html")]
pub struct EmailConfirmation {
    /// Around the page.
    pub frame: Frame,
    /// What it says.
    pub step: Step,
}

impl EmailConfirmation {
    fn title(&self) -> String {
        let key = match self.step {
            Step::Ask { .. } => self.frame.say("email-confirm-title"),
            Step::Confirmed => self.frame.say("email-confirmed-title"),
            Step::Changed => self.frame.say("email-changed-title"),
            Step::Taken => self.frame.say("email-taken-title"),
            Step::Gone => self.frame.say("email-gone-title"),
        };
        key.into()
    }
}

/// The button. Nothing is changed.
///
/// # Errors
/// The template or the database failed.
pub async fn show(
    site: web::Data<Site>,
    request: HttpRequest,
    visitor: Visitor,
    token: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let (hash, now) = (token_hash(&token), site.clock.now());
    let (status, step) = match site.store.read(move |conn| email::offer(conn, &hash, now)).await? {
        Some(Offer { email, is_new }) => (StatusCode::OK, Step::Ask { email, is_new }),
        None => (StatusCode::NOT_FOUND, Step::Gone),
    };
    answer(&site, &request, &visitor, status, step)
}

/// Confirms, signed in or not: the link shows who reads the mailbox.
///
/// # Errors
/// The template or the database failed.
pub async fn confirm(
    site: web::Data<Site>,
    request: HttpRequest,
    visitor: Visitor,
    token: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let (hash, key, now) = (token_hash(&token), site.trial_key.clone(), site.clock.now());
    let confirmed = site.store.write(move |conn| email::confirm(conn, &hash, &key, now)).await?;
    let (user, step, account) = match confirmed {
        Confirmed::Confirmed(user) => (user, Step::Confirmed, "/account?address-confirmed"),
        Confirmed::Changed(user) => (user, Step::Changed, "/account?address-changed"),
        Confirmed::Taken => return answer(&site, &request, &visitor, StatusCode::CONFLICT, Step::Taken),
        Confirmed::Nothing => return answer(&site, &request, &visitor, StatusCode::NOT_FOUND, Step::Gone),
    };
    if step == Step::Changed {
        tell_stripe(&site, &user);
    }
    tracing::info!(user = %user.public_id, changed = step == Step::Changed, "an address was confirmed");
    if visitor.0.as_ref().is_some_and(|person| person.user.id == user.id) {
        return Ok(see_other(account));
    }
    answer(&site, &request, &visitor, StatusCode::OK, step)
}

/// Receipts shall go to the new address. The person's answer does not wait for that, and does not depend on it.
fn tell_stripe(site: &Site, user: &User) {
    let (billing, user_id, public_id) = (site.billing.clone(), user.id, user.public_id.clone());
    let wish = random_id("address", site.entropy);
    actix_web::rt::spawn(async move {
        // Stripe's reason may repeat the address, which no log may hold.
        if billing.update_address(user_id, &wish).await.is_err() {
            tracing::warn!(user = %public_id, "Stripe keeps the old address of a customer");
        }
    });
}

/// Sends the mail once more, also to staff who need the second factor, which takes a confirmed address.
///
/// # Errors
/// Nobody is signed in, it was asked for too often, or the database failed.
pub async fn ask_again(
    site: web::Data<Site>,
    request: HttpRequest,
    Enrolling(person): Enrolling,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    let back = if posted.raw("for") == "second-factor" { "/account/second-factor" } else { "/account" };
    let (id, unique, now) = (person.user.id, random_id("ask", site.entropy), site.clock.now());
    match site.store.write(move |conn| email::ask_again(conn, id, &unique, now)).await? {
        Asked::TooSoon(seconds) => Err(Error::TooSoon(&SENT_ALREADY, seconds)),
        Asked::TooMany(seconds) => Err(Error::TooSoon(&ENOUGH_MAILS, seconds)),
        Asked::Queued | Asked::NothingToDo if wants_json(&request) => Ok(HttpResponse::NoContent().finish()),
        Asked::Queued => Ok(see_other(&format!("{back}?mail-sent"))),
        Asked::NothingToDo => Ok(see_other(back)),
    }
}

fn answer(
    site: &Site,
    request: &HttpRequest,
    visitor: &Visitor,
    status: StatusCode,
    step: Step,
) -> Result<HttpResponse, Error> {
    page_with(status, &EmailConfirmation { frame: site.frame(request, visitor.0.as_ref()), step })
}

//! `/account/email`: another address for the account. It counts when its reader has confirmed it.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;

use super::{
    email_confirmation::ENOUGH_MAILS,
    form::FieldErrors,
    frame::Frame,
    own_password,
    posted::Posted,
    site::{Site, page, page_with, see_other},
};
use crate::{
    auth::{
        email::{self, Asked},
        guard::CurrentUser,
        token::random_id,
    },
    domain::email::{Email, EmailError},
    error::{Error, Misfit},
    store::users::User,
};

static ENOUGH_FOR_IT: Misfit = Misfit {
    code: "TOO_MANY_MAILS",
    title: "email-too-many-to-it",
    message: "email-too-many-to-it-text",
    link: ("/account", "status-to-account"),
};

/// Longer than any address can be.
const LONGEST_SHOWN: usize = 300;

/// The page with the form.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/account_email.html")]
pub struct AccountEmail {
    /// Around the page.
    pub frame: Frame,
    /// The address of the account.
    pub present: String,
    /// The new one, as typed.
    pub email: String,
    /// What was wrong. Names: `email`, `password`.
    pub errors: FieldErrors,
}

/// The empty form.
///
/// # Errors
/// Nobody is signed in, or the template failed.
pub async fn form(
    site: web::Data<Site>,
    request: HttpRequest,
    CurrentUser(person): CurrentUser,
) -> Result<HttpResponse, Error> {
    let frame = site.frame(&request, Some(&person));
    page(&AccountEmail { frame, present: person.user.email, email: String::new(), errors: FieldErrors::new() })
}

/// Sends a link to the new address. Its answer is the same whoever has that address.
///
/// # Errors
/// Nobody is signed in, too many wrong passwords or mails, the hashing place is full, or the database failed.
pub async fn submit(
    site: web::Data<Site>,
    request: HttpRequest,
    CurrentUser(person): CurrentUser,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    let frame = site.frame(&request, Some(&person));
    let email = match read(&site, &request, &person.user, &posted, &frame).await? {
        Ok(email) => email,
        Err(errors) => {
            let (present, email) = (person.user.email, posted.shown("email", LONGEST_SHOWN));
            let refused = AccountEmail { frame, present, email, errors };
            return page_with(StatusCode::UNPROCESSABLE_ENTITY, &refused);
        }
    };
    // Whoever asks from many accounts fills no mailbox.
    let wish = site.wishes.attempt(None, Some(email.canonical()));
    let wish = wish.map_err(|refused| Error::TooSoon(&ENOUGH_FOR_IT, refused.seconds))?;
    let (id, unique, now) = (person.user.id, random_id("ask", site.entropy), site.clock.now());
    match site.store.write(move |conn| email::ask_for_change(conn, id, &email, &unique, now)).await? {
        Asked::TooSoon(seconds) | Asked::TooMany(seconds) => {
            wish.give_back();
            Err(Error::TooSoon(&ENOUGH_MAILS, seconds))
        }
        Asked::Queued | Asked::NothingToDo => {
            tracing::info!(user = %person.user.public_id, "asked for another address");
            Ok(see_other("/account?address-asked"))
        }
    }
}

/// Keeps the present address after all.
///
/// # Errors
/// Nobody is signed in, or the database failed.
pub async fn withdraw(site: web::Data<Site>, CurrentUser(person): CurrentUser) -> Result<HttpResponse, Error> {
    let (id, now) = (person.user.id, site.clock.now());
    site.store.write(move |conn| email::withdraw_change(conn, id, now)).await?;
    Ok(see_other("/account?address-kept"))
}

/// The new address, if it and the password are right; else all that is wrong at once.
async fn read(
    site: &Site,
    request: &HttpRequest,
    user: &User,
    posted: &Posted,
    frame: &Frame,
) -> Result<Result<Email, FieldErrors>, Error> {
    let mut errors = FieldErrors::new();
    let email = errors.noted(frame.words, "email", Email::parse(posted.raw("email")).map_err(EmailError::key));
    if email.as_ref().is_some_and(|email| email.as_str() == user.email) {
        errors.add("email", frame.say("email-same"));
    }
    own_password::ask_again(site, request, user, posted, frame.words, &mut errors).await?;
    Ok(email.filter(|_| errors.is_empty()).ok_or(errors))
}

//! `/account/deletion`: the end of an account. Stripe comes first, so that nobody is charged who is not here any more.

use actix_session::Session;
use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;

use super::{
    form::FieldErrors,
    frame::Frame,
    moment::Moment,
    own_password,
    posted::Posted,
    site::{Site, page, page_with},
};
use crate::{
    auth::{deletion, guard::CurrentUser},
    domain::{
        access::{Access, premium_access},
        subscription::Subscription,
    },
    error::Error,
    store::sessions::SignedIn,
};

/// The page that says what will happen.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/account_deletion.html")]
pub struct AccountDeletion {
    /// Around the page.
    pub frame: Frame,
    /// The address of the account, for password managers.
    pub email: String,
    /// Until when the person could read.
    pub until: Option<Moment>,
    /// A subscription runs at Stripe, and is ended first.
    pub subscribed: bool,
    /// What was wrong. Name: `password`.
    pub errors: FieldErrors,
}

/// The page that says that it is done.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/account_deleted.html")]
pub struct AccountDeleted {
    /// Around the page.
    pub frame: Frame,
}

/// The form.
///
/// # Errors
/// Nobody is signed in, or the template failed.
pub async fn form(
    site: web::Data<Site>,
    request: HttpRequest,
    CurrentUser(person): CurrentUser,
) -> Result<HttpResponse, Error> {
    page(&what_will_happen(&site, &request, &person, FieldErrors::new()))
}

/// Ends everything at Stripe, then deletes. When Stripe does not do it, nothing is deleted.
///
/// # Errors
/// Nobody is signed in, too many wrong passwords, Stripe did not help, or the template or the database failed.
pub async fn submit(
    site: web::Data<Site>,
    request: HttpRequest,
    session: Session,
    CurrentUser(person): CurrentUser,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    let mut errors = FieldErrors::new();
    let words = site.frame(&request, Some(&person)).words;
    own_password::ask_again(&site, &request, &person.user, &posted, words, &mut errors).await?;
    if !errors.is_empty() {
        return page_with(StatusCode::UNPROCESSABLE_ENTITY, &what_will_happen(&site, &request, &person, errors));
    }
    site.billing.end_everything(&person.user).await.map_err(Error::NotDeleted)?;
    let (id, public_id, now) = (person.user.id, person.user.public_id.clone(), site.clock.now());
    site.store.write(move |conn| deletion::delete(conn, id, now)).await?;
    tracing::info!(user = %public_id, "deleted the account");
    session.purge();
    page(&AccountDeleted { frame: site.frame(&request, None).in_language(words.language()) })
}

fn what_will_happen(site: &Site, request: &HttpRequest, person: &SignedIn, errors: FieldErrors) -> AccountDeletion {
    let access = premium_access(&person.subscriptions, true, &site.policy, site.clock.now());
    AccountDeletion {
        frame: site.frame(request, Some(person)),
        email: person.user.email.clone(),
        until: match access {
            Access::Granted { until, .. } => Some(site.moment(until, &person.user)),
            Access::Denied { .. } => None,
        },
        subscribed: person.subscriptions.iter().any(Subscription::is_live_at_provider),
        errors,
    }
}

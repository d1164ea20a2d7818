//! `/password/reset`: a new password for whoever reads the mailbox of the account. Nothing here tells whether an address
//! has an account.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;

use super::{
    account_password::judge,
    form::FieldErrors,
    frame::Frame,
    posted::Posted,
    site::{Site, page, page_with, see_other},
};
use crate::{
    auth::{
        guard::Visitor,
        new_password,
        password::PasswordError,
        token::{random_id, token_hash},
    },
    domain::email::{Email, EmailError},
    error::Error,
    store::users,
};

/// Longer than any address can be.
const LONGEST_SHOWN: usize = 300;

/// The page that asks for the address, and the one that says where the mail went.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/password_reset.html")]
pub struct PasswordReset {
    /// Around the page.
    pub frame: Frame,
    /// As typed.
    pub email: String,
    /// The mail is under way, if there is an account.
    pub sent: bool,
    /// What was wrong. Name: `email`.
    pub errors: FieldErrors,
}

/// The page of the link.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/password_new.html")]
pub struct PasswordNew {
    /// Around the page.
    pub frame: Frame,
    /// The address of the account, for password managers; nothing where the link does not work.
    pub email: Option<String>,
    /// What was wrong. Name: `password`.
    pub errors: FieldErrors,
}

/// The empty form.
///
/// # Errors
/// The template failed, or the database could not tell who this is.
pub async fn form(site: web::Data<Site>, request: HttpRequest, visitor: Visitor) -> Result<HttpResponse, Error> {
    let frame = site.frame(&request, visitor.0.as_ref());
    let email = visitor.0.map(|person| person.user.email).unwrap_or_default();
    page(&PasswordReset { frame, email, sent: false, errors: FieldErrors::new() })
}

/// Sends the link, if there is an account. The answer does not wait for that, so it takes as long if there is none.
///
/// # Errors
/// Too many wishes from one place, or the database failed.
pub async fn submit(
    site: web::Data<Site>,
    request: HttpRequest,
    visitor: Visitor,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    let frame = site.frame(&request, visitor.0.as_ref());
    let shown = posted.shown("email", LONGEST_SHOWN);
    let mut errors = FieldErrors::new();
    let Some(email) = errors.noted(frame.words, "email", Email::parse(posted.raw("email")).map_err(EmailError::key))
    else {
        let refused = PasswordReset { frame, email: shown, sent: false, errors };
        return page_with(StatusCode::UNPROCESSABLE_ENTITY, &refused);
    };
    let address = site.client_address(&request);
    // Each wish counts, so none is given back.
    drop(site.resets.attempt(address, None)?);
    let found = site.store.read(move |conn| users::by_email(conn, email.canonical())).await?;
    if let Some(user) = found {
        let (store, unique, now) = (site.store.clone(), random_id("ask", site.entropy), site.clock.now());
        actix_web::rt::spawn(async move {
            let asked = store.write(move |conn| new_password::ask_for_reset(conn, user.id, &unique, now)).await;
            if let Err(error) = asked {
                tracing::error!(user = %user.public_id, %error, "a mail about a new password could not be queued");
            }
        });
    }
    page(&PasswordReset { frame, email: shown, sent: true, errors: FieldErrors::new() })
}

/// The form for the new password. Nothing is used up.
///
/// # Errors
/// The template or the database failed.
pub async fn show(
    site: web::Data<Site>,
    request: HttpRequest,
    token: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let (hash, now) = (token_hash(&token), site.clock.now());
    let user = site.store.read(move |conn| new_password::offer(conn, &hash, now)).await?;
    let status = if user.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
    answer(&site, &request, status, user.map(|user| user.email), FieldErrors::new())
}

/// Sets the password and ends every session. Nobody is signed in by it.
///
/// # Errors
/// The hashing place is full, or the template or the database failed.
pub async fn set(
    site: web::Data<Site>,
    request: HttpRequest,
    token: web::Path<String>,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    let (hash, now) = (token_hash(&token), site.clock.now());
    let looked_up = hash.clone();
    let Some(user) = site.store.read(move |conn| new_password::offer(conn, &looked_up, now)).await? else {
        return answer(&site, &request, StatusCode::NOT_FOUND, None, FieldErrors::new());
    };
    let mut errors = FieldErrors::new();
    let words = site.frame(&request, None).words;
    let judged = judge(&site, &user, posted.raw("password")).await?;
    let Some(password) = errors.noted(words, "password", judged.map_err(PasswordError::key)) else {
        return answer(&site, &request, StatusCode::UNPROCESSABLE_ENTITY, Some(user.email), errors);
    };
    let password_hash = site.hasher.hash(&password).await?;
    let stored = password_hash.clone();
    match site.store.write(move |conn| new_password::reset(conn, &hash, &password_hash, now)).await? {
        Some(user) => {
            tracing::info!(user = %user.public_id, "set a new password by mail");
            let mut response = see_other("/login?new-password");
            if let Ok(email) = Email::parse(&user.email) {
                // Whoever was guessing goes on; the owner gets in all the same.
                site.log_ins.forgive(email.canonical());
            }
            site.devices.mark(&request, &mut response, &stored, site.entropy);
            Ok(response)
        }
        None => answer(&site, &request, StatusCode::NOT_FOUND, None, FieldErrors::new()),
    }
}

fn answer(
    site: &Site,
    request: &HttpRequest,
    status: StatusCode,
    email: Option<String>,
    errors: FieldErrors,
) -> Result<HttpResponse, Error> {
    page_with(status, &PasswordNew { frame: site.frame(request, None), email, errors })
}

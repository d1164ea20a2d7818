//! `/account/password`: a new password for whoever knows the present one.

use actix_session::Session;
use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;

use super::{
    form::FieldErrors,
    frame::Frame,
    own_password::verified_password,
    posted::Posted,
    site::{Site, page, page_with, see_other},
};
use crate::{
    auth::{
        guard::CurrentUser,
        new_password,
        password::{Password, PasswordError},
        session,
        token::random_id,
    },
    error::Error,
    store::users::User,
};

/// The page with the form.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/account_password.html")]
pub struct AccountPassword {
    /// Around the page.
    pub frame: Frame,
    /// The address of the account, for password managers.
    pub email: String,
    /// What was wrong. Names: `current_password`, `password`.
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
    page(&AccountPassword { frame, email: person.user.email, errors: FieldErrors::new() })
}

/// Sets the password, ends all other sessions, and gives this one a new id.
///
/// # Errors
/// Nobody is signed in, too many wrong passwords, the hashing place is full, or the database failed.
pub async fn submit(
    site: web::Data<Site>,
    request: HttpRequest,
    session: Session,
    CurrentUser(person): CurrentUser,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    let frame = site.frame(&request, Some(&person));
    let user = person.user;
    let (present, password) = match read(&site, &request, &user, &posted, &frame).await? {
        Ok(read) => read,
        Err(errors) => {
            let refused = AccountPassword { frame, email: user.email, errors };
            return page_with(StatusCode::UNPROCESSABLE_ENTITY, &refused);
        }
    };
    let password_hash = site.hasher.hash(&password).await?;
    let stored = password_hash.clone();
    let (starting, unique, now) =
        (session::begin(&request, site.entropy), random_id("set", site.entropy), site.clock.now());
    let public_id = user.public_id.clone();
    let changed = site.store.write(move |conn| {
        if !new_password::change(conn, &user, &present, &password_hash, &unique, now)? {
            return Ok(None);
        }
        starting.insert(conn, user.id, now)?;
        Ok(Some(starting))
    });
    // Another password was set while this one was verified: whoever did that has the account now.
    let Some(starting) = changed.await? else { return Ok(see_other("/login")) };
    tracing::info!(user = %public_id, "changed the password");
    starting.hand_out(&session);
    let mut response = see_other("/account?new-password");
    // The mark of the old password is worth nothing any more.
    site.devices.mark(&request, &mut response, &stored, site.entropy);
    Ok(response)
}

/// The new password, if it and the present one are right; else all that is wrong at once.
async fn read(
    site: &Site,
    request: &HttpRequest,
    user: &User,
    posted: &Posted,
    frame: &Frame,
) -> Result<Result<(String, Password), FieldErrors>, Error> {
    let mut errors = FieldErrors::new();
    let (current, new) = (posted.raw("current_password"), posted.raw("password"));
    let mut present = None;
    if current.is_empty() {
        errors.add("current_password", frame.say("password-current-empty"));
    } else {
        present = verified_password(site, request, user, current).await?;
        if present.is_none() {
            errors.add("current_password", frame.say("password-current-wrong"));
        }
    }
    let judged = judge(site, user, new).await?;
    let password = errors.noted(frame.words, "password", judged.map_err(PasswordError::key));
    if password.is_some() && new == current {
        errors.add("password", frame.say("password-same"));
    }
    Ok(present.zip(password).filter(|_| errors.is_empty()).ok_or(errors))
}

/// Whether a person may have this password: not one that is made of what everybody knows of them.
///
/// # Errors
/// The hashing place is full.
pub(super) async fn judge(site: &Site, user: &User, typed: &str) -> Result<Result<Password, PasswordError>, Error> {
    let personal = [user.email.as_str(), user.first_name.as_str(), user.last_name.as_str()];
    Ok(site.hasher.judge(typed, &personal).await?)
}

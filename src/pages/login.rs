//! `/login`: back into an account.

use actix_session::Session;
use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;

use super::{
    form::FieldErrors,
    frame::Frame,
    login_code::admit,
    posted::Posted,
    site::{Site, page, page_with, query, see_other, with_next},
};
use crate::{
    auth::{
        guard::Visitor,
        next::own_path,
        password::{HashError, Typed},
        session,
    },
    domain::email::Email,
    error::Error,
    store::{StoreError, sessions, users},
};

/// What was typed, to be shown again. The password is never shown again.
#[derive(Clone, Debug, Default)]
pub struct LoginForm {
    /// As typed.
    pub email: String,
    /// Where to go afterwards: a path of ours, or empty.
    pub next: String,
    /// What was wrong. Names: `email`, `password`.
    pub errors: FieldErrors,
}

/// The page with the form.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/login.html")]
pub struct Login {
    /// Around the page.
    pub frame: Frame,
    /// The form.
    pub form: LoginForm,
    /// Why the person is here ("Log in to read this page."), if there is more to say than the title.
    pub notice: Option<String>,
}

impl Login {
    /// The way to the other form, which keeps where to go afterwards.
    fn signup(&self) -> String {
        with_next("/signup", &self.form.next)
    }
}

/// Longer than any address can be.
const LONGEST_SHOWN: usize = 300;

/// The empty form. Whoever is signed in is sent on.
///
/// # Errors
/// The template failed, or the database could not tell who this is.
pub async fn form(site: web::Data<Site>, request: HttpRequest, visitor: Visitor) -> Result<HttpResponse, Error> {
    let next = query(&request, "next").and_then(|next| own_path(&next));
    if visitor.0.is_some() {
        return Ok(see_other(next.as_deref().unwrap_or("/account")));
    }
    let frame = site.frame(&request, None);
    let is_new_password = request.query_string() == "new-password";
    let set = is_new_password.then(|| frame.say("password-done-set").into());
    let notice = set.or_else(|| {
        next.as_deref().and_then(|next| match next {
            _ if next.starts_with("/premium") => Some(frame.say("login-to-read").into()),
            _ if next.starts_with("/plans") => Some(frame.say("login-to-pay").into()),
            _ => None,
        })
    });
    let form = LoginForm { next: next.clone().unwrap_or_default(), ..LoginForm::default() };
    page(&Login { frame, form, notice })
}

/// Signs a person in, with a new session; or asks for the second factor.
///
/// # Errors
/// Too many failures, the hashing place is full, or the database failed.
pub async fn submit(
    site: web::Data<Site>,
    request: HttpRequest,
    session: Session,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    let account = Email::parse(posted.raw("email")).ok().map(|email| email.canonical().to_owned());
    let known = known(&site, account.clone()).await?;
    let device = known.as_ref().and_then(|(_, stored)| site.devices.failures_of(&request, stored));
    let attempt = match &device {
        // Not against the address either, which a stranger may share.
        Some(device) => site.log_ins.attempt(None, Some(device)),
        None => site.log_ins.attempt(site.client_address(&request), account.as_deref()),
    }?;
    let verified = check(&site, known, posted.raw("password")).await;
    // Neither is it the person's failure when ours keeps the answer from being found.
    if !matches!(verified, Ok(None)) {
        attempt.give_back();
    }
    if let Some(verified) = verified? {
        let stored = verified.1.clone();
        let admitted = admit(&site, &request, &session, verified, own_path(posted.raw("next"))).await?;
        if let Some(mut answer) = admitted {
            site.devices.mark(&request, &mut answer, &stored, site.entropy);
            return Ok(answer);
        }
    }
    tracing::info!("a log-in was refused");
    refuse(&site, &request, &posted)
}

/// The person of an address, and the stored hash of the password.
async fn known(site: &Site, account: Option<String>) -> Result<Option<(i64, String)>, StoreError> {
    match account {
        Some(account) => site.store.read(move |conn| users::credentials(conn, &account)).await,
        None => Ok(None),
    }
}

/// The person again, with the hash that was verified, if this is the password. An unknown address costs one hash too.
async fn check(site: &Site, known: Option<(i64, String)>, password: &str) -> Result<Option<(i64, String)>, HashError> {
    let Ok(typed) = Typed::parse(password) else { return Ok(None) };
    let stored = known.as_ref().map(|(_, hash)| hash.as_str());
    let right = site.hasher.verify(&typed, stored).await?;
    Ok(known.filter(|_| right))
}

fn refuse(site: &Site, request: &HttpRequest, posted: &Posted) -> Result<HttpResponse, Error> {
    let frame = site.frame(request, None);
    let form = LoginForm {
        email: posted.shown("email", LONGEST_SHOWN),
        next: own_path(posted.raw("next")).unwrap_or_default(),
        // The same words whether the address is unknown or the password is wrong.
        errors: FieldErrors::new().with_summary(frame.say("login-wrong")),
    };
    page_with(StatusCode::UNPROCESSABLE_ENTITY, &Login { frame, form, notice: None })
}

/// Ends the session, here and for every copy of its cookie.
///
/// # Errors
/// The database failed; the session goes on then.
pub async fn logout(site: web::Data<Site>, session: Session) -> Result<HttpResponse, Error> {
    if let Some(hash) = session::current_hash(&session) {
        site.store.write(move |conn| sessions::delete(conn, &hash)).await?;
    }
    session.purge();
    Ok(see_other("/"))
}

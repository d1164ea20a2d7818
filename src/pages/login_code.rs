//! `/login/code`: the second step of a log-in. Before it there is no session, only a token in a form.

use actix_session::Session;
use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web,
};
use askama::Template;
use chrono::TimeDelta;

use super::{
    form::FieldErrors,
    frame::Frame,
    login::{Login, LoginForm},
    posted::Posted,
    second_factor::{Presented, passed, presented, refused},
    site::{Site, page, page_with, see_other, words},
};
use crate::{
    auth::{
        new_password,
        next::own_path,
        session::{self, NewSession},
        token::{random_id, random_token, token_hash},
    },
    domain::notice::Notice,
    error::{Error, Misfit},
    store::{
        Conn, StoreError, mails, second_factors,
        tokens::{self, Purpose, Token},
        users,
    },
};

/// For how long the password need not be typed again.
const LASTS: TimeDelta = TimeDelta::minutes(10);

/// Told only to somebody who knows the password.
static LOCKED: Misfit =
    Misfit { code: "LOCKED", title: "login-locked", message: "login-locked-text", link: ("/", "errors-to-home") };

/// The page that asks for the code.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/login_code.html")]
pub struct LoginCode {
    /// Around the page.
    pub frame: Frame,
    /// Shows that the password was right.
    pub token: String,
    /// Where to go afterwards: a path of ours, or empty.
    pub next: String,
    /// What was wrong. Names: `code`, `recovery_code`.
    pub errors: FieldErrors,
    /// A recovery code is the way on.
    pub recovery: bool,
}

/// What a right password gives.
enum Admitted {
    Session(NewSession),
    Challenge,
    Locked,
}

/// Signs in whoever typed the right password; with a second factor, asks for a code first. Nothing when the password that
/// was `verified`, of a person and with its hash, is not the one of the account any more.
///
/// # Errors
/// The template or the database failed.
pub(super) async fn admit(
    site: &Site,
    request: &HttpRequest,
    session: &Session,
    (user_id, verified): (i64, String),
    next: Option<String>,
) -> Result<Option<HttpResponse>, Error> {
    let (starting, token, now) = (session::begin(request, site.entropy), random_token(site.entropy), site.clock.now());
    let hash = token_hash(&token);
    let admitted = site.store.write(move |conn| {
        // Verifying took a while, in which a reset may have ended every way in.
        users::lock(conn, user_id)?;
        if !new_password::is_present(conn, user_id, &verified)? {
            return Ok(None);
        }
        if is_locked(conn, user_id)? {
            return Ok(Some(Admitted::Locked));
        }
        if second_factors::find(conn, user_id)?.is_some() {
            let waiting = Token { user_id, email: None };
            tokens::insert(conn, &hash, Purpose::SecondFactor, &waiting, now, now + LASTS)?;
            return Ok(Some(Admitted::Challenge));
        }
        starting.insert(conn, user_id, now)?;
        Ok(Some(Admitted::Session(starting)))
    });
    match admitted.await? {
        None => Ok(None),
        Some(Admitted::Session(starting)) => {
            starting.hand_out(session);
            Ok(Some(see_other(next.as_deref().unwrap_or("/account"))))
        }
        Some(Admitted::Locked) => {
            tracing::info!("a locked account's log-in was refused");
            Err(Error::Misfit(&LOCKED))
        }
        Some(Admitted::Challenge) => {
            let (frame, next) = (site.frame(request, None), next.unwrap_or_default());
            page(&LoginCode { frame, token, next, errors: FieldErrors::new(), recovery: false }).map(Some)
        }
    }
}

fn is_locked(conn: &mut Conn, user_id: i64) -> Result<bool, StoreError> {
    Ok(users::by_id(conn, user_id)?.is_none_or(|user| user.locked_at.is_some()))
}

/// Whoever comes to the address of the form without its values.
pub async fn back() -> HttpResponse {
    see_other("/login")
}

/// Signs in whoever has the token of the first step and a code that was not used yet.
///
/// # Errors
/// Too many wrong codes, or the template or the database failed.
pub async fn submit(
    site: web::Data<Site>,
    request: HttpRequest,
    session: Session,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    let (now, hash) = (site.clock.now(), token_hash(posted.raw("token")));
    let next = own_path(posted.raw("next"));
    let wanted = hash.clone();
    let waiting = site.store.read(move |conn| tokens::find(conn, &wanted, Purpose::SecondFactor, now)).await?;
    let Some(Token { user_id, .. }) = waiting else { return begin_again(&site, &request, next) };
    let presented = match presented(&site, &request, user_id, &posted).await {
        Err(Error::TooManyTries(seconds)) => return slow_down(&site, &request, &posted, next, seconds),
        presented => presented?,
    };
    let Some(Presented { proof, attempt }) = presented else { return ask_again(&site, &request, &posted, next) };
    let (starting, cause) = (session::begin(&request, site.entropy), random_id("recovery_code_used", site.entropy));
    let admitted = site.store.write(move |conn| {
        // An admin may have locked the account between the two steps; its tokens are gone then too.
        if is_locked(conn, user_id)? || !proof.redeem(conn, user_id)? {
            return Ok(None);
        }
        // Of two posts with the same token and two good codes, one may go on.
        if tokens::take(conn, &hash, Purpose::SecondFactor, now)?.is_none() {
            return Ok(None);
        }
        starting.insert(conn, user_id, now)?;
        if proof.is_recovery() {
            mails::queue(conn, user_id, &cause, &Notice::RecoveryCodeUsed, now)?;
        }
        Ok(Some(starting))
    });
    let Some(starting) = admitted.await? else { return ask_again(&site, &request, &posted, next) };
    passed(&site, user_id, attempt);
    starting.hand_out(&session);
    Ok(see_other(next.as_deref().unwrap_or("/account")))
}

fn ask_again(site: &Site, request: &HttpRequest, posted: &Posted, next: Option<String>) -> Result<HttpResponse, Error> {
    let page = asked_again(site, request, posted, next, refused(request, None, posted));
    page_with(StatusCode::UNPROCESSABLE_ENTITY, &page)
}

/// A recovery code still gets the person in.
fn slow_down(
    site: &Site,
    request: &HttpRequest,
    posted: &Posted,
    next: Option<String>,
    seconds: u64,
) -> Result<HttpResponse, Error> {
    let mut errors = FieldErrors::new();
    errors.add("code", words(request, None).say("security-too-many-codes").with("minutes", seconds.div_ceil(60)));
    let page = LoginCode { recovery: true, ..asked_again(site, request, posted, next, errors) };
    let mut response = page_with(StatusCode::TOO_MANY_REQUESTS, &page)?;
    response.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from(seconds));
    Ok(response)
}

fn asked_again(
    site: &Site,
    request: &HttpRequest,
    posted: &Posted,
    next: Option<String>,
    errors: FieldErrors,
) -> LoginCode {
    let token = posted.raw("token").to_owned();
    LoginCode { frame: site.frame(request, None), token, next: next.unwrap_or_default(), errors, recovery: false }
}

/// The token is unknown, too old, or was used.
fn begin_again(site: &Site, request: &HttpRequest, next: Option<String>) -> Result<HttpResponse, Error> {
    let errors = FieldErrors::new().with_summary(words(request, None).say("security-log-in-again"));
    let form = LoginForm { next: next.unwrap_or_default(), errors, ..LoginForm::default() };
    page_with(StatusCode::GONE, &Login { frame: site.frame(request, None), form, notice: None })
}

//! `/account/second-factor`: turning it on, with a picture for the device and recovery codes for the drawer.
//!
//! Nothing is stored before a code from the device was right. The picture and the recovery codes stand in the answer to a
//! post and are never shown again.

mod change;
pub(super) mod picture;
mod proof;

use actix_session::Session;
use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;

pub use change::{renew, turn_off};
pub(super) use proof::{Presented, passed, presented, refused};

use super::{
    form::FieldErrors,
    frame::Frame,
    moment::Moment,
    own_password::is_own_password,
    posted::Posted,
    site::{Site, page, page_with, see_other, words},
};
use crate::{
    auth::{
        guard::Enrolling,
        second_factor::{Code, Enrolment, RECOVERY_CODES, RecoveryCode, TotpSecret, purpose},
        session,
        token::random_id,
    },
    clock::Entropy,
    domain::notice::Notice,
    error::Error,
    store::{
        StoreError, mails, second_factors,
        sessions::{self, SignedIn},
        tokens::{self, Purpose},
        users::User,
    },
};

const HERE: &str = "/account/second-factor";

/// How things stand.
#[derive(Clone, Debug)]
pub enum State {
    /// There can be none yet: whose address it is, nobody knows.
    Unconfirmed {
        /// The person can do nothing else before there is one.
        required: bool,
        /// A mail about the address was sent just now.
        sent: bool,
    },
    /// There is none.
    Off {
        /// The person can do nothing else before there is one.
        required: bool,
    },
    /// There is one.
    On {
        /// Since when.
        since: Moment,
        /// Recovery codes that were not used yet.
        codes_left: i64,
    },
}

/// The page.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/second_factor.html")]
pub struct SecondFactorPage {
    /// Around the page.
    pub frame: Frame,
    /// How things stand.
    pub state: State,
    /// What was wrong. Names: `password`, `code`, `recovery_code`.
    pub errors: FieldErrors,
}

/// The page with the picture.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/second_factor_setup.html")]
pub struct Setup {
    /// Around the page.
    pub frame: Frame,
    /// The picture, as SVG of ours; empty when there can be none.
    pub picture: String,
    /// The secret in groups, for typing.
    pub secret: String,
    /// The same, encrypted, on its way back.
    pub enrolment: String,
    /// What was wrong. Names: `code`.
    pub errors: FieldErrors,
}

/// The page with the recovery codes, shown once.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/recovery_codes.html")]
pub struct RecoveryCodes {
    /// Around the page.
    pub frame: Frame,
    /// The codes in groups.
    pub codes: Vec<String>,
    /// The second factor was turned on just now.
    pub first: bool,
}

/// How the second factor stands, and what can be done.
///
/// # Errors
/// Nobody is signed in, or the template or the database failed.
pub async fn show(
    site: web::Data<Site>,
    request: HttpRequest,
    Enrolling(person): Enrolling,
) -> Result<HttpResponse, Error> {
    standing(&site, &request, &person, StatusCode::OK, FieldErrors::new()).await
}

/// Whoever comes to the address of a form without its values.
///
/// # Errors
/// Nobody is signed in.
pub async fn back(_: Enrolling) -> Result<HttpResponse, Error> {
    Ok(see_other(HERE))
}

/// Shows the picture to whoever knows the password.
///
/// # Errors
/// Too many failures, or the template or the database failed.
pub async fn begin(
    site: web::Data<Site>,
    request: HttpRequest,
    session: Session,
    Enrolling(person): Enrolling,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    if !can_turn_on(&person.user) {
        return Ok(see_other(HERE));
    }
    if !is_own_password(&site, &request, &person.user, posted.raw("password")).await? {
        let errors = wrong_password(&request, &person);
        return refuse(&site, &request, &person, errors).await;
    }
    let secret = TotpSecret::new(site.entropy);
    let here = session::current_hash(&session).unwrap_or_default();
    let enrolment = Enrolment { user_id: person.user.id, session: &here };
    let sealed = enrolment.seal(&site.second_factors, &secret, site.clock.now(), site.entropy);
    page(&setup(&site, &request, &person, &secret, encrypted(sealed)?, FieldErrors::new()))
}

/// Turns the second factor on when the device shows the right code. Sessions that began without it end, and this one gets a
/// new id.
///
/// # Errors
/// The template or the database failed; nothing is changed then.
pub async fn confirm(
    site: web::Data<Site>,
    request: HttpRequest,
    session: Session,
    Enrolling(person): Enrolling,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    if !can_turn_on(&person.user) {
        return Ok(see_other(HERE));
    }
    let (now, user_id, here) = (site.clock.now(), person.user.id, session::current_hash(&session).unwrap_or_default());
    let enrolment = Enrolment { user_id, session: &here };
    let Some(secret) = enrolment.open(&site.second_factors, posted.raw("enrolment"), now) else {
        let errors = FieldErrors::new().with_summary(words(&request, Some(&person)).say("security-setup-too-late"));
        return standing(&site, &request, &person, StatusCode::GONE, errors).await;
    };
    let Some(step) = step(&secret, posted.raw("code"), now) else {
        let mut errors = FieldErrors::new();
        errors.add("code", words(&request, Some(&person)).say("security-setup-wrong"));
        let page = setup(&site, &request, &person, &secret, posted.raw("enrolment").to_owned(), errors);
        return page_with(StatusCode::UNPROCESSABLE_ENTITY, &page);
    };
    let sealed = encrypted(site.second_factors.seal(&secret, &purpose(user_id), site.entropy))?;
    let (codes, hashes) = new_codes(site.entropy);
    let (starting, cause) = (session::begin(&request, site.entropy), random_id("second_factor_on", site.entropy));
    let turned_on = site.store.write(move |conn| {
        // A session that was ended this very moment must not become a new one.
        if !sessions::delete(conn, &here)? || !second_factors::turn_on(conn, user_id, &sealed, step, &hashes, now)? {
            return Ok(None);
        }
        sessions::end_all(conn, user_id, None)?;
        tokens::revoke(conn, user_id, Purpose::SecondFactor)?;
        starting.insert(conn, user_id, now)?;
        mails::queue(conn, user_id, &cause, &Notice::SecondFactorOn, now)?;
        Ok(Some(starting))
    });
    let Some(starting) = turned_on.await? else { return Ok(see_other(HERE)) };
    starting.hand_out(&session);
    tracing::info!(user = %person.user.public_id, "turned the second factor on");
    page(&RecoveryCodes { frame: site.frame(&request, Some(&person)), codes, first: true })
}

/// Whether there is none, and can be one. Before the address is confirmed the account may have been made by somebody who only
/// typed it: its reader must not find a lock there to which a stranger has the key (`docs/accounts.md`).
fn can_turn_on(user: &User) -> bool {
    user.second_factor_at.is_none() && user.email_confirmed
}

/// The page with what was wrong.
async fn refuse(
    site: &Site,
    request: &HttpRequest,
    person: &SignedIn,
    errors: FieldErrors,
) -> Result<HttpResponse, Error> {
    standing(site, request, person, StatusCode::UNPROCESSABLE_ENTITY, errors).await
}

async fn standing(
    site: &Site,
    request: &HttpRequest,
    person: &SignedIn,
    status: StatusCode,
    errors: FieldErrors,
) -> Result<HttpResponse, Error> {
    let user_id = person.user.id;
    let state = match person.user.second_factor_at {
        None => {
            let required = site.staff_needs_second_factor && person.user.role.is_staff();
            if can_turn_on(&person.user) {
                State::Off { required }
            } else {
                State::Unconfirmed { required, sent: request.query_string() == "mail-sent" }
            }
        }
        Some(since) => {
            let found = site.store.read(move |conn| second_factors::find(conn, user_id)).await?;
            let codes_left = found.map_or(0, |found| found.codes_left);
            State::On { since: site.moment(since, &person.user), codes_left }
        }
    };
    page_with(status, &SecondFactorPage { frame: site.frame(request, Some(person)), state, errors })
}

fn setup(
    site: &Site,
    request: &HttpRequest,
    person: &SignedIn,
    secret: &TotpSecret,
    enrolment: String,
    errors: FieldErrors,
) -> Setup {
    let own = url::Url::parse(&site.billing.public_url).ok();
    let name = own.as_ref().and_then(url::Url::host_str).unwrap_or("Turnpike");
    let address = secret.address(name, &person.user.email).unwrap_or_default();
    let picture = picture::svg(&address).unwrap_or_default();
    Setup { frame: site.frame(request, Some(person)), picture, secret: secret.in_groups(), enrolment, errors }
}

/// The cipher fails for gigabytes alone.
fn encrypted(sealed: Option<String>) -> Result<String, Error> {
    Ok(sealed.ok_or_else(|| StoreError::Refused("a secret could not be encrypted".to_owned()))?)
}

fn step(secret: &TotpSecret, typed: &str, now: chrono::DateTime<chrono::Utc>) -> Option<i64> {
    match Code::parse(typed)? {
        Code::App(digits) => secret.step_of(&digits, now),
        Code::Recovery(_) => None,
    }
}

/// New recovery codes, as they are shown and as they are kept.
fn new_codes(entropy: Entropy) -> (Vec<String>, Vec<String>) {
    (0..RECOVERY_CODES).map(|_| RecoveryCode::new(entropy)).map(|code| (code.shown(), code.hash())).unzip()
}

fn wrong_password(request: &HttpRequest, person: &SignedIn) -> FieldErrors {
    let mut errors = FieldErrors::new();
    errors.add("password", words(request, Some(person)).say("security-wrong-password"));
    errors
}

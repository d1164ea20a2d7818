//! `/signup`: a new account and its trial.

use actix_session::Session;
use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;
use chrono::SubsecRound;

use super::{
    form::FieldErrors,
    frame::Frame,
    person,
    posted::Posted,
    site::{Site, page, page_with, query, see_other, with_next, words},
};
use crate::{
    auth::{
        guard::Visitor,
        next::own_path,
        password::{Password, PasswordError},
        session::{self, NewSession},
        sign_up::{SignUp, sign_up, trial_hash},
        token::public_id,
    },
    clock::Entropy,
    domain::email::{Email, EmailError},
    error::Error,
    store::users::NewUser,
    words::Words,
};

/// What was typed, to be shown again. The password is never shown again.
#[derive(Clone, Debug, Default)]
pub struct SignupForm {
    /// As typed.
    pub email: String,
    /// As typed; optional.
    pub title: String,
    /// As typed.
    pub first_name: String,
    /// As typed.
    pub last_name: String,
    /// As typed; optional.
    pub phone: String,
    /// As typed. An empty one is shown as UTC, and the script puts its guess in.
    pub time_zone: String,
    /// Whether the box was ticked.
    pub accept_terms: bool,
    /// Where to go afterwards: a path of ours, or empty.
    pub next: String,
    /// What was wrong. Names: `email`, `password`, `title`, `first_name`, `last_name`, `phone`, `time_zone`,
    /// `accept_terms`.
    pub errors: FieldErrors,
}

/// The page with the form.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/signup.html")]
pub struct Signup {
    /// Around the page.
    pub frame: Frame,
    /// The form.
    pub form: SignupForm,
}

impl Signup {
    /// The zones that are offered; the field takes others too.
    fn zones() -> &'static [&'static str] {
        person::zones()
    }

    /// The way to the other form, which keeps where to go afterwards.
    fn login(&self) -> String {
        with_next("/login", &self.form.next)
    }

    fn time_zone(&self) -> &str {
        if self.form.time_zone.is_empty() { "UTC" } else { &self.form.time_zone }
    }
}

const LONGEST_SHOWN: usize = 300;

/// The empty form. Whoever is signed in is sent to their account.
///
/// # Errors
/// The template failed, or the database could not tell who this is.
pub async fn form(site: web::Data<Site>, request: HttpRequest, visitor: Visitor) -> Result<HttpResponse, Error> {
    if visitor.0.is_some() {
        return Ok(see_other("/account"));
    }
    let next = query(&request, "next").and_then(|next| own_path(&next)).unwrap_or_default();
    page(&Signup { frame: site.frame(&request, None), form: SignupForm { next, ..SignupForm::default() } })
}

/// Makes the account, gives the trial, signs in: one transaction.
///
/// # Errors
/// The database or the hashing place is overloaded or down; nothing is kept then.
pub async fn submit(
    site: web::Data<Site>,
    request: HttpRequest,
    session: Session,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    let attempt = site.log_ins.attempt(site.client_address(&request), None)?;
    let tried = make(&site, &request, &posted).await;
    // Whoever tries addresses learns of few.
    if !matches!(tried, Ok(Tried::Taken)) {
        attempt.give_back();
    }
    match tried? {
        Tried::Made(starting, stored) => {
            starting.hand_out(&session);
            let mut response = see_other(own_path(posted.raw("next")).as_deref().unwrap_or("/account?welcome"));
            site.devices.mark(&request, &mut response, &stored, site.entropy);
            Ok(response)
        }
        Tried::Taken => {
            let mut errors = FieldErrors::new();
            errors.add("email", words(&request, None).say("signup-email-taken"));
            refuse(&site, &request, &posted, errors)
        }
        Tried::Wrong(errors) => refuse(&site, &request, &posted, errors),
    }
}

/// What became of the form.
enum Tried {
    /// The account is there, with this hash of its password; its first session can be handed out.
    Made(NewSession, String),
    /// Another account has the address.
    Taken,
    /// Some fields are wrong.
    Wrong(FieldErrors),
}

async fn make(site: &Site, request: &HttpRequest, posted: &Posted) -> Result<Tried, Error> {
    let personal = [posted.raw("email"), posted.raw("first_name"), posted.raw("last_name")];
    let password = site.hasher.judge(posted.raw("password"), &personal).await?;
    let (new, password) = match parse(posted, password, words(request, None), site.entropy) {
        Ok(parsed) => parsed,
        Err(errors) => return Ok(Tried::Wrong(errors)),
    };
    let email_hash = trial_hash(&site.trial_key, &new.email_canonical);
    let password_hash = site.hasher.hash(&password).await?;
    let (starting, now) = (session::begin(request, site.entropy), site.clock.now().trunc_subsecs(0));
    let (public_id, stored) = (new.public_id.clone(), password_hash.clone());
    let made = site
        .store
        .write(move |conn| {
            let outcome = sign_up(conn, NewUser { password_hash, ..new }, &email_hash, now)?;
            if let SignUp::Made { user_id, .. } = outcome {
                starting.insert(conn, user_id, now)?;
            }
            Ok((outcome, starting))
        })
        .await?;
    match made {
        (SignUp::Made { with_trial, .. }, starting) => {
            tracing::info!(user = %public_id, with_trial, "signed up");
            Ok(Tried::Made(starting, stored))
        }
        (SignUp::EmailTaken, _) => Ok(Tried::Taken),
    }
}

fn refuse(site: &Site, request: &HttpRequest, posted: &Posted, errors: FieldErrors) -> Result<HttpResponse, Error> {
    let shown = |name| posted.shown(name, LONGEST_SHOWN);
    let form = SignupForm {
        email: shown("email"),
        title: shown("title"),
        first_name: shown("first_name"),
        last_name: shown("last_name"),
        phone: shown("phone"),
        time_zone: shown("time_zone"),
        accept_terms: posted.is_ticked("accept_terms"),
        next: own_path(posted.raw("next")).unwrap_or_default(),
        errors,
    };
    page_with(StatusCode::UNPROCESSABLE_ENTITY, &Signup { frame: site.frame(request, None), form })
}

/// Reads every field, so that all that is wrong is told at once.
fn parse(
    posted: &Posted,
    password: Result<Password, PasswordError>,
    words: Words,
    entropy: Entropy,
) -> Result<(NewUser, Password), FieldErrors> {
    let mut errors = FieldErrors::new();
    let email = errors.noted(words, "email", Email::parse(posted.raw("email")).map_err(EmailError::key));
    let details = person::read(posted, words, &mut errors);
    let password = errors.noted(words, "password", password.map_err(PasswordError::key));
    if !posted.is_ticked("accept_terms") {
        errors.add("accept_terms", words.say("signup-accept-first"));
    }
    let parsed = (|| {
        let new = NewUser {
            public_id: public_id(entropy),
            email_canonical: email.as_ref()?.canonical().to_owned(),
            email: email?.as_str().to_owned(),
            password_hash: String::new(),
            details: details?,
        };
        Some((new, password?))
    })();
    parsed.filter(|_| errors.is_empty()).ok_or(errors)
}

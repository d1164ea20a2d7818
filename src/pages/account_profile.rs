//! `/account/profile` and `/account/export`: what a person says of themselves, and all that is kept about them.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web,
};
use askama::Template;

use super::{
    form::FieldErrors,
    frame::Frame,
    person,
    posted::Posted,
    site::{Site, page, page_with, see_other},
};
use crate::{
    auth::guard::CurrentUser,
    domain::{input::InputError, user::Language},
    error::Error,
    store::{
        accounts::{self, Details},
        export,
        users::User,
    },
};

const LONGEST_SHOWN: usize = 300;

/// The page with the form. The fields are as typed.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/account_profile.html")]
pub struct AccountProfile {
    /// Around the page.
    pub frame: Frame,
    /// Optional.
    pub title: String,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Optional.
    pub phone: String,
    /// IANA name of the time zone.
    pub time_zone: String,
    /// The tag of the language.
    pub language: String,
    /// What was wrong. Names are those of the fields.
    pub errors: FieldErrors,
}

impl AccountProfile {
    fn zones() -> &'static [&'static str] {
        person::zones()
    }

    /// Each language in its own words, with its tag.
    fn languages() -> [(&'static str, &'static str); 2] {
        [(Language::En.as_str(), "English"), (Language::ZhHans.as_str(), "简体中文")]
    }
}

/// The form with what is known.
///
/// # Errors
/// Nobody is signed in, or the template failed.
pub async fn form(
    site: web::Data<Site>,
    request: HttpRequest,
    CurrentUser(person): CurrentUser,
) -> Result<HttpResponse, Error> {
    let frame = site.frame(&request, Some(&person));
    let User { title, first_name, last_name, phone, time_zone, language, .. } = person.user;
    page(&AccountProfile {
        frame,
        title: title.unwrap_or_default(),
        first_name,
        last_name,
        phone: phone.unwrap_or_default(),
        time_zone,
        language,
        errors: FieldErrors::new(),
    })
}

/// Keeps what was typed.
///
/// # Errors
/// Nobody is signed in, or the template or the database failed.
pub async fn submit(
    site: web::Data<Site>,
    request: HttpRequest,
    CurrentUser(person): CurrentUser,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    let frame = site.frame(&request, Some(&person));
    let mut errors = FieldErrors::new();
    let details = person::read(&posted, frame.words, &mut errors);
    let language = Language::parse(posted.raw("language")).map_err(InputError::key);
    let language = errors.noted(frame.words, "language", language);
    let (Some(details), Some(language)) = (details, language) else {
        let shown = |name| posted.shown(name, LONGEST_SHOWN);
        let refused = AccountProfile {
            frame,
            title: shown("title"),
            first_name: shown("first_name"),
            last_name: shown("last_name"),
            phone: shown("phone"),
            time_zone: shown("time_zone"),
            language: shown("language"),
            errors,
        };
        return page_with(StatusCode::UNPROCESSABLE_ENTITY, &refused);
    };
    let (id, now) = (person.user.id, site.clock.now());
    let details = Details { language: language.as_str().to_owned(), ..details };
    site.store.write(move |conn| accounts::set_details(conn, id, &details, now)).await?;
    Ok(see_other("/account?saved"))
}

/// All that is kept about the person, as one file.
///
/// # Errors
/// Nobody is signed in, or the database failed.
pub async fn export(site: web::Data<Site>, CurrentUser(person): CurrentUser) -> Result<HttpResponse, Error> {
    let id = person.user.id;
    let all = site.store.read(move |conn| export::of_user(conn, id)).await?.ok_or(Error::NotFound)?;
    let body = serde_json::to_vec_pretty(&all).map_err(|_| Error::NotFound)?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "application/json"))
        .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"account.json\""))
        .insert_header((header::CACHE_CONTROL, "private, no-store"))
        .body(body))
}

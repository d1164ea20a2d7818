//! What the handlers share: the services they call, and the frame around their pages.

use std::{net::IpAddr, sync::Arc};

use actix_web::{HttpRequest, HttpResponse, http::header};
use askama::Template;
use chrono::{DateTime, Utc};
use url::form_urlencoded;

use super::{
    frame::{Frame, Viewer},
    moment::Moment,
    secret_address::known_part,
};
use crate::{
    auth::{
        device::Devices,
        password::Hasher,
        rate_limit::{FailureLimit, client_address},
        second_factor::SealingKey,
    },
    billing::Billing,
    clock::{Clock, Entropy},
    config::Secret,
    content::Library,
    domain::{subscription::AccessPolicy, user::Language},
    error::Error,
    store::{Store, sessions::SignedIn, users::User},
    telemetry::Metrics,
    words::{Words, preferred},
};

/// What the handlers share.
pub struct Site {
    /// The database.
    pub store: Store,
    /// Stripe.
    pub billing: Billing,
    /// The time.
    pub clock: Clock,
    /// Randomness.
    pub entropy: Entropy,
    /// The one place that hashes passwords.
    pub hasher: Hasher,
    /// Who failed to log in too often.
    pub log_ins: FailureLimit,
    /// Browsers in which the password was known before.
    pub devices: Devices,
    /// Which addresses were wanted too often, from whichever accounts.
    pub wishes: FailureLimit,
    /// Who asked too often for a mail to set a new password.
    pub resets: FailureLimit,
    /// Who typed too many wrong codes, by row of the account.
    pub codes: FailureLimit,
    /// With what the secrets of second factors are encrypted.
    pub second_factors: SealingKey,
    /// Whether admins and support must have a second factor.
    pub staff_needs_second_factor: bool,
    /// Whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<ipnet::IpNet>,
    /// The premium pages.
    pub library: Library,
    /// What the operator decided about access.
    pub policy: AccessPolicy,
    /// With what webhooks may be signed.
    pub webhook_secrets: Vec<Secret>,
    /// The key of the hashes against second trials.
    pub trial_key: Secret,
    /// The address of the Stripe look-alike, where it runs.
    pub sandbox: Option<String>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
}

impl Site {
    /// The frame of the page that this request asks for.
    pub fn frame(&self, request: &HttpRequest, person: Option<&SignedIn>) -> Frame {
        let words = words(request, person);
        // A link to another place has nothing to do on a page with a secret address.
        let (path, sandbox) = match known_part(request.path()) {
            Some(known) => (known, None),
            None => (request.path(), self.sandbox.clone()),
        };
        let frame = Frame::new(path).in_language(words.language()).with_sandbox(sandbox);
        match person {
            Some(person) => frame.with_viewer(viewer(&person.user)),
            None => frame,
        }
    }

    /// Whose request it is, for the limits.
    pub fn client_address(&self, request: &HttpRequest) -> IpAddr {
        client_address(request.peer_addr().map(|peer| peer.ip()), request.headers(), &self.trusted_proxies)
    }

    /// An instant as this person reads it.
    pub fn moment(&self, at: DateTime<Utc>, user: &User) -> Moment {
        Moment::new(at, user.zone(), user.language())
    }
}

/// In what language this request is answered: that of the account, else the one that the browser asks for.
pub fn words(request: &HttpRequest, person: Option<&SignedIn>) -> Words {
    Words::of(person.map_or_else(|| asked_language(request), |person| person.user.language()))
}

/// The language that the browser asks for.
pub fn asked_language(request: &HttpRequest) -> Language {
    let header = request.headers().get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    preferred(header.unwrap_or_default())
}

/// The person as the navigation shows them.
pub fn viewer(user: &User) -> Viewer {
    Viewer { name: user.name(), email: user.email.clone(), staff: user.role.is_staff(), admin: user.role.is_admin() }
}

/// The first value of a parameter in the address of a request.
pub fn query(request: &HttpRequest, name: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(request.query_string().as_bytes());
    pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// The address of a page that leads on to `next`, if there is such a place.
pub fn with_next(path: &str, next: &str) -> String {
    if next.is_empty() {
        return path.to_owned();
    }
    let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
    // A slash may stand in a query, and is easier to read.
    format!("{path}?next={}", next.replace("%2F", "/"))
}

/// A page that nobody but this person may keep.
///
/// # Errors
/// The template failed.
pub fn page(template: &impl Template) -> Result<HttpResponse, Error> {
    page_with(actix_web::http::StatusCode::OK, template)
}

/// As [`page`], with a status.
///
/// # Errors
/// The template failed.
pub fn page_with(status: actix_web::http::StatusCode, template: &impl Template) -> Result<HttpResponse, Error> {
    let body = template.render()?;
    Ok(HttpResponse::build(status)
        .insert_header((header::CONTENT_TYPE, "text/html; charset=utf-8"))
        .insert_header((header::CACHE_CONTROL, "private, no-store"))
        .insert_header((header::VARY, "accept-language, cookie"))
        .body(body))
}

/// 303: what was asked is done, and this is where to look.
pub fn see_other(location: &str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((header::LOCATION, location))
        .insert_header((header::CACHE_CONTROL, "private, no-store"))
        .finish()
}

//! Turns every answer that is an error into a page of the same design, or into JSON for a program, and sends a
//! browser without a session to log-in (`docs/rules.md §4`).

use actix_web::{
    Error as ActixError, HttpResponse, ResponseError,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{Method, StatusCode, header},
    middleware::Next,
    web,
};
use askama::Template;
use serde_json::{Value, json};

use super::{
    api::shapes::Problem as Said,
    denied::Denied,
    error_page::ErrorPage,
    moment::{Moment, wait},
    site::{Site, page_with, see_other},
    status::Explained,
};
use crate::{
    auth::{origin::OriginCheck, refusal::Refusal, session},
    domain::{access::Denial, user::Language},
    error::Problem,
    store::sessions::SignedIn,
    words::Words,
};

/// The middleware.
///
/// # Errors
/// Whatever the inner service could not turn into an answer.
pub async fn render(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, ActixError> {
    let response = next.call(request).await?;
    let status = response.status();
    let is_finished = response.response().headers().contains_key(header::CONTENT_TYPE) && !is_actix_own(&response);
    if !(status.is_client_error() || status.is_server_error()) || is_finished {
        return Ok(response.map_into_boxed_body());
    }
    Ok(replace(response))
}

/// The middleware that refuses what another site makes a browser send with our cookies.
///
/// # Errors
/// Those of the inner service.
pub async fn refuse_cross_site(
    check: web::Data<OriginCheck>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, ActixError> {
    if let Err(error) = check.check(request.method(), request.path(), request.headers()) {
        tracing::warn!(%error, "refused a cross-site request");
        return Ok(request.into_response(Refusal::CrossSite.error_response()));
    }
    Ok(next.call(request).await?.map_into_boxed_body())
}

/// Answers that the framework itself makes are plain text.
fn is_actix_own<B>(response: &ServiceResponse<B>) -> bool {
    let kind = response.response().headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/plain"))
}

fn replace<B>(response: ServiceResponse<B>) -> ServiceResponse<BoxBody> {
    let (request, old) = response.into_parts();
    let refusal = old.extensions().get::<Refusal>().cloned();
    let problem = old.extensions().get::<Problem>().cloned();
    let person = session::person(&request).ok().flatten();
    let wait = old.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    let asked = Asked { request: &request, status: old.status(), person, wait };
    let mut new = if wants_json(&request) {
        asked.json(refusal.as_ref(), problem.as_ref())
    } else {
        asked.html(refusal.as_ref(), problem.as_ref())
    };
    for name in [header::ALLOW, header::RETRY_AFTER, header::SET_COOKIE, header::WWW_AUTHENTICATE] {
        if let Some(value) = old.headers().get(&name) {
            new.headers_mut().append(name, value.clone());
        }
    }
    new.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("private, no-store"));
    new.headers_mut().insert(header::VARY, header::HeaderValue::from_static("accept, accept-language, cookie"));
    ServiceResponse::new(request, new)
}

struct Asked<'a> {
    request: &'a actix_web::HttpRequest,
    status: StatusCode,
    person: Option<SignedIn>,
    /// The seconds after which it makes sense to try again.
    wait: Option<i64>,
}

impl Asked<'_> {
    fn html(&self, refusal: Option<&Refusal>, problem: Option<&Problem>) -> HttpResponse {
        let Some(site) = self.request.app_data::<web::Data<Site>>() else { return HttpResponse::new(self.status) };
        let frame = site.frame(self.request, self.person.as_ref());
        let words = frame.words;
        let page = match refusal {
            Some(Refusal::Unauthenticated) => return see_other(&self.log_in()),
            Some(Refusal::SecondFactorMissing) => return see_other("/account/second-factor"),
            Some(Refusal::NoAccess { reason, since, portal }) => {
                let zone = self.person.as_ref().map_or(chrono_tz::Tz::UTC, |person| person.user.zone());
                let since = since.map(|at| Moment::new(at, zone, frame.words.language()));
                self.page(&Denied { frame, reason: *reason, since, portal: *portal })
            }
            _ => {
                let mut page = ErrorPage::new(frame, self.status.as_u16());
                if refusal == Some(&Refusal::AdminsOnly) {
                    page = page.with_title(words.say("admin-only-title")).with_message(words.say("admin-only"));
                    page = page.with_link("/admin/subscribers", words.say("admin-to-subscribers"));
                }
                if let Some(misfit) = problem.and_then(|problem| problem.misfit) {
                    page = page.with_title(words.say(misfit.title));
                }
                if let Some((path, label)) = problem.and_then(|problem| problem.link) {
                    page = page.with_link(path, words.say(label));
                }
                if let Some(key) = problem.and_then(|problem| problem.message) {
                    page = page.with_message(words.say(key));
                } else if let Some(seconds) = self.wait.filter(|_| self.status == StatusCode::TOO_MANY_REQUESTS) {
                    page = self.slowed_down(page, words, seconds);
                }
                self.page(&page)
            }
        };
        page.unwrap_or_else(|| HttpResponse::new(self.status))
    }

    fn slowed_down(&self, page: ErrorPage, words: Words, seconds: i64) -> ErrorPage {
        let wait = wait(words, seconds);
        if self.request.path() != "/login" {
            let page = page.with_message(words.say("errors-429-wait").with("wait", wait));
            let inside = self.person.is_some();
            return if inside { page.with_link("/account", words.say("status-to-account")) } else { page };
        }
        // Somebody else may be guessing; the owner has another way in.
        let page = page.with_message(words.say("errors-429-login").with("wait", wait));
        page.with_link("/password/reset", words.say("errors-429-reset"))
    }

    fn page(&self, template: &impl Template) -> Option<HttpResponse> {
        page_with(self.status, template)
            .map_err(|error| tracing::error!(%error, "an error page could not be rendered"))
            .ok()
    }

    /// Log-in, and back again to what was asked for, if that can be asked for again.
    fn log_in(&self) -> String {
        let asked = self.request.uri().path_and_query().map_or("/", |asked| asked.as_str());
        match *self.request.method() {
            Method::GET | Method::HEAD => {
                let next: String = url::form_urlencoded::byte_serialize(asked.as_bytes()).collect();
                format!("/login?next={next}")
            }
            _ => "/login".to_owned(),
        }
    }

    fn json(&self, refusal: Option<&Refusal>, problem: Option<&Problem>) -> HttpResponse {
        HttpResponse::build(self.status).json(told(self.status, refusal, problem))
    }
}

/// What a program is told of what went wrong.
pub fn told(status: StatusCode, refusal: Option<&Refusal>, problem: Option<&Problem>) -> Value {
    let said = |code: &str, message: &str| json!(Said { code: code.to_owned(), message: message.to_owned() });
    match refusal {
        Some(Refusal::NoAccess { reason, .. }) => json!({
            "code": "SUBSCRIPTION_REQUIRED",
            "reason": reason.as_str(),
            "message": sentence(*reason),
        }),
        Some(Refusal::Unauthenticated) => said("UNAUTHENTICATED", "Log in first."),
        Some(Refusal::SecondFactorMissing) => {
            said("SECOND_FACTOR_REQUIRED", "Set up a second factor first, at /account/second-factor.")
        }
        Some(Refusal::AdminsOnly) => said("ADMINS_ONLY", "Only an admin may do that."),
        Some(Refusal::CrossSite) => said("CROSS_SITE", "The request did not come from a page of this site."),
        Some(Refusal::TokenRequired) => said("TOKEN_REQUIRED", "Send a token, as Authorization: Bearer tp_..."),
        Some(Refusal::TokenInvalid) => said("TOKEN_INVALID", "This token does not work, or no longer."),
        _ => {
            let reason = status.canonical_reason().unwrap_or("Error");
            let message = problem.and_then(|problem| problem.message);
            let message = message.map_or_else(|| reason.to_owned(), |key| for_programs().say(key).to_string());
            let code = problem.and_then(|problem| problem.misfit).map(|misfit| misfit.code.to_owned());
            let code = code.unwrap_or_else(|| reason.to_ascii_uppercase().replace([' ', '-'], "_"));
            said(&code, &message)
        }
    }
}

/// Programs are told in English, whoever is signed in: their readers are developers and logs.
fn for_programs() -> Words {
    Words::of(Language::En)
}

fn sentence(reason: Denial) -> String {
    let words = for_programs();
    format!("{}. {}", words.say(reason.heading()), words.say(reason.explanation()))
}

/// A program says so; everybody else gets a page.
pub fn wants_json(request: &actix_web::HttpRequest) -> bool {
    let accept = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let html = accept.contains("text/html") || accept.contains("application/xhtml+xml");
    request.path().starts_with("/api/") || (!html && accept.contains("json"))
}

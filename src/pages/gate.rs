//! `/gate` and `/gate/{key}`: a proxy asks whether a request may go on to the application behind it (`docs/gate.md`).
//!
//! It stands outside the session's middleware, because every request to that application waits for it.

use actix_web::{
    HttpRequest, HttpResponse, ResponseError,
    body::BoxBody,
    http::header::{self, HeaderName, HeaderValue},
    web,
};
use chrono::{DateTime, SecondsFormat, Utc};

use super::{
    problem::told,
    site::{query, see_other},
};
use crate::{
    auth::{
        guard::{Gate, Subscriber, word},
        next::ReturnHosts,
        refusal::Refusal,
        session::{SessionCookie, person_by_cookie},
    },
    domain::{
        access::{Denial, shown},
        gate::{Gates, PREMIUM},
        subscription::AccessPolicy,
    },
    store::sessions::SignedIn,
};

const USER: HeaderName = HeaderName::from_static("x-turnpike-user");
const EMAIL: HeaderName = HeaderName::from_static("x-turnpike-email");
const STATUS: HeaderName = HeaderName::from_static("x-turnpike-status");
const UNTIL: HeaderName = HeaderName::from_static("x-turnpike-until");
const REASON: HeaderName = HeaderName::from_static("x-turnpike-reason");

/// What the application is told of whoever asks. Every header is always there: a proxy that copies one that is missing may let
/// through what the client has sent under its name.
#[derive(Default)]
struct Identity {
    user: String,
    email: String,
    status: &'static str,
    until: String,
    reason: &'static str,
}

impl Identity {
    fn of(person: &SignedIn, policy: &AccessPolicy, now: DateTime<Utc>) -> Self {
        let status = shown(&person.subscriptions, policy, now).map(|one| one.effective_status(policy, now).as_str());
        Self {
            user: person.user.public_id.clone(),
            email: person.user.email.clone(),
            status: status.unwrap_or_default(),
            ..Self::default()
        }
    }

    fn put_on(self, response: &mut HttpResponse) {
        let headers = response.headers_mut();
        let all = [
            (USER, self.user.as_bytes()),
            (EMAIL, self.email.as_bytes()),
            (STATUS, self.status.as_bytes()),
            (UNTIL, self.until.as_bytes()),
            (REASON, self.reason.as_bytes()),
        ];
        for (name, value) in all {
            let empty = HeaderValue::from_static("");
            headers.insert(name, HeaderValue::from_bytes(value).unwrap_or(empty));
        }
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    }
}

/// The gate of the premium pages.
pub async fn premium(request: HttpRequest) -> HttpResponse {
    ask(&request, PREMIUM).await
}

/// The gate with this key.
pub async fn named(request: HttpRequest, key: web::Path<String>) -> HttpResponse {
    ask(&request, &key).await
}

async fn ask(request: &HttpRequest, key: &str) -> HttpResponse {
    let parts = (
        request.app_data::<web::Data<Gates>>(),
        request.app_data::<web::Data<Gate>>(),
        request.app_data::<web::Data<SessionCookie>>(),
    );
    let (Some(gates), Some(gate), Some(cookie)) = parts else {
        return refused(&Refusal::Unavailable, Identity::default());
    };
    let Some(named) = gates.by_key(key) else { return refused(&Refusal::Hidden, Identity::default()) };
    let policy = gate.policy.at(named);
    let (mut identity, decided) = decide(gate, cookie, &policy, request).await;
    (gate.count)(word(decided.as_ref().err()));
    match decided {
        Ok(subscriber) => {
            identity.until = subscriber.until.to_rfc3339_opts(SecondsFormat::AutoSi, true);
            let mut response = HttpResponse::NoContent().finish();
            identity.put_on(&mut response);
            response
        }
        Err(refusal) => {
            identity.reason = reason(&refusal);
            match elsewhere(request, &refusal) {
                Some(page) => {
                    let mut response = HttpResponse::Found().insert_header((header::LOCATION, page)).finish();
                    identity.put_on(&mut response);
                    response
                }
                None => refused(&refusal, identity),
            }
        }
    }
}

async fn decide(
    gate: &Gate,
    cookie: &SessionCookie,
    policy: &AccessPolicy,
    request: &HttpRequest,
) -> (Identity, Result<Subscriber, Refusal>) {
    let person = match person_by_cookie(cookie, &gate.store, &gate.clock, request).await {
        Ok(Some(person)) => person,
        Ok(None) => return (Identity::default(), Err(Refusal::Unauthenticated)),
        Err(refusal) => return (Identity::default(), Err(refusal)),
    };
    let identity = Identity::of(&person, policy, gate.clock.now());
    match gate.free(person) {
        Ok(person) => match gate.admit(policy, person).await {
            // Stripe may have been asked, so what is told is what was decided on.
            Ok(subscriber) => (Identity::of(&subscriber.person, policy, gate.clock.now()), Ok(subscriber)),
            Err(refusal) => (identity, Err(refusal)),
        },
        Err(refusal) => (identity, Err(refusal)),
    }
}

fn reason(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::NoAccess { reason, .. } => reason.as_str(),
        Refusal::Unauthenticated => "unauthenticated",
        Refusal::SecondFactorMissing => "second_factor_required",
        _ => "unavailable",
    }
}

fn refused(refusal: &Refusal, mut identity: Identity) -> HttpResponse {
    let mut response = refusal.error_response();
    if identity.reason.is_empty() && *refusal != Refusal::Hidden {
        identity.reason = reason(refusal);
    }
    identity.put_on(&mut response);
    let body = told(response.status(), Some(refusal), None).to_string();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.set_body(BoxBody::new(body))
}

/// The page of ours that helps a browser on, if a browser is to be sent there.
fn elsewhere(request: &HttpRequest, refusal: &Refusal) -> Option<String> {
    if query(request, "mode").as_deref() != Some("redirect") || !is_browser(request) {
        return None;
    }
    let hosts = request.app_data::<web::Data<ReturnHosts>>()?;
    let target = asked_for(request, hosts.scheme()).and_then(|target| hosts.allowed(&target));
    let page = match (refusal, target) {
        (Refusal::Unauthenticated, Some(target)) => {
            let back = form(&[("to", &target)]);
            format!("/login?{}", form(&[("next", &format!("/return?{back}"))]))
        }
        (Refusal::Unauthenticated, None) => "/login".to_owned(),
        (Refusal::SecondFactorMissing, _) => "/account/second-factor".to_owned(),
        (Refusal::NoAccess { reason: Denial::EmailUnconfirmed, .. }, _) => "/account".to_owned(),
        (Refusal::NoAccess { .. }, Some(target)) => format!("/plans?{}", form(&[("back", &target)])),
        (Refusal::NoAccess { .. }, None) => "/plans".to_owned(),
        _ => return None,
    };
    Some(format!("{}{page}", hosts.here()))
}

/// It wants a page, and is no script in one.
fn is_browser(request: &HttpRequest) -> bool {
    let headers = request.headers();
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_script =
        headers.get("x-requested-with").is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"XMLHttpRequest"));
    accept.contains("text/html") && !is_script
}

/// What the browser asked the proxy for. Anybody could have sent these headers: it is only ever a way to a host on the list.
fn asked_for(request: &HttpRequest, usual_scheme: &str) -> Option<String> {
    let header = |name: &str| {
        request.headers().get(name).and_then(|value| value.to_str().ok()).filter(|value| !value.is_empty())
    };
    let host = header("x-forwarded-host")?;
    let scheme = header("x-forwarded-proto").unwrap_or(usual_scheme);
    let path = header("x-forwarded-uri").filter(|path| path.starts_with('/')).unwrap_or("/");
    Some(format!("{scheme}://{host}{path}"))
}

fn form(pairs: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// `/return`: back to the application after log-in, if it is one on the list.
pub async fn back(request: HttpRequest, hosts: web::Data<ReturnHosts>) -> HttpResponse {
    let target = query(&request, "to").and_then(|target| hosts.allowed(&target));
    see_other(target.as_deref().unwrap_or("/account"))
}

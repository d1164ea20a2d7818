//! Where somebody came from who was sent to the plans by a gate, kept by the browser until the payment is done.

use actix_web::{
    HttpRequest, HttpResponse,
    cookie::{Cookie, SameSite, time},
};

use crate::auth::next::ReturnHosts;

/// Long enough for a payment.
const LASTS_MINUTES: i64 = 120;

/// Keeps the target.
pub fn keep(response: &mut HttpResponse, hosts: &ReturnHosts, target: String) {
    let cookie = Cookie::build(name(hosts), target)
        .path("/")
        .secure(hosts.scheme() == "https")
        .http_only(true)
        .same_site(SameSite::Lax)
        .max_age(time::Duration::minutes(LASTS_MINUTES))
        .finish();
    if let Err(error) = response.add_cookie(&cookie) {
        tracing::error!(%error, "the way back could not be kept");
    }
}

/// The target, if it still is one to which people may be sent.
pub fn kept(request: &HttpRequest, hosts: &ReturnHosts) -> Option<String> {
    hosts.allowed(request.cookie(name(hosts))?.value())
}

fn name(hosts: &ReturnHosts) -> &'static str {
    if hosts.scheme() == "https" { "__Host-turnpike-back" } else { "turnpike-back" }
}

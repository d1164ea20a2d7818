//! `/webhooks/stripe`: Stripe's word. 200 only after the commit; 400 for what is not Stripe's; 5xx when we failed, so
//! that it comes again.

use actix_web::{HttpRequest, HttpResponse, http::header::HeaderValue, web};

use super::site::Site;
use crate::billing::{event::Event, journal::Receipt, signature};

/// The largest delivery that is read, in bytes. Genuine events pass a quarter of this.
pub const LARGEST: usize = 1024 * 1024;

/// Takes in a delivery.
pub async fn receive(site: web::Data<Site>, request: HttpRequest, body: web::Bytes) -> HttpResponse {
    let header = request.headers().get("stripe-signature").map(HeaderValue::as_bytes);
    if let Err(error) = signature::verify(header, &body, &site.webhook_secrets, site.clock.now()) {
        tracing::warn!(%error, "refused a webhook");
        site.metrics.webhook("bad_signature");
        return HttpResponse::BadRequest().json(serde_json::json!({"code": "BAD_SIGNATURE"}));
    }
    let read = Event::parse(&body).ok().zip(String::from_utf8(body.to_vec()).ok());
    let Some((event, payload)) = read else {
        tracing::error!("a signed webhook is no event");
        site.metrics.webhook("not_an_event");
        return HttpResponse::BadRequest().json(serde_json::json!({"code": "NOT_AN_EVENT"}));
    };
    let (id, kind) = (event.id.clone(), event.kind.clone());
    let Ok(receipt) = site.billing.receive(event, payload).await else {
        site.metrics.webhook("failed");
        return HttpResponse::InternalServerError().json(serde_json::json!({"code": "FAILED"}));
    };
    let outcome = match receipt {
        Receipt::Done(outcome) => outcome.as_str(),
        Receipt::Seen => "seen",
    };
    tracing::info!(event = %id, %kind, outcome, "took in an event");
    site.metrics.webhook(outcome);
    HttpResponse::Ok().json(serde_json::json!({"outcome": outcome}))
}

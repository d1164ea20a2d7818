//! What a person sees: the checkout page, the portal, and the sandbox's own pages. Every one says that it is a sandbox.

pub mod checkout;
pub mod customer;
pub mod deliveries;
pub mod home;
pub mod portal;
pub mod receipt;
pub mod requests;

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION},
    },
    web::{self, ServiceConfig},
};
use askama::Template;
use url::Url;

use super::calendar::{rfc3339, spell};

pub fn configure(config: &mut ServiceConfig) {
    config
        .route("/", web::get().to(home::show))
        .route("/clock", web::post().to(home::move_clock))
        .route("/switches", web::post().to(home::switch))
        .route("/customers/{customer}", web::get().to(customer::show))
        .route("/customers/{customer}", web::post().to(customer::act))
        .route("/events/{event}/redelivery", web::post().to(deliveries::redeliver))
        .route("/c/pay/{session}", web::get().to(checkout::show))
        .route("/c/pay/{session}", web::post().to(checkout::pay))
        .route("/c/pay/{session}/confirm", web::get().to(checkout::show_confirmation))
        .route("/p/session/{session}", web::get().to(portal::show))
        .route("/p/session/{session}", web::post().to(portal::act))
        .route("/invoices/{invoice}", web::get().to(receipt::invoice))
        .route("/receipts/{charge}", web::get().to(receipt::charge))
        .route("/_sandbox/style.css", web::get().to(style))
        .route("/favicon.ico", web::get().to(icon))
        .default_service(web::to(missing));
}

async fn style() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/css; charset=utf-8"))
        .insert_header((CACHE_CONTROL, "no-cache"))
        .body(include_str!("../../../static/sandbox.css"))
}

async fn icon() -> HttpResponse {
    HttpResponse::Ok().insert_header((CONTENT_TYPE, "image/svg+xml")).body(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#6d5bd0"/><path d="M4 6h8M4 10h5" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>"##,
    )
}

/// An instant as the pages show it.
pub struct When {
    pub machine: String,
    pub human: String,
}

impl From<i64> for When {
    fn from(moment: i64) -> Self {
        Self { machine: rfc3339(moment), human: spell(moment) }
    }
}

#[derive(Template)]
#[template(path = "sandbox/message.html")]
struct Message<'a> {
    title: &'a str,
    text: &'a str,
    link: Option<(&'a str, &'a str)>,
}

/// A page with a sentence and, where there is one, a way on: address and words.
fn message(status: StatusCode, title: &str, text: &str, link: Option<(&str, &str)>) -> HttpResponse {
    page(status, &Message { title, text, link }, None)
}

async fn missing() -> HttpResponse {
    let text = "The sandbox has no page at this address.";
    message(StatusCode::NOT_FOUND, "Nothing here", text, Some(("/", "To the sandbox's first page")))
}

/// A page. Its forms may lead to `onward` too: browsers hold every hop of a redirect against the policy.
fn page(status: StatusCode, template: &impl Template, onward: Option<&str>) -> HttpResponse {
    let Ok(html) = template.render() else {
        return HttpResponse::InternalServerError().body("The sandbox can't show this page.");
    };
    let origin = onward
        .and_then(|address| Url::parse(address).ok())
        .map(|url| url.origin().ascii_serialization())
        .unwrap_or_default();
    let policy = format!(
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' {origin}"
    );
    HttpResponse::build(status)
        .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header(("Content-Security-Policy", policy.trim_end()))
        .insert_header(("X-Content-Type-Options", "nosniff"))
        .insert_header(("Referrer-Policy", "same-origin"))
        .body(html)
}

fn see_other(address: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, address)).finish()
}

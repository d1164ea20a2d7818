//! Every address of the sandbox on one screen, and what holds for all of them.

use actix_web::{
    Error, HttpResponse,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method,
        header::{DATE, HOST, HeaderValue},
    },
    middleware::Next,
    web::{self, Data, ServiceConfig},
};

use super::{api, control, pages, shared::Sandbox};

const LARGEST_BODY: usize = 1_048_576;

pub fn configure(config: &mut ServiceConfig) {
    config
        .app_data(web::PayloadConfig::new(LARGEST_BODY))
        .route("/v1/{rest:.*}", web::route().to(api::answer))
        .route("/_sandbox/clock", web::get().to(control::clock::show))
        .route("/_sandbox/clock", web::post().to(control::clock::set))
        .route("/_sandbox/requests", web::get().to(control::requests::list))
        .route("/_sandbox/deliveries", web::get().to(control::deliveries::list))
        .route("/_sandbox/delivery", web::get().to(control::deliveries::settings))
        .route("/_sandbox/delivery", web::post().to(control::deliveries::set))
        .route("/_sandbox/fail", web::get().to(control::fail::list))
        .route("/_sandbox/fail", web::post().to(control::fail::add))
        .route("/_sandbox/fail", web::delete().to(control::fail::clear))
        .route("/_sandbox/checkout/{session}", web::post().to(control::checkout::finish))
        .route("/_sandbox/customers/{customer}/card", web::post().to(control::acts::change_card))
        .route("/_sandbox/dunning", web::post().to(control::acts::set_dunning))
        .route("/_sandbox/disputes", web::post().to(control::acts::open_dispute))
        .route("/_sandbox/disputes/{dispute}", web::post().to(control::acts::close_dispute))
        .route("/_sandbox/events/{event}/redelivery", web::post().to(control::acts::redeliver))
        .configure(pages::configure);
}

/// Only this machine, by a name of this machine, and not through a page of another site. Answers carry the clock's time.
pub async fn guard(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let date = request.app_data::<Data<Sandbox>>().map(|sandbox| sandbox.http_date());
    let mut response = match refusal(&request) {
        Some(reason) => request.into_response(HttpResponse::Forbidden().body(reason)),
        None => next.call(request).await?.map_into_boxed_body(),
    };
    if let Some(date) = date.and_then(|date| HeaderValue::from_str(&date).ok()) {
        response.headers_mut().insert(DATE, date);
    }
    Ok(response)
}

fn refusal(request: &ServiceRequest) -> Option<&'static str> {
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
    let host = header(HOST).or_else(|| request.uri().host()).unwrap_or_default();
    if !is_this_machine(host) {
        return Some("The sandbox answers only to localhost, 127.0.0.1 and [::1].");
    }
    let writes = !matches!(*request.method(), Method::GET | Method::HEAD);
    let site = request.headers().get("sec-fetch-site").and_then(|value| value.to_str().ok());
    (writes && site == Some("cross-site")).then_some("The sandbox takes no form from another site.")
}

fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_this_machine;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for host in ["localhost", "LOCALHOST:8081", "127.0.0.1:8081", "127.9.9.9", "[::1]:8081", "[::1]"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "",
            "example.com",
            "localhost.example.com:8081",
            "127.0.0.1.example.com",
            "10.0.0.1:8081",
            "[::2]:1",
            "[",
            "0.0.0.0",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}

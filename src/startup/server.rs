//! The HTTP servers: bounded in size, time and number everywhere.

use std::{net::TcpListener, sync::Arc, time::Duration};

use actix_web::{
    App, HttpResponse, HttpServer,
    dev::Server,
    http::header,
    middleware::{DefaultHeaders, from_fn},
    web::{self, PayloadConfig},
};

use super::{StartupError, headers::headers};
use crate::{
    auth::{
        guard::Gate,
        next::ReturnHosts,
        origin::OriginCheck,
        session::{self, SessionCookie},
    },
    config::{Config, Secret},
    pages::{problem, secret_address, site::Site},
    routes::{routes, routes_without_session},
    telemetry::{self, Metrics},
};

/// The largest form, in bytes. Every field of ours fits many times over.
const LARGEST_FORM: usize = 64 * 1024;
const CONNECTIONS: usize = 10_000;
const REQUEST_HEAD: Duration = Duration::from_secs(10);
const KEEP_ALIVE: Duration = Duration::from_secs(30);
const SHUTDOWN_SECONDS: u64 = 15;

/// How many threads serve requests.
pub(super) fn workers() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

pub(super) fn serve(
    listener: TcpListener,
    config: &Config,
    site: Site,
    cookie_secret: &Secret,
) -> Result<Server, StartupError> {
    let gate = web::Data::new(gate(&site));
    let origins = web::Data::new(OriginCheck::new(&config.public_url, &["/webhooks/stripe"]));
    let https = config.public_url.scheme() == "https";
    let headers = headers(&site, config);
    let counters = web::Data::from(Arc::clone(&site.metrics));
    let site = web::Data::new(site);
    let cookie = SessionCookie::new(cookie_secret, https, config.cookie_domain.as_deref());
    let gates = web::Data::new(config.gates.clone());
    let hosts = web::Data::new(ReturnHosts::new(config.gate_hosts.clone(), &config.public_url));
    let server = HttpServer::new(move || {
        let sessions = session::middleware(site.store.clone(), site.clock.clone(), &cookie);
        App::new()
            .app_data(site.clone())
            .app_data(gate.clone())
            .app_data(origins.clone())
            .app_data(counters.clone())
            .app_data(web::Data::new(cookie.clone()))
            .app_data(gates.clone())
            .app_data(hosts.clone())
            .app_data(PayloadConfig::new(LARGEST_FORM))
            .configure(routes_without_session)
            .service(
                web::scope("")
                    .wrap(from_fn(problem::refuse_cross_site))
                    // Inside the session, so that an error page knows whose page it is; once more outside, for the rest.
                    .wrap(from_fn(problem::render))
                    .wrap(sessions)
                    .configure(routes)
                    .default_service(web::to(HttpResponse::NotFound)),
            )
            .wrap(from_fn(problem::render))
            .wrap(from_fn(secret_address::keep))
            .wrap(headers.iter().fold(DefaultHeaders::new(), |all, (name, value)| all.add((*name, value.as_str()))))
            .wrap(from_fn(telemetry::observe))
    });
    Ok(server
        .workers(workers())
        .max_connections(CONNECTIONS)
        .client_request_timeout(REQUEST_HEAD)
        .keep_alive(KEEP_ALIVE)
        .shutdown_timeout(SHUTDOWN_SECONDS)
        .disable_signals()
        .listen(listener)?
        .run())
}

/// Prometheus text, on a listener of its own.
pub(super) fn metrics(listener: TcpListener, metrics: Arc<Metrics>) -> Result<Server, StartupError> {
    let metrics = web::Data::from(metrics);
    let show = |metrics: web::Data<Metrics>| async move {
        HttpResponse::Ok().insert_header((header::CONTENT_TYPE, "text/plain; version=0.0.4")).body(metrics.render())
    };
    let server = HttpServer::new(move || App::new().app_data(metrics.clone()).route("/metrics", web::get().to(show)));
    Ok(server.workers(1).disable_signals().listen(listener)?.run())
}

fn gate(site: &Site) -> Gate {
    let (billing, metrics) = (site.billing.clone(), Arc::clone(&site.metrics));
    Gate {
        store: site.store.clone(),
        clock: site.clock.clone(),
        policy: site.policy,
        staff_needs_second_factor: site.staff_needs_second_factor,
        count: Arc::new(move |decision| metrics.guard(decision)),
        ask: Arc::new(move |id, provider_id| {
            let billing = billing.clone();
            Box::pin(async move {
                billing.refresh_if_due(id, &provider_id).await.unwrap_or_else(|error| {
                    tracing::warn!(subscription = %provider_id, %error, "a late renewal could not be asked about");
                    false
                })
            })
        }),
    }
}

//! `/healthz`, `/readyz`: for whoever watches the server.

use actix_web::{HttpResponse, http::header, web};

use super::site::Site;

/// The process is alive.
pub async fn alive() -> HttpResponse {
    answer(HttpResponse::Ok(), "ok")
}

/// The database answers and its tables are there.
pub async fn ready(site: web::Data<Site>) -> HttpResponse {
    match site.store.ping().await {
        Ok(()) => answer(HttpResponse::Ok(), "ready"),
        Err(error) => {
            tracing::error!(%error, "not ready");
            answer(HttpResponse::ServiceUnavailable(), "the database does not answer")
        }
    }
}

fn answer(mut response: actix_web::HttpResponseBuilder, status: &str) -> HttpResponse {
    response.insert_header((header::CACHE_CONTROL, "no-store")).json(serde_json::json!({"status": status}))
}

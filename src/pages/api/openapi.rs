//! `/api/v1/openapi.json`: what programs can ask, and what they are answered, made of the handlers and structs themselves.

use std::sync::LazyLock;

use actix_web::{HttpResponse, http::header};
use utoipa::{
    Modify, OpenApi,
    openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
};

use super::{
    me, subscribers,
    words::{KindWord, StandingWord},
};
use crate::error::Error;

/// How long the description may be kept: an update of the program may change it.
const KEPT: &str = "public, max-age=300";

static DESCRIPTION: LazyLock<Option<String>> = LazyLock::new(|| {
    let written = Api::openapi().to_json();
    written.map_err(|error| tracing::error!(%error, "the description of the API could not be written")).ok()
});

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Turnpike",
        description = "Who may read premium pages. Every path answers HEAD as it answers GET. Instants are RFC 3339 in UTC."
    ),
    paths(me::me, subscribers::list, subscribers::one),
    // Those that stand in parameters too, which names them but does not bring them.
    components(schemas(KindWord, StandingWord)),
    modifiers(&Locks)
)]
struct Api;

/// What opens which path.
struct Locks;

impl Modify for Locks {
    fn modify(&self, api: &mut utoipa::openapi::OpenApi) {
        let token = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("A token that an admin made at `/admin/tokens`."))
            .build();
        let about = "The session of a browser. With https its name is `__Host-turnpike`.";
        let session = ApiKey::Cookie(ApiKeyValue::with_description("turnpike", about));
        let components = api.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(token));
        components.add_security_scheme("session", SecurityScheme::ApiKey(session));
    }
}

/// The description.
///
/// # Errors
/// It could not be written, which a test would have found.
pub async fn show() -> Result<HttpResponse, Error> {
    let description = DESCRIPTION.as_deref().ok_or(Error::NotFound)?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "application/json"))
        .insert_header((header::CACHE_CONTROL, KEPT))
        .body(description))
}

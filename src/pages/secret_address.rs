//! Pages whose address is a secret: it holds the token of a mail. Nobody else is told it, whatever the answer is.

use actix_web::{
    Error,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::header::{HeaderValue, REFERRER_POLICY},
    middleware::Next,
};
use percent_encoding::percent_decode_str;

use crate::telemetry::SECRET_PATHS;

/// The part of such an address that is no secret; nothing for other addresses.
pub(super) fn known_part(path: &str) -> Option<&'static str> {
    let path = percent_decode_str(path).decode_utf8_lossy();
    SECRET_PATHS.into_iter().find(|start| path.starts_with(start)).map(|start| start.trim_end_matches('/'))
}

/// The middleware that keeps browsers from telling the address to anyone.
///
/// # Errors
/// Those of the inner service.
pub async fn keep<B: MessageBody>(request: ServiceRequest, next: Next<B>) -> Result<ServiceResponse<B>, Error> {
    let mut response = next.call(request).await?;
    if known_part(response.request().path()).is_some() {
        response.headers_mut().insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    }
    Ok(response)
}

//! `/static/…`: the stylesheet, the script and the icon, at addresses that change with their content.

use actix_web::{HttpRequest, HttpResponse, http::header};

use crate::{assets, error::Error};

/// A file that may be kept for ever, because its address names its content.
///
/// # Errors
/// There is no such file.
pub async fn file(request: HttpRequest) -> Result<HttpResponse, Error> {
    let asset = assets::find(request.path()).ok_or(Error::NotFound)?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, asset.content_type))
        .insert_header((header::CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .insert_header((header::ETAG, asset.etag.as_str()))
        .body(asset.body))
}

/// Where browsers look for an icon that no page names.
pub async fn icon() -> HttpResponse {
    // Where it leads changes with the icon.
    HttpResponse::Found()
        .insert_header((header::LOCATION, assets::icon().path.as_str()))
        .insert_header((header::CACHE_CONTROL, "public, max-age=86400"))
        .finish()
}

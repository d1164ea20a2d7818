//! `/admin/tokens/{id}/revocation`: asks for the reason, then ends a token.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;

use super::{
    asked::{self, REASON_MAX},
    tokens::by,
};
use crate::{
    auth::guard::Admin,
    error::Error,
    pages::{
        form::FieldErrors,
        frame::Frame,
        posted::Posted,
        site::{Site, page, page_with, see_other},
    },
    staff,
    store::api_tokens::{self, ApiToken},
};

/// The page that asks.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/admin/token_revocation.html")]
pub struct TokenRevocation {
    /// Around the page.
    pub frame: Frame,
    /// What the token is for.
    pub name: String,
    /// By what it is named.
    pub id: String,
    /// What was typed.
    pub reason: String,
    /// What was wrong. Names: `reason`.
    pub errors: FieldErrors,
}

/// Asks for the reason.
///
/// # Errors
/// The reader is no admin, there is no such token, or the template or the database failed.
pub async fn ask(
    site: web::Data<Site>,
    request: HttpRequest,
    Admin(reader): Admin,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let token = token(&site, &id).await?;
    page(&form(site.frame(&request, Some(&reader)), token))
}

/// Ends the token.
///
/// # Errors
/// As [`ask`].
pub async fn revoke(
    site: web::Data<Site>,
    request: HttpRequest,
    Admin(reader): Admin,
    id: web::Path<String>,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    let token = token(&site, &id).await?;
    let empty = form(site.frame(&request, Some(&reader)), token.clone());
    let mut errors = FieldErrors::new();
    let reason = asked::reason(&posted, empty.frame.words, &mut errors);
    let shown = TokenRevocation { reason: posted.shown("reason", REASON_MAX), ..empty };
    if !errors.is_empty() {
        return page_with(StatusCode::UNPROCESSABLE_ENTITY, &TokenRevocation { errors, ..shown });
    }
    let (by, now) = (by(&site, &request, &reader, reason), site.clock.now());
    if site.store.write(move |conn| staff::revoke_token(conn, &token, by, now)).await? {
        tracing::info!(by = %reader.user.public_id, token = %shown.id, "the token of a program is revoked");
        return Ok(see_other("/admin/tokens?revoked"));
    }
    let errors = FieldErrors::new().with_summary(shown.frame.words.say("admin-token-revoked-before"));
    page_with(StatusCode::CONFLICT, &TokenRevocation { errors, ..shown })
}

async fn token(site: &Site, id: &str) -> Result<ApiToken, Error> {
    let id = asked::id(id)?;
    let found = site.store.read(move |conn| api_tokens::by_public_id(conn, &id)).await?;
    found.ok_or(Error::NotFound)
}

fn form(frame: Frame, token: ApiToken) -> TokenRevocation {
    TokenRevocation { frame, name: token.name, id: token.public_id, reason: String::new(), errors: FieldErrors::new() }
}

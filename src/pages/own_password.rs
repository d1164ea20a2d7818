//! Asks for the password again, before something that a stolen session must not be enough for.

use actix_web::HttpRequest;

use super::site::Site;
use crate::{
    auth::{password::Typed, rate_limit::client_address},
    domain::email::Email,
    error::Error,
    store::users::{self, User},
};

/// The stored hash of this person's password, if this is it. Failures count as failed log-ins do.
///
/// # Errors
/// Too many failures, the hashing place is full, or the database failed.
pub(super) async fn verified_password(
    site: &Site,
    request: &HttpRequest,
    user: &User,
    typed: &str,
) -> Result<Option<String>, Error> {
    let account = Email::parse(&user.email).map(|email| email.canonical().to_owned()).unwrap_or_default();
    let address = client_address(request.peer_addr().map(|peer| peer.ip()), request.headers(), &site.trusted_proxies);
    site.log_ins.check(address, Some(&account)).map_err(|refused| Error::TooManyTries(refused.seconds))?;
    let user_id = user.id;
    let stored = site.store.read(move |conn| users::password_hash(conn, user_id)).await?;
    let right = match Typed::parse(typed) {
        Ok(typed) => site.hasher.verify(&typed, stored.as_deref()).await?,
        Err(_) => false,
    };
    if !right {
        site.log_ins.record_failure(address, Some(&account));
    }
    Ok(stored.filter(|_| right))
}

/// Whether this is the person's password. Failures count as failed log-ins do.
///
/// # Errors
/// Too many failures, the hashing place is full, or the database failed.
pub(super) async fn is_own_password(
    site: &Site,
    request: &HttpRequest,
    user: &User,
    typed: &str,
) -> Result<bool, Error> {
    Ok(verified_password(site, request, user, typed).await?.is_some())
}

//! Asks for the password again, before something that a stolen session must not be enough for.

use actix_web::HttpRequest;

use super::{form::FieldErrors, posted::Posted, site::Site};
use crate::{
    auth::password::Typed,
    error::Error,
    store::users::{self, User},
    words::Words,
};

/// The stored hash of this person's password, if this is it. Failures are counted.
///
/// # Errors
/// Too many failures, the hashing place is full, or the database failed.
pub(super) async fn verified_password(
    site: &Site,
    request: &HttpRequest,
    user: &User,
    typed: &str,
) -> Result<Option<String>, Error> {
    // Counted apart from log-ins: a stranger who guesses there must not keep the person from a change here.
    let failures = format!("signed in {}", user.public_id);
    let attempt = site.log_ins.attempt(site.client_address(request), Some(&failures))?;
    let verified = verify(site, user.id, typed).await;
    if !matches!(verified, Ok(None)) {
        attempt.give_back();
    }
    verified
}

async fn verify(site: &Site, user_id: i64, typed: &str) -> Result<Option<String>, Error> {
    let stored = site.store.read(move |conn| users::password_hash(conn, user_id)).await?;
    let right = match Typed::parse(typed) {
        Ok(typed) => site.hasher.verify(&typed, stored.as_deref()).await?,
        Err(_) => false,
    };
    Ok(stored.filter(|_| right))
}

/// Asks for the person's password in the field `password`, and says there what is wrong with it.
///
/// # Errors
/// As [`is_own_password`].
pub(super) async fn ask_again(
    site: &Site,
    request: &HttpRequest,
    user: &User,
    posted: &Posted,
    words: Words,
    errors: &mut FieldErrors,
) -> Result<(), Error> {
    let typed = posted.raw("password");
    if typed.is_empty() {
        errors.add("password", words.say("forms-password-empty"));
    } else if !is_own_password(site, request, user, typed).await? {
        errors.add("password", words.say("email-password-wrong"));
    }
    Ok(())
}

/// Whether this is the person's password. Failures are counted.
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

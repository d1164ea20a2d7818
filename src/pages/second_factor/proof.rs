//! A code that somebody typed, held against the second factor of an account.

use actix_web::HttpRequest;

use crate::{
    auth::second_factor::{Code, Proof},
    error::Error,
    pages::{
        form::FieldErrors,
        posted::Posted,
        site::{Site, words},
    },
    store::{second_factors, sessions::SignedIn},
};

/// What the fields `code` or `recovery_code` prove, if they fit. It counts when it is redeemed, and is then
/// [forgiven](forgive).
///
/// Six digits can be guessed, so tries are counted for the account, whichever log-in they belong to. Recovery codes can't, and
/// are not: whoever is kept out by somebody else's guesses gets in with one.
///
/// # Errors
/// Too many wrong codes, or the database failed.
pub(in crate::pages) async fn proof(
    site: &Site,
    request: &HttpRequest,
    user_id: i64,
    posted: &Posted,
) -> Result<Option<Proof>, Error> {
    let (address, code) = (site.client_address(request), Code::parse(posted.raw(field(posted))));
    match code {
        Some(Code::App(_)) => site.codes.attempt(address, &user_id.to_string())?,
        _ => site.codes.check(address, None)?,
    }
    let found = site.store.read(move |conn| second_factors::find(conn, user_id)).await?;
    let now = site.clock.now();
    let proof =
        code.zip(found).and_then(|(code, found)| Proof::of(&code, &site.second_factors, user_id, &found.secret, now));
    Ok(proof)
}

/// After a code was redeemed.
pub(in crate::pages) fn forgive(site: &Site, user_id: i64) {
    site.codes.forgive(&user_id.to_string());
}

/// Notes that a code did not fit, or was used already, and says so at its field.
pub(in crate::pages) fn refused(
    site: &Site,
    request: &HttpRequest,
    person: Option<&SignedIn>,
    posted: &Posted,
) -> FieldErrors {
    site.codes.record_failure(site.client_address(request), None);
    tracing::info!("a second factor was refused");
    let (words, field, mut errors) = (words(request, person), field(posted), FieldErrors::new());
    let message = match field {
        "recovery_code" => words.say("security-wrong-recovery-code"),
        _ if posted.raw(field).trim().is_empty() => words.say("security-code-missing"),
        _ => words.say("security-wrong-code"),
    };
    errors.add(field, message);
    errors
}

/// In which of the two fields something was typed.
fn field(posted: &Posted) -> &'static str {
    let is_empty = |field| posted.raw(field).trim().is_empty();
    if is_empty("code") && !is_empty("recovery_code") { "recovery_code" } else { "code" }
}

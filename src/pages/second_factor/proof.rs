//! A code that somebody typed, held against the second factor of an account.

use actix_web::HttpRequest;

use crate::{
    auth::{
        rate_limit::Attempt,
        second_factor::{Code, Proof},
    },
    error::Error,
    pages::{
        form::FieldErrors,
        posted::Posted,
        site::{Site, words},
    },
    store::{second_factors, sessions::SignedIn},
};

/// What a code proves once it is redeemed, and the attempt that has [passed](passed) then.
pub(in crate::pages) struct Presented {
    pub(in crate::pages) proof: Proof,
    pub(in crate::pages) attempt: Attempt,
}

/// What the fields `code` or `recovery_code` prove, if they fit.
///
/// Six digits can be guessed, so tries are counted for the account, whichever log-in they belong to. Recovery codes can't, and
/// are not: whoever is kept out by somebody else's guesses gets in with one.
///
/// # Errors
/// Too many wrong codes, or the database failed.
pub(in crate::pages) async fn presented(
    site: &Site,
    request: &HttpRequest,
    user_id: i64,
    posted: &Posted,
) -> Result<Option<Presented>, Error> {
    let (address, code) = (site.client_address(request), Code::parse(posted.raw(field(posted))));
    let account = matches!(code, Some(Code::App(_))).then(|| user_id.to_string());
    let attempt = site.codes.attempt(address, account.as_deref())?;
    let found = site.store.read(move |conn| second_factors::find(conn, user_id)).await?;
    let now = site.clock.now();
    let proof =
        code.zip(found).and_then(|(code, found)| Proof::of(&code, &site.second_factors, user_id, &found.secret, now));
    Ok(proof.map(|proof| Presented { proof, attempt }))
}

/// After a code was redeemed.
pub(in crate::pages) fn passed(site: &Site, user_id: i64, attempt: Attempt) {
    attempt.give_back();
    site.codes.forgive(&user_id.to_string());
}

/// Says at its field that a code did not fit, or was used already.
pub(in crate::pages) fn refused(request: &HttpRequest, person: Option<&SignedIn>, posted: &Posted) -> FieldErrors {
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

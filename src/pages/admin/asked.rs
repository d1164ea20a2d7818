//! What the lists of staff have in common: what the address asks for, the choices of a filter, the end of a page.

use actix_web::HttpRequest;

use crate::{
    error::Error,
    pages::{form::FieldErrors, frame::Frame, posted::Posted, site::query},
    words::Words,
};

/// So many letters are enough for a reason, ...
const REASON_MIN: usize = 3;
/// ... and so many are too much.
pub(super) const REASON_MAX: usize = 500;

/// Longer than anything that a filter can be.
const LONGEST: usize = 200;

/// A choice of a filter.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The word in the address.
    pub value: String,
    /// What is shown.
    pub label: String,
    /// It is the present one.
    pub chosen: bool,
}

/// The choices of a filter: each with its word in the address, and with the key of what it is called.
pub(super) fn choices<T: Copy + PartialEq>(
    frame: &Frame,
    all: impl IntoIterator<Item = T>,
    chosen: Option<T>,
    word: impl Fn(T) -> &'static str,
    label: impl Fn(T) -> &'static str,
) -> Vec<Choice> {
    let choice =
        |one| Choice { value: word(one).to_owned(), label: frame.say(label(one)).into(), chosen: chosen == Some(one) };
    all.into_iter().map(choice).collect()
}

/// What an address asks for by this name, if it is anything.
pub(super) fn asked(request: &HttpRequest, name: &str) -> Option<String> {
    query(request, name).filter(|value| !value.is_empty() && value != "any")
}

/// One of these words. Another one is refused: a filter that was left out would show what was not asked for.
pub(super) fn one_of<T: Copy>(
    asked: Option<String>,
    all: impl IntoIterator<Item = T>,
    word: impl Fn(T) -> &'static str,
) -> Result<Option<T>, Error> {
    let Some(asked) = asked else { return Ok(None) };
    let found = all.into_iter().find(|one| word(*one) == asked);
    found.map(Some).ok_or(Error::BadRequest("admin-unknown-filter"))
}

/// A text that a row can hold: a NUL stands in none, and PostgreSQL does not even take one.
pub(super) fn short(asked: Option<String>) -> Result<Option<String>, Error> {
    match asked {
        Some(text) if text.contains('\0') || text.len() > LONGEST => Err(Error::BadRequest("admin-unknown-filter")),
        text => Ok(text),
    }
}

/// The row before which a page begins.
pub(super) fn before(request: &HttpRequest) -> Result<Option<i64>, Error> {
    let asked = query(request, "before").filter(|text| !text.is_empty());
    asked.map(|text| text.parse().map_err(|_| Error::BadRequest("admin-unknown-place"))).transpose()
}

/// An id in an address. With a NUL it is nobody's, and PostgreSQL does not even take one.
pub(in crate::pages) fn id(text: &str) -> Result<String, Error> {
    if text.contains('\0') { Err(Error::NotFound) } else { Ok(text.to_owned()) }
}

/// The reason for what somebody is about to do. Where it is none, the errors say so.
pub(super) fn reason(posted: &Posted, words: Words, errors: &mut FieldErrors) -> String {
    let reason = posted.raw("reason").trim().to_owned();
    if reason.chars().count() < REASON_MIN {
        errors.add("reason", words.say("admin-reason-missing"));
    } else if reason.chars().count() > REASON_MAX || reason.contains('\0') {
        errors.add("reason", words.say("admin-reason-long"));
    }
    reason
}

/// Leaves what fits on a page of rows of which one more was asked for; whether there was more.
pub(in crate::pages) fn cut<T>(rows: &mut Vec<T>, limit: i64) -> bool {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    has_more
}

//! The one error type of the web layer. A response made of it carries a [`Problem`]; `pages::problem` turns that into
//! a page or into JSON, as the client wishes.

use actix_web::{HttpResponse, ResponseError, http::StatusCode, http::header};

use crate::{
    auth::{password::HashError, rate_limit::TooManyFailures, refusal::Refusal},
    billing::{BillingError, CallError},
    store::StoreError,
};

/// What went wrong, as far as the client may know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The key of a sentence for the person, where the status alone says too little.
    pub message: Option<&'static str>,
    /// The rest of it, where what was asked does not fit how things stand.
    pub misfit: Option<&'static Misfit>,
    /// Where to go on, if not to the first page: a path of ours, and the key of what happens there.
    pub link: Option<(&'static str, &'static str)>,
}

/// What was asked does not fit how things stand; nothing was done. The words are keys.
#[derive(Debug, PartialEq, Eq)]
pub struct Misfit {
    /// For programs.
    pub code: &'static str,
    /// What is the matter, in a few words.
    pub title: &'static str,
    /// What it means, and what to do next.
    pub message: &'static str,
    /// Where to do it: a path of ours, and what happens there.
    pub link: (&'static str, &'static str),
}

/// What a handler answers when it can't answer well.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such thing.
    #[error("not found")]
    NotFound,
    /// The form or the request can't be read; the key of the sentence that says so.
    #[error("a bad request: {0}")]
    BadRequest(&'static str),
    /// The form is in a format that we do not read.
    #[error("an unknown content type")]
    UnsupportedMediaType,
    /// More than we accept.
    #[error("too large")]
    TooLarge,
    /// Too many failures; try again after so many seconds.
    #[error("too many tries")]
    TooManyTries(u64),
    /// Not signed in, no access, or a gate that can't know.
    #[error(transparent)]
    Refusal(#[from] Refusal),
    /// The database did not help.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Stripe did not help.
    #[error(transparent)]
    Billing(#[from] BillingError),
    /// Stripe did not say whether it changed what it was to change.
    #[error("a change at Stripe is in doubt: {0}")]
    InDoubt(BillingError),
    /// A subscription could not be ended, so the account was not deleted.
    #[error("an account was not deleted: {0}")]
    NotDeleted(BillingError),
    /// What was asked does not fit how things stand.
    #[error("nothing done: {}", .0.code)]
    Misfit(&'static Misfit),
    /// As [`Error::Misfit`], until so many seconds have passed.
    #[error("too soon: {}", .0.code)]
    TooSoon(&'static Misfit, u64),
    /// A password could not be checked or hashed.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// A page could not be rendered.
    #[error("a template failed: {0}")]
    Template(#[from] askama::Error),
}

impl From<TooManyFailures> for Error {
    fn from(refused: TooManyFailures) -> Self {
        Self::TooManyTries(refused.seconds)
    }
}

impl Error {
    fn message(&self) -> Option<&'static str> {
        match self {
            Self::BadRequest(key) => Some(key),
            Self::Hash(HashError::Busy) => Some("errors-busy"),
            Self::Billing(BillingError::Call(CallError::Missing(_) | CallError::Refused { .. })) => {
                Some("errors-payment-refused")
            }
            Self::Billing(BillingError::Call(_) | BillingError::NoAnswer(_)) => Some("errors-payment-silent"),
            Self::InDoubt(BillingError::Call(CallError::Missing(_) | CallError::Refused { .. })) => {
                Some("errors-change-refused")
            }
            Self::InDoubt(_) => Some("errors-change-in-doubt"),
            Self::NotDeleted(_) => Some("profile-deletion-not-text"),
            Self::Misfit(misfit) | Self::TooSoon(misfit, _) => Some(misfit.message),
            _ => None,
        }
    }

    fn link(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Misfit(misfit) | Self::TooSoon(misfit, _) => Some(misfit.link),
            Self::InDoubt(_) => Some(("/account", "status-to-account")),
            Self::NotDeleted(_) => Some(("/account/deletion", "profile-deletion-again")),
            _ => None,
        }
    }

    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::TooManyTries(seconds) | Self::TooSoon(_, seconds) => Some(*seconds),
            Self::Hash(HashError::Busy)
            | Self::Store(_)
            | Self::Billing(_)
            | Self::InDoubt(_)
            | Self::NotDeleted(_) => Some(5),
            _ => None,
        }
    }
}

impl ResponseError for Error {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooManyTries(_) | Self::TooSoon(..) => StatusCode::TOO_MANY_REQUESTS,
            Self::Misfit(_) => StatusCode::CONFLICT,
            Self::Refusal(refusal) => refusal.status_code(),
            Self::Hash(HashError::Busy)
            | Self::Store(StoreError::Unavailable(_) | StoreError::Busy | StoreError::Query(_))
            | Self::Billing(BillingError::Call(_) | BillingError::NoAnswer(_) | BillingError::Store(_))
            | Self::InDoubt(_)
            | Self::NotDeleted(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Store(_) | Self::Billing(_) | Self::Hash(_) | Self::Template(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn error_response(&self) -> HttpResponse {
        if let Self::Refusal(refusal) = self {
            return refusal.error_response();
        }
        if self.status_code().is_server_error() {
            tracing::error!(error = %self, "a request failed");
        }
        let mut response = HttpResponse::build(self.status_code());
        if let Some(seconds) = self.retry_after() {
            response.insert_header((header::RETRY_AFTER, seconds));
        }
        let mut response = response.finish();
        let misfit = if let Self::Misfit(misfit) | Self::TooSoon(misfit, _) = self { Some(*misfit) } else { None };
        response.extensions_mut().insert(Problem { message: self.message(), misfit, link: self.link() });
        response
    }
}

//! Why a request may not go on. The web layer makes a page, a redirect or JSON of it.

use actix_web::{
    HttpResponse, ResponseError,
    http::{StatusCode, header},
};
use chrono::{DateTime, Utc};

use crate::domain::access::Denial;

/// Why a request may not go on (`docs/rules.md §4`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nobody is signed in.
    #[error("nobody is signed in")]
    Unauthenticated,
    /// The person has to set up a second factor before anything else.
    #[error("a second factor has to be set up first")]
    SecondFactorMissing,
    /// The person has no access now.
    #[error("no access: {}", reason.as_str())]
    NoAccess {
        /// Why.
        reason: Denial,
        /// When it ended, where something did.
        since: Option<DateTime<Utc>>,
        /// Whether the person has a customer at Stripe, and so a portal.
        portal: bool,
    },
    /// A page of staff's, for somebody who is not staff: there is no such page.
    #[error("no such page for this person")]
    Hidden,
    /// Something that admins alone may do, for somebody of the support.
    #[error("for admins alone")]
    AdminsOnly,
    /// A post that did not start on a page of ours.
    #[error("a cross-site request")]
    CrossSite,
    /// A program came without a token.
    #[error("no token")]
    TokenRequired,
    /// A program came with what is no token, or with one that does not work; which of it, nobody is told.
    #[error("a token that does not work")]
    TokenInvalid,
    /// The database could not tell. The gate stays closed.
    #[error("the database does not answer")]
    Unavailable,
}

impl ResponseError for Refusal {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Unauthenticated | Self::TokenRequired | Self::TokenInvalid => StatusCode::UNAUTHORIZED,
            Self::Hidden => StatusCode::NOT_FOUND,
            Self::SecondFactorMissing | Self::NoAccess { .. } | Self::AdminsOnly | Self::CrossSite => {
                StatusCode::FORBIDDEN
            }
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The reason rides along, for whoever turns it into words.
    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        if *self == Self::Unavailable {
            response.insert_header((header::RETRY_AFTER, 5));
        }
        if matches!(self, Self::TokenRequired | Self::TokenInvalid) {
            response.insert_header((header::WWW_AUTHENTICATE, "Bearer"));
        }
        let mut response = response.finish();
        response.extensions_mut().insert(self.clone());
        response
    }
}

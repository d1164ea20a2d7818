//! `/api/v1/me`: the session's person and the decision, for programs.

use actix_web::{HttpResponse, web};

use super::{
    answer,
    shapes::{Me, Person, Problem, Subscription},
};
use crate::{
    auth::guard::CurrentUser,
    domain::access::{premium_access, shown},
    error::Error,
    pages::site::Site,
    store::sessions::SignedIn,
};

/// Who is signed in, and whether premium pages are open; 200 also when they are not.
///
/// # Errors
/// Nobody is signed in, or the database could not tell.
#[utoipa::path(
    get,
    path = "/api/v1/me",
    description = "Who is signed in, and whether premium pages are open: 200 also when they are not.",
    security(("session" = [])),
    responses(
        (status = 200, description = "Somebody is signed in.", body = Me),
        (status = 401, description = "`UNAUTHENTICATED`: nobody is.", body = Problem),
        (status = 403, description = "`SECOND_FACTOR_REQUIRED`: staff must set one up first.", body = Problem),
        (status = 503, description = "The database can't tell at the moment.", body = Problem),
        (status = "default", description = "Any other error.", body = Problem),
    ),
)]
pub async fn me(site: web::Data<Site>, CurrentUser(person): CurrentUser) -> Result<HttpResponse, Error> {
    Ok(about(&site, &person))
}

/// What a program is told of a person and their access.
pub(in crate::pages) fn about(site: &Site, person: &SignedIn) -> HttpResponse {
    let now = site.clock.now();
    let (subscriptions, user) = (&person.subscriptions, &person.user);
    answer(&Me {
        user: Person::of(user),
        access: premium_access(subscriptions, user.email_confirmed, &site.policy, now).into(),
        subscription: shown(subscriptions, &site.policy, now).map(|one| Subscription::of(one, &site.policy, now)),
    })
}

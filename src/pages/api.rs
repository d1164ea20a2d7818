//! `/api/v1/me`: the session's person and the decision, for programs.

use actix_web::{HttpResponse, http::header, web};
use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

use super::site::Site;
use crate::{
    auth::guard::CurrentUser,
    domain::{
        access::{Access, premium_access, shown},
        subscription::Subscription,
    },
    error::Error,
    store::{sessions::SignedIn, users::User},
};

#[derive(Serialize)]
struct Me<'a> {
    user: Person<'a>,
    access: Decision,
    subscription: Option<Shown<'a>>,
}

#[derive(Serialize)]
struct Person<'a> {
    id: &'a str,
    email: &'a str,
    email_confirmed: bool,
    first_name: &'a str,
    last_name: &'a str,
    role: &'static str,
    time_zone: &'a str,
    language: &'a str,
}

#[derive(Serialize)]
struct Decision {
    granted: bool,
    reason: Option<&'static str>,
    until: Option<String>,
    renews: bool,
    by: Option<&'static str>,
}

#[derive(Serialize)]
struct Shown<'a> {
    kind: &'static str,
    plan: Option<&'a str>,
    status: &'static str,
    provider_status: Option<&'a str>,
    current_period_start: Option<String>,
    current_period_end: Option<String>,
    cancel_at_period_end: bool,
    cancel_at: Option<String>,
    ended_at: Option<String>,
}

/// Who is signed in, and whether premium pages are open; 200 also when they are not.
///
/// # Errors
/// Nobody is signed in, or the database could not tell.
pub async fn me(site: web::Data<Site>, CurrentUser(person): CurrentUser) -> Result<HttpResponse, Error> {
    Ok(about(&site, &person))
}

/// What a program is told of a person and their access.
pub(super) fn about(site: &Site, person: &SignedIn) -> HttpResponse {
    let now = site.clock.now();
    let shown = shown(&person.subscriptions, &site.policy, now);
    let body = Me {
        user: user(&person.user),
        access: decision(premium_access(&person.subscriptions, person.user.email_confirmed, &site.policy, now)),
        subscription: shown.map(|one| subscription(site, one, now)),
    };
    HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "private, no-store")).json(body)
}

fn user(user: &User) -> Person<'_> {
    Person {
        id: &user.public_id,
        email: &user.email,
        email_confirmed: user.email_confirmed,
        first_name: &user.first_name,
        last_name: &user.last_name,
        role: user.role.as_str(),
        time_zone: &user.time_zone,
        language: &user.language,
    }
}

fn decision(access: Access) -> Decision {
    match access {
        Access::Granted { by, until, renews } => {
            Decision { granted: true, reason: None, until: Some(rfc3339(until)), renews, by: Some(by.as_str()) }
        }
        Access::Denied { reason } => {
            Decision { granted: false, reason: Some(reason.as_str()), until: None, renews: false, by: None }
        }
    }
}

fn subscription<'a>(site: &Site, one: &'a Subscription, now: DateTime<Utc>) -> Shown<'a> {
    Shown {
        kind: one.kind.as_str(),
        plan: one.plan.as_deref(),
        status: one.effective_status(&site.policy, now).as_str(),
        provider_status: one.provider_status.as_deref(),
        current_period_start: one.period.map(|period| rfc3339(period.start)),
        current_period_end: one.period.map(|period| rfc3339(period.end)),
        cancel_at_period_end: one.cancel_at_period_end,
        cancel_at: one.cancel_at.map(rfc3339),
        ended_at: one.ended_at.map(rfc3339),
    }
}

fn rfc3339(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

//! `/admin/subscribers/{id}/{action}`: asks for the reason, then does it.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;

use super::asked::{self, REASON_MAX};
use crate::{
    auth::guard::Staff,
    domain::{
        access::premium_access,
        calendar::add_months_clamped,
        subscription::{Kind, Subscription},
    },
    error::Error,
    pages::{
        form::FieldErrors,
        frame::Frame,
        moment::Moment,
        posted::Posted,
        site::{Site, page, page_with, see_other},
    },
    staff::{self, Action, Asked, Outcome, Services},
    store::{
        roster,
        sessions::SignedIn,
        subscriptions,
        users::{self, User},
    },
};

/// So many months can be given at once.
const MONTHS: std::ops::RangeInclusive<u32> = 1..=24;

/// The page that asks.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/admin/action.html")]
pub struct ActionPage {
    /// Around the page.
    pub frame: Frame,
    /// The person.
    pub name: String,
    /// Their address.
    pub email: String,
    /// Their page.
    pub back: String,
    /// Where the form goes.
    pub here: String,
    /// The key of what is done.
    pub label: &'static str,
    /// The key of what it means.
    pub text: &'static str,
    /// A number of months is asked for, and this was typed.
    pub months: Option<String>,
    /// What one month would do: from when to when.
    pub example: Option<(Moment, Moment)>,
    /// What was typed.
    pub reason: String,
    /// How often the person had changed when this page was made.
    pub seen: i64,
    /// What was wrong. Names: `reason`, `months`.
    pub errors: FieldErrors,
}

/// The key of what an action is called.
pub(in crate::pages) fn label(action: Action) -> &'static str {
    match action {
        Action::ExtendTrial => "admin-do-trial",
        Action::GiveMonths => "admin-do-give",
        Action::EndGiven => "admin-do-end-given",
        Action::Cancel => "admin-do-cancel",
        Action::Resume => "admin-do-resume",
        Action::Refresh => "admin-do-refresh",
        Action::SendConfirmation => "admin-do-confirmation",
        Action::ResetSecondFactor => "admin-do-factor",
        Action::SignOut => "admin-do-sign-out",
        Action::Lock => "admin-do-lock",
        Action::Unlock => "admin-do-unlock",
    }
}

/// The key of what it means.
pub(in crate::pages) fn text(action: Action) -> &'static str {
    match action {
        Action::ExtendTrial => "admin-do-trial-text",
        Action::GiveMonths => "admin-do-give-text",
        Action::EndGiven => "admin-do-end-given-text",
        Action::Cancel => "admin-do-cancel-text",
        Action::Resume => "admin-do-resume-text",
        Action::Refresh => "admin-do-refresh-text",
        Action::SendConfirmation => "admin-do-confirmation-text",
        Action::ResetSecondFactor => "admin-do-factor-text",
        Action::SignOut => "admin-do-sign-out-text",
        Action::Lock => "admin-do-lock-text",
        Action::Unlock => "admin-do-unlock-text",
    }
}

/// Whom it is about, as things stand.
struct Target {
    action: Action,
    user: User,
    subscriptions: Vec<Subscription>,
    changes: i64,
}

async fn target(site: &Site, path: web::Path<(String, String)>) -> Result<Target, Error> {
    let (id, word) = path.into_inner();
    let action = Action::parse(&word).ok_or(Error::NotFound)?;
    let id = asked::id(&id)?;
    let found = site.store.read(move |conn| {
        let Some(user) = users::by_public_id(conn, &id)?.filter(|user| !user.deleted) else { return Ok(None) };
        let changes = roster::changes(conn, user.id)?;
        let subscriptions = subscriptions::of_user(conn, user.id)?;
        Ok(changes.map(|changes| Target { action, user, subscriptions, changes }))
    });
    found.await?.ok_or(Error::NotFound)
}

/// Asks for the reason.
///
/// # Errors
/// The reader is no staff, there is no such person or action, or the template or the database failed.
pub async fn ask(
    site: web::Data<Site>,
    request: HttpRequest,
    Staff(reader): Staff,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Error> {
    let target = target(&site, path).await?;
    page(&form(&site, &request, &reader, &target))
}

/// Does it.
///
/// # Errors
/// As [`ask`], and when Stripe did not help: the log says so then.
pub async fn submit(
    site: web::Data<Site>,
    request: HttpRequest,
    Staff(reader): Staff,
    path: web::Path<(String, String)>,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    let target = target(&site, path).await?;
    let empty = form(&site, &request, &reader, &target);
    let words = empty.frame.words;
    let mut errors = FieldErrors::new();
    let reason = asked::reason(&posted, words, &mut errors);
    let months = posted.raw("months").trim().parse().ok().filter(|months| MONTHS.contains(months));
    if target.action.takes_months() && months.is_none() {
        errors.add("months", words.say("admin-months-wrong"));
    }
    let shown = |page: ActionPage| ActionPage {
        reason: posted.shown("reason", REASON_MAX),
        months: page.months.as_ref().map(|_| posted.shown("months", 10)),
        ..page
    };
    if !errors.is_empty() {
        return page_with(StatusCode::UNPROCESSABLE_ENTITY, &ActionPage { errors, ..shown(empty) });
    }
    let asked = Asked {
        actor: reader.user.public_id.clone(),
        origin: site.client_address(&request).to_string(),
        action: target.action,
        user_id: target.user.id,
        reason,
        months: months.unwrap_or(1),
        seen: posted.raw("seen").parse().unwrap_or(-1),
        is_admin: reader.user.role.is_admin(),
    };
    match staff::perform(&services(&site), asked).await? {
        Outcome::Made => {
            tracing::info!(by = %reader.user.public_id, user = %target.user.public_id, action = target.action.as_str(), "staff did it");
            Ok(see_other(&format!("{}?done", empty.back)))
        }
        Outcome::Refused(why) => {
            // As things stand now, for another decision.
            let errors = FieldErrors::new().with_summary(words.say(why));
            page_with(StatusCode::CONFLICT, &ActionPage { errors, ..shown(empty) })
        }
    }
}

fn services(site: &Site) -> Services {
    Services {
        store: site.store.clone(),
        billing: site.billing.clone(),
        clock: site.clock.clone(),
        entropy: site.entropy,
    }
}

fn form(site: &Site, request: &HttpRequest, reader: &SignedIn, target: &Target) -> ActionPage {
    let back = format!("/admin/subscribers/{}", target.user.public_id);
    ActionPage {
        frame: site.frame(request, Some(reader)),
        name: target.user.name(),
        email: target.user.email.clone(),
        here: format!("{back}/{}", target.action.as_str()),
        back,
        label: label(target.action),
        text: text(target.action),
        months: target.action.takes_months().then(|| "1".to_owned()),
        example: example(site, &reader.user, target),
        reason: String::new(),
        seen: target.changes,
        errors: FieldErrors::new(),
    }
}

fn example(site: &Site, reader: &User, target: &Target) -> Option<(Moment, Moment)> {
    let now = site.clock.now();
    let span = match target.action {
        Action::ExtendTrial => {
            let trial = target.subscriptions.iter().find(|one| one.kind == Kind::Trial)?.period?;
            (trial.end, add_months_clamped(trial.end.max(now), 1)?)
        }
        Action::GiveMonths => {
            let span = staff::given_span(premium_access(&target.subscriptions, true, &site.policy, now), 1, now)?;
            (span.start, span.end)
        }
        _ => return None,
    };
    Some((site.moment(span.0, reader), site.moment(span.1, reader)))
}

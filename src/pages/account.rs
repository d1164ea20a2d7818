//! `/account`: how things stand, and what to do next.

use actix_session::Session;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;

use super::{
    frame::Frame,
    moment::{Moment, percent_used, time_left},
    payments::{PaymentState, Payments, payments_of},
    sessions::{SessionLine, sessions_of},
    site::{Site, page},
    status::{Badge, Explained, Reason, Standing},
};
use crate::{
    auth::guard::CurrentUser,
    domain::{
        access::{Access, premium_access, shown},
        full_name::with_title,
        subscription::{Kind, Status, Subscription},
    },
    error::Error,
    store::sessions::SignedIn,
    words::Words,
};

/// Who the person is.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Title, first and last name, as they are shown.
    pub name: String,
    /// The address.
    pub email: String,
    /// Whether it is known to be the person's.
    pub email_confirmed: bool,
    /// The one that shall take its place.
    pub email_pending: Option<String>,
    /// The number, if one was given.
    pub phone: Option<String>,
    /// The IANA name of the zone.
    pub time_zone: String,
    /// When the account was made.
    pub member_since: Moment,
}

/// What the person can do about a subscription that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// End it with what is paid for.
    Cancel,
    /// Let it go on after all.
    Resume,
}

/// The page.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/account.html")]
pub struct Account {
    /// Around the page.
    pub frame: Frame,
    /// The effective status.
    pub badge: Badge,
    /// The answer of the gate.
    pub standing: Standing,
    /// The name of the plan, or nothing ("Monthly").
    pub plan: Option<String>,
    /// A greeting right after sign-up.
    pub welcome: bool,
    /// No trial was given, because this person has had one before (`docs/rules.md §2`).
    pub trial_was_used: bool,
    /// Whether Stripe's portal can be opened (`POST /billing-portal`).
    pub portal: bool,
    /// The change that makes sense now, if one does.
    pub change: Option<Change>,
    /// Who the person is.
    pub profile: Profile,
    /// What they paid.
    pub payments: Payments,
    /// Where they are signed in.
    pub sessions: Vec<SessionLine>,
    /// Since when there is a second factor, if there is one.
    pub second_factor: Option<Moment>,
    /// What was done a moment ago.
    pub done: Option<String>,
}

impl Account {
    fn is_trial(&self) -> bool {
        self.badge == Badge::Trial
    }

    fn pays_after_trial(&self) -> bool {
        self.badge == Badge::ActiveAfterTrial
    }

    fn is_past_due(&self) -> bool {
        self.badge == Badge::PastDue
    }
}

/// The account of whoever is signed in.
///
/// # Errors
/// Nobody is signed in, or the template or the database failed.
pub async fn show(
    site: web::Data<Site>,
    request: HttpRequest,
    session: Session,
    CurrentUser(person): CurrentUser,
) -> Result<HttpResponse, Error> {
    let now = site.clock.now();
    let shown = shown(&person.subscriptions, &site.policy, now);
    let user = &person.user;
    let payments = payments_of(&site, &person).await?;
    page(&Account {
        frame: site.frame(&request, Some(&person)),
        badge: shown.map_or(Badge::Nothing, |one| Badge::of(one.kind, one.effective_status(&site.policy, now))),
        standing: standing(&site, &person, shown),
        plan: shown.and_then(|one| one.plan.as_deref()).and_then(|key| plan_name(&site, key)),
        welcome: request.query_string() == "welcome",
        trial_was_used: person.subscriptions.is_empty(),
        portal: user.stripe_customer_id.is_some(),
        change: shown.and_then(|one| change(&site, one)),
        profile: Profile {
            name: with_title(user.title.as_deref(), &user.first_name, &user.last_name),
            email: user.email.clone(),
            email_confirmed: user.email_confirmed,
            email_pending: user.email_pending.clone(),
            phone: user.phone.clone(),
            time_zone: user.time_zone.clone(),
            member_since: site.moment(user.created_at, user),
        },
        payments,
        sessions: sessions_of(&site, &session, &person).await?,
        second_factor: user.second_factor_at.map(|since| site.moment(since, user)),
        done: done(Words::of(user.language()), request.query_string()),
    })
}

/// What was done, by the word that the redirect brought.
fn done(words: Words, word: &str) -> Option<String> {
    let text = match word {
        "session-ended" => words.say("security-session-ended"),
        "sessions-ended" => words.say("security-sessions-ended"),
        "second-factor-off" => words.say("security-turned-off"),
        "address-confirmed" => words.say("email-done-confirmed"),
        "address-changed" => words.say("email-done-changed"),
        "new-password" => words.say("password-done-changed"),
        "saved" => words.say("profile-saved"),
        "mail-sent" => words.say("email-done-sent"),
        "address-asked" => words.say("email-done-asked"),
        "address-kept" => words.say("email-done-kept"),
        _ => return None,
    };
    Some(text.into())
}

fn change(site: &Site, one: &Subscription) -> Option<Change> {
    let runs = one.kind == Kind::Recurring
        && matches!(one.status, Status::Trialing | Status::Active)
        && (one.gives_access(&site.policy, site.clock.now()) || one.collection_voided);
    runs.then(|| if one.has_end_set() { Change::Resume } else { Change::Cancel })
}

/// The name of a plan, or of one that is no longer in the settings its key.
pub fn plan_name(site: &Site, key: &str) -> Option<String> {
    Some(site.billing.plans.by_key(key).map_or(key, |plan| plan.name.as_str()).to_owned())
}

fn standing(site: &Site, person: &SignedIn, shown: Option<&Subscription>) -> Standing {
    let now = site.clock.now();
    match premium_access(&person.subscriptions, person.user.email_confirmed, &site.policy, now) {
        Access::Granted { until, renews, .. } => Standing::Granted {
            until: site.moment(until, &person.user),
            left: time_left(Words::of(person.user.language()), now, until).to_string(),
            used: shown
                .filter(|one| one.kind != Kind::Recurring)
                .and_then(|one| one.period)
                .map(|period| percent_used(period.start, period.end, now)),
            renews,
        },
        Access::Denied { reason } => Standing::Denied {
            reason,
            since: shown.and_then(|one| one.closed_since(&site.policy, now)).map(|at| site.moment(at, &person.user)),
        },
    }
}

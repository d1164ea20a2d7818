//! The gate: session → person → subscriptions → decision, on every request (`docs/rules.md §4`).
//!
//! A handler behind the gate takes a [`Subscriber`]; without one it has nothing to show the page with.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use actix_web::{FromRequest, HttpRequest, dev::Payload, web};
use chrono::{DateTime, Utc};

use super::{refusal::Refusal, session};
use crate::{
    clock::Clock,
    domain::{
        access::{Access, Denial, premium_access, shown},
        subscription::{AccessPolicy, Status, Subscription},
    },
    store::{Store, sessions::SignedIn, subscriptions},
};

/// Asks Stripe about a subscription, by our row and Stripe's id; whether anything may have changed.
pub type Ask = Arc<dyn Fn(i64, String) -> Pin<Box<dyn Future<Output = bool>>> + Send + Sync>;

/// Counts a decision: `granted`, `unauthenticated`, `unavailable`, or the reason of the refusal.
pub type Count = Arc<dyn Fn(&str) + Send + Sync>;

/// How long a request waits for Stripe before the rule of dates stands.
const PATIENCE: Duration = Duration::from_secs(3);

/// What the gate needs to decide.
#[derive(Clone)]
pub struct Gate {
    /// Where subscriptions are kept.
    pub store: Store,
    /// The time.
    pub clock: Clock,
    /// What the operator decided about access.
    pub policy: AccessPolicy,
    /// How Stripe is asked about a renewal that nobody told us of.
    pub ask: Ask,
    /// Where decisions are counted.
    pub count: Count,
    /// Whether admins and support must have a second factor.
    pub staff_needs_second_factor: bool,
}

/// Whoever sends the request, signed in or not.
#[derive(Clone, Debug)]
pub struct Visitor(pub Option<SignedIn>);

/// A person who is signed in.
#[derive(Clone, Debug)]
pub struct CurrentUser(pub SignedIn);

/// A person who is signed in, and who may still have to set up a second factor: the pages for that, and no others.
#[derive(Clone, Debug)]
pub struct Enrolling(pub SignedIn);

/// An admin or somebody of the support. For everybody else there is no such page.
#[derive(Clone, Debug)]
pub struct Staff(pub SignedIn);

/// An admin, for what changes access or rights.
#[derive(Clone, Debug)]
pub struct Admin(pub SignedIn);

/// A person for whom premium pages are open now.
#[derive(Clone, Debug)]
pub struct Subscriber {
    /// The person.
    pub person: SignedIn,
    /// The instant at which the gate closes, as things stand.
    pub until: DateTime<Utc>,
    /// It will not close then if the renewal is paid.
    pub renews: bool,
}

impl FromRequest for Visitor {
    type Error = Refusal;
    type Future = std::future::Ready<Result<Self, Refusal>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(free_person(request).map(Self))
    }
}

impl FromRequest for CurrentUser {
    type Error = Refusal;
    type Future = std::future::Ready<Result<Self, Refusal>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(free_person(request).and_then(|person| person.map(Self).ok_or(Refusal::Unauthenticated)))
    }
}

impl FromRequest for Enrolling {
    type Error = Refusal;
    type Future = std::future::Ready<Result<Self, Refusal>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(session::person(request).and_then(|person| person.map(Self).ok_or(Refusal::Unauthenticated)))
    }
}

impl FromRequest for Staff {
    type Error = Refusal;
    type Future = std::future::Ready<Result<Self, Refusal>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(staff(request).map(Self))
    }
}

impl FromRequest for Admin {
    type Error = Refusal;
    type Future = std::future::Ready<Result<Self, Refusal>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let is_admin =
            |person: SignedIn| person.user.role.is_admin().then_some(Self(person)).ok_or(Refusal::AdminsOnly);
        std::future::ready(staff(request).and_then(is_admin))
    }
}

impl FromRequest for Subscriber {
    type Error = Refusal;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Refusal>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let person = free_person(request);
        let gate = request.app_data::<web::Data<Gate>>().cloned();
        Box::pin(async move {
            // A gate that was not put up is closed.
            let gate = gate.ok_or(Refusal::Unavailable)?;
            let admitted = match person {
                Ok(Some(person)) => gate.admit(&gate.policy, person).await,
                Ok(None) => Err(Refusal::Unauthenticated),
                Err(refusal) => Err(refusal),
            };
            (gate.count)(word(admitted.as_ref().err()));
            admitted
        })
    }
}

/// Who sends this request, if they may do more than set up a second factor (`docs/accounts.md`).
fn free_person(request: &HttpRequest) -> Result<Option<SignedIn>, Refusal> {
    let Some(person) = session::person(request)? else { return Ok(None) };
    let gate = request.app_data::<web::Data<Gate>>().ok_or(Refusal::Unavailable)?;
    gate.free(person).map(Some)
}

/// The role is read with the session, so that who loses it is out at the next request.
fn staff(request: &HttpRequest) -> Result<SignedIn, Refusal> {
    let person = session::person(request)?.filter(|person| person.user.role.is_staff()).ok_or(Refusal::Hidden)?;
    free_person(request)?.map_or(Err(Refusal::Hidden), |_| Ok(person))
}

impl Gate {
    /// The person, if they may do more than set up a second factor (`docs/accounts.md`).
    ///
    /// # Errors
    /// They have to set one up first.
    pub fn free(&self, person: SignedIn) -> Result<SignedIn, Refusal> {
        let user = &person.user;
        let is_missing = self.staff_needs_second_factor && user.role.is_staff() && user.second_factor_at.is_none();
        if is_missing { Err(Refusal::SecondFactorMissing) } else { Ok(person) }
    }

    /// Lets a person through the gate that the policy is about, or says why not.
    ///
    /// # Errors
    /// The person has no access, or the database could not tell.
    pub async fn admit(&self, policy: &AccessPolicy, person: SignedIn) -> Result<Subscriber, Refusal> {
        match self.decide(policy, &person) {
            Access::Granted { until, renews, .. } => Ok(Subscriber { person, until, renews }),
            // No payment helps here, so Stripe need not be asked.
            Access::Denied { reason: reason @ Denial::EmailUnconfirmed } => {
                Err(Refusal::NoAccess { reason, since: None, portal: person.user.stripe_customer_id.is_some() })
            }
            Access::Denied { .. } => self.look_twice(policy, person).await,
        }
    }

    fn decide(&self, policy: &AccessPolicy, person: &SignedIn) -> Access {
        premium_access(&person.subscriptions, person.user.email_confirmed, policy, self.clock.now())
    }

    /// Before the answer is no: something may have been paid without our knowing.
    async fn look_twice(&self, policy: &AccessPolicy, mut person: SignedIn) -> Result<Subscriber, Refusal> {
        if self.ask_about_renewals(&person.subscriptions).await {
            let id = person.user.id;
            let subscriptions = self.store.read(move |conn| subscriptions::of_user(conn, id)).await;
            person.subscriptions = subscriptions.map_err(|error| {
                tracing::error!(%error, "subscriptions could not be read again");
                Refusal::Unavailable
            })?;
        }
        match self.decide(policy, &person) {
            Access::Granted { until, renews, .. } => Ok(Subscriber { person, until, renews }),
            Access::Denied { reason } => {
                self.mark_what_ran_out(&person.subscriptions);
                let last = shown(&person.subscriptions, policy, self.clock.now());
                let since = last.and_then(|one| one.closed_since(policy, self.clock.now()));
                Err(Refusal::NoAccess { reason, since, portal: person.user.stripe_customer_id.is_some() })
            }
        }
    }

    async fn ask_about_renewals(&self, subscriptions: &[Subscription]) -> bool {
        let mut asked = false;
        for one in subscriptions.iter().filter(|one| self.may_be_paid(one)) {
            let Some(provider_id) = one.provider_id.clone() else { continue };
            let answer = actix_web::rt::time::timeout(PATIENCE, (self.ask)(one.id, provider_id)).await;
            asked |= answer.unwrap_or(false);
        }
        asked
    }

    /// It did not end by anybody's wish, so what we know may be old news: a renewal, or a payment that failed at first.
    fn may_be_paid(&self, one: &Subscription) -> bool {
        one.is_live_at_provider() && !one.has_end_set() && !one.gives_access(&self.policy, self.clock.now())
    }

    /// Off the request's path: the answer does not wait for it, and a renewal that lands meanwhile wins.
    fn mark_what_ran_out(&self, subscriptions: &[Subscription]) {
        let now = self.clock.now();
        let ran_out = |one: &&Subscription| {
            one.has_end_set()
                && one.effective_status(&self.policy, now) == Status::Expired
                && one.status != Status::Expired
        };
        for (id, seen) in subscriptions.iter().filter(ran_out).map(|one| (one.id, one.status)) {
            let store = self.store.clone();
            actix_web::rt::spawn(async move {
                if let Err(error) = store.write(move |conn| subscriptions::expire(conn, id, seen, now)).await {
                    tracing::error!(%error, "a subscription that ran out could not be marked");
                }
            });
        }
    }
}

/// The word under which a decision is counted.
pub fn word(refusal: Option<&Refusal>) -> &'static str {
    match refusal {
        None => "granted",
        Some(Refusal::Unauthenticated) => "unauthenticated",
        Some(Refusal::SecondFactorMissing) => "second_factor_missing",
        Some(Refusal::NoAccess { reason, .. }) => reason.as_str(),
        Some(
            Refusal::Hidden
            | Refusal::AdminsOnly
            | Refusal::CrossSite
            | Refusal::TokenRequired
            | Refusal::TokenInvalid
            | Refusal::Unavailable,
        ) => "unavailable",
    }
}

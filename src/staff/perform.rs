//! Carries an action out, and writes down what became of it.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{Action, Asked};
use crate::{
    auth::{
        email::{self, Asked as MailAsked},
        second_factor,
        token::random_id,
    },
    billing::{
        Billing, BillingError,
        change::{Changed, Wish},
    },
    clock::{Clock, Entropy},
    domain::{
        access::{Access, premium_access},
        calendar::add_months_clamped,
        subscription::{Kind, Period, Subscription},
    },
    store::{
        Conn, Store, StoreError, accounts,
        audit::{self, AuditEntry, AuditOutcome},
        gifts, roster, sessions,
        sessions::SignedIn,
        subscriptions,
        tokens::{self, Purpose},
        users::{self, User},
    },
};

/// What actions are carried out with.
#[derive(Clone)]
pub struct Services {
    /// The database.
    pub store: Store,
    /// Stripe.
    pub billing: Billing,
    /// The time.
    pub clock: Clock,
    /// Randomness.
    pub entropy: Entropy,
}

/// What became of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done.
    Made,
    /// It was not, for a reason of this key.
    Refused(&'static str),
}

/// Why somebody may not, or why there is nothing to do, or what was done, for the log.
enum Did {
    Made(Value),
    Refused(&'static str),
}

/// Carries out what was asked. What the database alone does is one transaction with its entry in the log; before Stripe is
/// asked there is an entry that it is, and one about the outcome afterwards.
///
/// # Errors
/// The database or Stripe did not help. An entry says so, if it can be written.
pub async fn perform(services: &Services, asked: Asked) -> Result<Outcome, BillingError> {
    match asked.action {
        Action::Cancel | Action::Resume | Action::Refresh if may(&asked) => at_stripe(services, asked).await,
        _ => here(services, asked).await.map_err(BillingError::from),
    }
}

fn may(asked: &Asked) -> bool {
    asked.is_admin || asked.action.is_for_support()
}

async fn here(services: &Services, asked: Asked) -> Result<Outcome, StoreError> {
    let (now, unique, policy) = (services.clock.now(), random_id("act", services.entropy), services.billing.policy);
    services
        .store
        .write(move |conn| {
            users::lock(conn, asked.user_id)?;
            let Some(user) = users::by_id(conn, asked.user_id)?.filter(|user| !user.deleted) else {
                return Ok(Outcome::Refused("admin-refused-gone"));
            };
            let did = if !may(&asked) {
                Did::Refused("admin-refused-admins-only")
            } else if roster::changes(conn, asked.user_id)? != Some(asked.seen) {
                Did::Refused("admin-refused-changed")
            } else {
                let subscriptions = subscriptions::of_user(conn, user.id)?;
                let access = premium_access(&subscriptions, true, &policy, now);
                carry_out(conn, &asked, &user, &subscriptions, access, &unique, now)?
            };
            write_down(conn, &asked, &user, did, now)
        })
        .await
}

fn write_down(
    conn: &mut Conn,
    asked: &Asked,
    user: &User,
    did: Did,
    now: DateTime<Utc>,
) -> Result<Outcome, StoreError> {
    let (outcome, logged, detail) = match did {
        Did::Made(detail) => (Outcome::Made, AuditOutcome::Made, detail),
        Did::Refused(why) => (Outcome::Refused(why), AuditOutcome::Refused, json!({ "why": why })),
    };
    audit::insert(conn, &entry(asked, user, logged, Some(detail)), now)?;
    Ok(outcome)
}

fn entry(asked: &Asked, user: &User, outcome: AuditOutcome, detail: Option<Value>) -> AuditEntry {
    AuditEntry {
        actor: asked.actor.clone(),
        origin: asked.origin.clone(),
        action: asked.action.as_str().to_owned(),
        subject: Some(user.public_id.clone()),
        reason: asked.reason.clone(),
        outcome,
        detail: detail.map(|detail| detail.to_string()),
    }
}

fn carry_out(
    conn: &mut Conn,
    asked: &Asked,
    user: &User,
    subscriptions: &[Subscription],
    access: Access,
    unique: &str,
    now: DateTime<Utc>,
) -> Result<Did, StoreError> {
    let done = |detail| Ok(Did::Made(detail));
    match asked.action {
        Action::ExtendTrial => {
            let trial = subscriptions.iter().find(|one| one.kind == Kind::Trial).and_then(|one| one.period);
            let Some(period) = trial else { return Ok(Did::Refused("admin-refused-no-trial")) };
            let Some(end) = add_months_clamped(period.end.max(now), asked.months) else {
                return Ok(Did::Refused("admin-refused-months"));
            };
            gifts::set_trial_end(conn, user.id, end, now)?;
            done(json!({ "months": asked.months, "before": period.end, "after": end }))
        }
        Action::GiveMonths => {
            let Some(span) = given_span(access, asked.months, now) else {
                return Ok(Did::Refused("admin-refused-months"));
            };
            subscriptions::insert_own(conn, user.id, Kind::Complimentary, span, now)?;
            done(json!({ "months": asked.months, "from": span.start, "until": span.end }))
        }
        Action::EndGiven => match gifts::end_complimentary(conn, user.id, now)? {
            0 => Ok(Did::Refused("admin-refused-nothing-given")),
            spans => done(json!({ "spans": spans })),
        },
        Action::SendConfirmation => match email::ask_again(conn, user.id, unique, now)? {
            MailAsked::Queued => done(json!({})),
            MailAsked::NothingToDo => Ok(Did::Refused("admin-refused-confirmed")),
            MailAsked::TooSoon(_) | MailAsked::TooMany(_) => Ok(Did::Refused("admin-refused-mails")),
        },
        Action::ResetSecondFactor => match second_factor::reset(conn, user.id, unique, now)? {
            None => Ok(Did::Refused("admin-refused-no-factor")),
            Some(ended) => done(json!({ "sessions_ended": ended })),
        },
        Action::SignOut => {
            tokens::revoke(conn, user.id, Purpose::SecondFactor)?;
            done(json!({ "sessions_ended": sessions::end_all(conn, user.id, None)? }))
        }
        Action::Lock => {
            if user.role.is_staff() {
                return Ok(Did::Refused("admin-refused-staff"));
            }
            if !accounts::set_locked(conn, user.id, Some(now), now)? {
                return Ok(Did::Refused("admin-refused-locked"));
            }
            for purpose in [Purpose::SecondFactor, Purpose::PasswordReset] {
                tokens::revoke(conn, user.id, purpose)?;
            }
            done(json!({ "sessions_ended": sessions::end_all(conn, user.id, None)? }))
        }
        Action::Unlock => {
            if !accounts::set_locked(conn, user.id, None, now)? {
                return Ok(Did::Refused("admin-refused-not-locked"));
            }
            done(json!({}))
        }
        Action::Cancel | Action::Resume | Action::Refresh => Ok(Did::Refused("admin-refused-admins-only")),
    }
}

/// Given months follow what the person has, unless that goes on by itself.
pub fn given_span(access: Access, months: u32, now: DateTime<Utc>) -> Option<Period> {
    let start = match access {
        Access::Granted { until, renews: false, .. } => until,
        Access::Granted { renews: true, .. } | Access::Denied { .. } => now,
    };
    Some(Period { start, end: add_months_clamped(start, months)? })
}

async fn at_stripe(services: &Services, asked: Asked) -> Result<Outcome, BillingError> {
    let (now, begun) = (services.clock.now(), asked.clone());
    let person = services
        .store
        .write(move |conn| {
            let Some(user) = users::by_id(conn, begun.user_id)?.filter(|user| !user.deleted) else { return Ok(None) };
            if roster::changes(conn, user.id)? != Some(begun.seen) {
                return write_down(conn, &begun, &user, Did::Refused("admin-refused-changed"), now).map(|_| None);
            }
            audit::insert(conn, &entry(&begun, &user, AuditOutcome::Begun, None), now)?;
            let subscriptions = subscriptions::of_user(conn, user.id)?;
            Ok(Some(SignedIn { user, subscriptions }))
        })
        .await?;
    let Some(person) = person else { return Ok(Outcome::Refused("admin-refused-changed")) };
    let answered = ask_stripe(services, asked.action, &person).await;
    let (user, now) = (person.user, services.clock.now());
    let (outcome, detail) = match &answered {
        Ok(Outcome::Made) => (AuditOutcome::Made, Some(json!({}))),
        Ok(Outcome::Refused(why)) => (AuditOutcome::Refused, Some(json!({ "why": why }))),
        Err(_) => (AuditOutcome::Failed, None),
    };
    let entry = entry(&asked, &user, outcome, detail);
    services.store.write(move |conn| audit::insert(conn, &entry, now)).await?;
    answered
}

async fn ask_stripe(services: &Services, action: Action, person: &SignedIn) -> Result<Outcome, BillingError> {
    let wish = match action {
        Action::Cancel => Wish::Cancel,
        Action::Resume => Wish::Resume,
        _ => return refresh_all(services, person).await,
    };
    Ok(match services.billing.change(person, wish).await? {
        Changed::Done => Outcome::Made,
        Changed::NothingRuns | Changed::Over => Outcome::Refused("admin-refused-nothing-runs"),
        Changed::Unpaid => Outcome::Refused("admin-refused-unpaid"),
        Changed::Paused => Outcome::Refused("admin-refused-paused"),
    })
}

async fn refresh_all(services: &Services, person: &SignedIn) -> Result<Outcome, BillingError> {
    let ids: Vec<&str> = person.subscriptions.iter().filter_map(|one| one.provider_id.as_deref()).collect();
    if ids.is_empty() {
        return Ok(Outcome::Refused("admin-refused-nothing-at-stripe"));
    }
    for id in ids {
        services.billing.refresh(id).await?;
    }
    Ok(Outcome::Made)
}

//! How the checkout stands that a person comes back from. It is only looked at: nothing changes by it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use stripe_checkout::checkout_session::RetrieveCheckoutSession;

use super::{Billing, CallError, event::CheckoutSessionObject};
use crate::store::users::User;

/// How long the page waits for Stripe.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often Stripe is asked for one person within a minute. The page that looks again by itself asks less often.
const EACH_MINUTE: u32 = 30;
const LONGEST_ID: usize = 255;

/// How a checkout stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// This person has no such checkout. Whether somebody else has is not told.
    Nothing,
    /// Its payment is being confirmed, as far as is known.
    Waiting,
    /// It is done, and the money is under way for days.
    Delayed,
    /// It was closed without a payment.
    Closed,
}

/// Counts what Stripe is asked for each person, so that nobody can make us ask without end.
#[derive(Clone, Debug, Default)]
pub struct Questions(Arc<Mutex<ThisMinute>>);

#[derive(Debug, Default)]
struct ThisMinute {
    minute: i64,
    asked: HashMap<i64, u32>,
}

impl Questions {
    /// Whether one more question may be asked for this person now; it is counted.
    fn allow(&self, user: i64, now: DateTime<Utc>) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let minute = now.timestamp().div_euclid(60);
        if counts.minute != minute {
            *counts = ThisMinute { minute, asked: HashMap::new() };
        }
        let asked = counts.asked.entry(user).or_default();
        *asked = asked.saturating_add(1);
        *asked <= EACH_MINUTE
    }
}

/// Whether this can be the id of a checkout session. It becomes a part of an address, so it must be nothing else.
pub fn is_session_id(id: &str) -> bool {
    let rest = id.strip_prefix("cs_").unwrap_or_default();
    !rest.is_empty() && id.len() <= LONGEST_ID && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl Billing {
    /// How a checkout of this person stands at Stripe.
    pub async fn returned(&self, user: &User, session: &str) -> Returned {
        if !is_session_id(session) {
            return Returned::Nothing;
        }
        if !self.questions.allow(user.id, self.clock.now()) {
            return Returned::Waiting;
        }
        let question = RetrieveCheckoutSession::new(session);
        let answer = actix_web::rt::time::timeout(PATIENCE, self.client.get(&question)).await;
        match answer {
            Ok(Ok(answer)) => {
                CheckoutSessionObject::from_value(&answer).map_or(Returned::Nothing, |one| read(&one, user))
            }
            Ok(Err(CallError::Missing(_) | CallError::Refused { .. })) => Returned::Nothing,
            Ok(Err(CallError::Unavailable(_))) | Err(_) => Returned::Waiting,
        }
    }
}

fn read(session: &CheckoutSessionObject, user: &User) -> Returned {
    if session.client_reference_id.as_ref() != Some(&user.public_id) {
        return Returned::Nothing;
    }
    match session.status.as_deref() {
        Some("expired") => Returned::Closed,
        Some("complete") if !session.is_paid() => Returned::Delayed,
        // Open: Stripe sends nobody back before it is done, so its answer is a little behind.
        _ => Returned::Waiting,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_not_be_an_id_is_not_asked_about() {
        for id in [
            "",
            "cs_",
            "cs",
            "sub_1",
            "cs_1/expire",
            "cs_1?a=b",
            "cs_../x",
            "cs_ä",
            "cs_1 ",
            &format!("cs_{}", "a".repeat(253)),
        ] {
            assert!(!is_session_id(id), "{id:?}");
        }
        assert!(is_session_id("cs_test_a1B2"));
        assert!(is_session_id(&format!("cs_{}", "a".repeat(252))));
    }

    #[test]
    fn nobody_makes_us_ask_without_end_and_nobody_pays_for_others() {
        let questions = Questions::default();
        let at = |seconds: i64| DateTime::from_timestamp(1_780_000_020 + seconds, 0).unwrap();
        for _ in 0..EACH_MINUTE {
            assert!(questions.allow(1, at(0)));
        }
        assert!(!questions.allow(1, at(0)));
        assert!(!questions.allow(1, at(59)));
        assert!(questions.allow(2, at(59)));
        assert!(questions.allow(1, at(60)));
    }
}

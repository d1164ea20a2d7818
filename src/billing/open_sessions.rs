//! One open checkout for each person: two tabs must not buy two plans (`docs/rules.md §8`).

use stripe_checkout::checkout_session::{ExpireCheckoutSession, ListCheckoutSession};

use super::{Billing, BillingError, CallError, checkout_request::PLAN, event::CheckoutSessionObject};
use crate::{domain::subscription::Subscription, store::users::User};

/// How many of a customer's newest sessions are looked at. At most one of them is left open each time.
const NEWEST: i64 = 50;
/// How many are closed in one go.
const CLOSED_AT_ONCE: usize = 10;

/// What is to be done about a person's sessions after one was made.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The person goes to this page; these sessions are closed.
    Go {
        /// The page of the one that stays.
        page: String,
        /// The ids of the others that are open.
        close: Vec<String>,
    },
    /// Stripe repeated an old answer: that session is over.
    Again,
}

impl Billing {
    /// The newest sessions that we made for this person, newest first, as Stripe lists them. Those of one second have
    /// an order there too, and it is the same for whoever asks.
    pub(super) async fn sessions_of(
        &self,
        user: &User,
        customer: &str,
    ) -> Result<Vec<CheckoutSessionObject>, BillingError> {
        let answer = self.client.get(&ListCheckoutSession::new().customer(customer).limit(NEWEST)).await?;
        let list = answer.get("data").and_then(|data| data.as_array());
        let list = list.ok_or(BillingError::NoAnswer("a list of checkout sessions without data"))?;
        let ours = |one: &CheckoutSessionObject| one.client_reference_id.as_ref() == Some(&user.public_id);
        Ok(list.iter().filter_map(CheckoutSessionObject::from_value).filter(ours).collect())
    }

    /// Closes one session. Stripe refuses when it is not open any more.
    pub(super) async fn close_one(&self, id: &str) -> Result<(), CallError> {
        self.client.post(&ExpireCheckoutSession::new(id), &format!("close {id}")).await.map(drop)
    }

    /// Closes sessions, as far as Stripe is quick about it. One that is paid in this moment stays paid.
    pub(super) async fn close(&self, sessions: &[String]) {
        let closing = sessions.iter().take(CLOSED_AT_ONCE).map(|id| async move {
            if let Err(error) = self.close_one(id).await {
                tracing::warn!(session = %id, %error, "another checkout of the same person could not be closed");
            }
        });
        let all = futures_util::future::join_all(closing);
        if actix_web::rt::time::timeout(super::checkout::TIDYING, all).await.is_err() {
            tracing::warn!("other checkouts of the same person could not be closed in time");
        }
    }
}

/// The subscriptions that sessions began and that are not among those that are known, by Stripe's id.
pub(super) fn unheard<'a>(
    past: &'a [CheckoutSessionObject],
    known: &'a [Subscription],
) -> impl Iterator<Item = &'a String> {
    let is_known = |id: &&String| known.iter().any(|one| one.provider_id.as_ref() == Some(id));
    past.iter().filter_map(|session| session.subscription.as_ref()).filter(move |id| !is_known(id))
}

/// Which session a wish for this plan has to name, so that Stripe does not repeat an old answer: the newest for the same
/// plan. When that one is still open, and nothing else was chosen since, it is wanted itself; then the one before it, as
/// when it was made.
pub(super) fn after(past: &[CheckoutSessionObject], plan: &str) -> Option<String> {
    let of_plan = |one: &&CheckoutSessionObject| one.metadata.get(PLAN).is_none_or(|key| key == plan);
    let is_wanted = past.first().filter(of_plan).is_some_and(is_open);
    past.iter().filter(of_plan).nth(usize::from(is_wanted)).map(|one| one.id.clone())
}

/// Which session of `all` (newest first) stays open after `made`. Two posts that race must choose the same one, else
/// each closes the other's: the newest that was not there `before` either of them began.
pub(super) fn choose(
    made: &CheckoutSessionObject,
    all: &[CheckoutSessionObject],
    before: Option<&[CheckoutSessionObject]>,
) -> Choice {
    let was_there = |one: &CheckoutSessionObject| before.is_some_and(|past| past.iter().any(|old| old.id == one.id));
    let listed = all.iter().position(|one| one.id == made.id);
    let newer = all.iter().take(listed.unwrap_or(0));
    let rival = newer.clone().find(|one| is_open(one) && !was_there(one));
    let own = match listed.and_then(|at| all.get(at)) {
        Some(now) => is_open(now),
        // The list is a little behind.
        None => is_open(made),
    };
    let stays = match (rival, own) {
        (Some(rival), _) => rival,
        (None, true) => made,
        (None, false) => return Choice::Again,
    };
    let Some(page) = stays.url.clone() else { return Choice::Again };
    let close = all.iter().filter(|one| is_open(one) && one.id != stays.id).map(|one| one.id.clone()).collect();
    Choice::Go { page, close }
}

pub(super) fn is_open(session: &CheckoutSessionObject) -> bool {
    session.status.as_deref() == Some("open")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Its plan is the first letter of its id.
    fn session(id: &str, status: &str) -> CheckoutSessionObject {
        let url = (status == "open").then(|| format!("https://checkout.stripe.com/{id}"));
        let metadata = json!({ "plan": id.chars().next() });
        CheckoutSessionObject::from_value(&json!({ "id": id, "status": status, "url": url, "metadata": metadata }))
            .unwrap()
    }

    /// `"b1 a1!"`: `b1` is the newest and open, `a1` is over.
    fn list(text: &str) -> Vec<CheckoutSessionObject> {
        let one = |word: &str| match word.strip_suffix('!') {
            Some(id) => session(id, "expired"),
            None => session(word, "open"),
        };
        text.split_whitespace().map(one).collect()
    }

    fn go(id: &str, close: &[&str]) -> Choice {
        let close = close.iter().map(|&id| id.to_owned()).collect();
        Choice::Go { page: format!("https://checkout.stripe.com/{id}"), close }
    }

    #[test]
    fn a_new_wish_names_the_session_that_would_be_repeated() {
        for (past, named) in [
            ("", None),
            ("a1", None),
            ("a1!", Some("a1")),
            ("b1", None),
            ("b1 a1!", Some("a1")),
            ("a2 b1! a1!", Some("a1")),
            ("a2! b1! a1!", Some("a2")),
            ("b2 a2! b1! a1!", Some("a2")),
            ("a2 a1!", Some("a1")),
            // One was left open by mistake: it is not come back to.
            ("b1 a1", Some("a1")),
            ("b1! a1", Some("a1")),
        ] {
            assert_eq!(after(&list(past), "a").as_deref(), named, "{past}");
        }
    }

    #[test]
    fn one_session_stays_open() {
        for (made, all, before, choice) in [
            ("a", "a", Some(""), go("a", &[])),
            ("b", "b a", Some("a"), go("b", &["a"])),
            ("c", "c b a!", Some("b a!"), go("c", &["b"])),
            // Stripe repeated an answer, and that one is still open.
            ("a", "a", Some("a"), go("a", &[])),
            ("a", "b a", Some("b a"), go("a", &["b"])),
            // Stripe repeated an answer whose session is over.
            ("a", "a!", Some("a!"), Choice::Again),
            ("a", "b a!", Some("b a!"), Choice::Again),
            ("a", "a!", None, Choice::Again),
            // The list is behind.
            ("b", "a", Some("a"), go("b", &["a"])),
            ("a", "", None, go("a", &[])),
        ] {
            assert_eq!(choose(&session(made, "open"), &list(all), before.map(list).as_deref()), choice, "{made} {all}");
        }
    }

    #[test]
    fn two_posts_that_race_choose_the_same_session() {
        for (before_a, before_b) in [(Some(""), Some("")), (Some(""), Some("a")), (None, None), (None, Some("a"))] {
            for all in ["b a", "b a!"] {
                let choices = [("a", before_a), ("b", before_b)]
                    .map(|(made, before)| choose(&session(made, "open"), &list(all), before.map(list).as_deref()));
                assert!(choices.iter().all(|one| matches!(one, Choice::Go { page, .. } if page.ends_with("/b"))));
            }
        }
    }
}

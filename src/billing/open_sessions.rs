//! One open checkout for each person: two tabs must not buy two plans (`docs/rules.md §8`).

use stripe_checkout::checkout_session::{ExpireCheckoutSession, ListCheckoutSession};

use super::{Billing, BillingError, event::CheckoutSessionObject};
use crate::store::users::User;

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

    /// Closes sessions, as far as Stripe is quick about it. One that is paid in this moment stays paid.
    pub(super) async fn close(&self, sessions: &[String]) {
        let closing = sessions.iter().take(CLOSED_AT_ONCE).map(|id| async move {
            let purpose = format!("close {id}");
            if let Err(error) = self.client.post(&ExpireCheckoutSession::new(id.as_str()), &purpose).await {
                tracing::warn!(session = %id, %error, "another checkout of the same person could not be closed");
            }
        });
        let all = futures_util::future::join_all(closing);
        if actix_web::rt::time::timeout(super::checkout::TIDYING, all).await.is_err() {
            tracing::warn!("other checkouts of the same person could not be closed in time");
        }
    }
}

/// After which session a new one is asked for, so that no answer about an older one is repeated: the newest of them,
/// or the one before it while the newest is open, because that may be the very one that is wanted.
pub(super) fn after(past: &[CheckoutSessionObject]) -> Option<String> {
    let skipped = usize::from(past.first().is_some_and(is_open));
    past.get(skipped).map(|one| one.id.clone())
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

fn is_open(session: &CheckoutSessionObject) -> bool {
    session.status.as_deref() == Some("open")
}

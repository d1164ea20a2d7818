//! Sends a person to Stripe's page to pay (`docs/rules.md §6, §7, §8`). Nothing here changes what anyone paid for.

use std::{future::Future, time::Duration};

use tokio::time::Instant;

use super::{
    Billing, BillingError, CallError,
    checkout_request::{self, Return},
    event::CheckoutSessionObject,
    open_sessions::{Choice, after, choose, unheard},
};
use crate::{
    domain::{
        access::live,
        carry_over::{CarryOver, carry_over},
        plan::Plan,
        subscription::Subscription,
    },
    store::{sessions::SignedIn, subscriptions, users::User},
};

/// How long two equal wishes are one: a double click, a reload, a second tab.
const SAME_WISH_SECONDS: i64 = 600;
/// How long a person waits for Stripe's page at most.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long looking at the person's other sessions, and closing them, may take. It keeps nobody from paying.
pub(super) const TIDYING: Duration = Duration::from_secs(3);
/// How often a session that turns out to be over is asked for again.
const ROUNDS: u32 = 3;
/// How many checkouts that were paid behind our back are looked into.
const LOOKED_INTO: usize = 2;

impl Billing {
    /// The address of Stripe's page where this person can pay for this plan.
    ///
    /// # Errors
    /// The person pays already; Stripe did not help.
    pub async fn checkout(&self, person: &SignedIn, plan: &Plan) -> Result<String, BillingError> {
        if live(&person.subscriptions, &self.policy, self.clock.now()).is_some() {
            return Err(BillingError::AlreadySubscribed);
        }
        let deadline = Instant::now() + PATIENCE;
        let mut past = self.past_sessions(&person.user).await;
        if by(deadline, self.pays_meanwhile(person, past.as_deref().unwrap_or_default())).await? {
            return Err(BillingError::AlreadySubscribed);
        }
        if let Some(session) = by(deadline, self.paid_once_meanwhile(past.as_deref().unwrap_or_default())).await? {
            return Err(BillingError::PaidMeanwhile(session));
        }
        let mut dead = past.as_deref().and_then(|past| after(past, &plan.key));
        for _ in 0..ROUNDS {
            let (customer, made) = by(deadline, Box::pin(self.new_session(person, plan, dead.as_deref()))).await?;
            let Ok(all) = by(Instant::now() + TIDYING, self.sessions_of(&person.user, &customer)).await else {
                return made.url.ok_or(BillingError::NoAnswer("a checkout session without a page"));
            };
            match choose(&made, &all, past.as_deref()) {
                Choice::Go { page, close } => {
                    self.close(&close).await;
                    return Ok(page);
                }
                Choice::Again => (dead, past) = (Some(made.id), Some(all)),
            }
        }
        Err(BillingError::NoAnswer("only checkout sessions that are over"))
    }

    /// What this person's customer has had of sessions; nothing when Stripe can't tell.
    async fn past_sessions(&self, user: &User) -> Option<Vec<CheckoutSessionObject>> {
        let Some(customer) = &user.stripe_customer_id else { return Some(Vec::new()) };
        by(Instant::now() + TIDYING, self.sessions_of(user, customer)).await.ok()
    }

    /// Whether the person has paid for a recurring plan of which no message has come yet: who is sold a second one
    /// in these seconds pays twice.
    async fn pays_meanwhile(&self, person: &SignedIn, past: &[CheckoutSessionObject]) -> Result<bool, BillingError> {
        let news: Vec<&String> = unheard(past, &person.subscriptions).take(LOOKED_INTO).collect();
        if news.is_empty() {
            return Ok(false);
        }
        for subscription in news {
            self.refresh(subscription).await?;
        }
        let id = person.user.id;
        let now = self.store.read(move |conn| subscriptions::of_user(conn, id)).await?;
        Ok(now.iter().any(Subscription::is_live_at_provider))
    }

    /// A session of the person's customer; of a new one, once, if that one is gone.
    async fn new_session(
        &self,
        person: &SignedIn,
        plan: &Plan,
        dead: Option<&str>,
    ) -> Result<(String, CheckoutSessionObject), BillingError> {
        let customer = self.customer_of(&person.user).await?;
        match self.session(person, plan, &customer, dead).await {
            Err(BillingError::Call(CallError::Missing(param))) if param == "customer" => {
                let customer = self.replace_customer(&person.user, customer).await?;
                let made = self.session(person, plan, &customer, dead).await?;
                Ok((customer, made))
            }
            made => Ok((customer, made?)),
        }
    }

    async fn session(
        &self,
        person: &SignedIn,
        plan: &Plan,
        customer: &str,
        dead: Option<&str>,
    ) -> Result<CheckoutSessionObject, BillingError> {
        let back = Return {
            paid: format!("{}?session_id={{CHECKOUT_SESSION_ID}}", self.our_page("/checkout/return")),
            left: self.our_page("/plans?left"),
        };
        let now = self.clock.now();
        let left = carry_over(&person.subscriptions, &self.policy, now);
        let request = |left| checkout_request::new(&person.user, customer, plan, left, &back);
        let wish = self.wish(person, dead);
        let answer = match (self.client.post(&request(left), &wish).await, left) {
            // The moment came too near while the request travelled: days are not lost, they are rounded up.
            (Err(CallError::Refused { param, .. }), CarryOver::Until(end)) if param.contains("trial_end") => {
                self.client.post(&request(CarryOver::in_days(end, now)), &wish).await?
            }
            (answer, _) => answer?,
        };
        CheckoutSessionObject::from_value(&answer).ok_or(BillingError::NoAnswer("a checkout session without an id"))
    }

    /// The same person, with the same past, within the same minutes, and after the same session that is over: Stripe
    /// answers an equal question with what it answered first, whatever became of that.
    fn wish(&self, person: &SignedIn, dead: Option<&str>) -> String {
        let past: Vec<String> = person.subscriptions.iter().map(|one| one.id.to_string()).collect();
        let minutes = self.clock.now().timestamp() / SAME_WISH_SECONDS;
        let dead = dead.unwrap_or("none");
        format!("checkout of {} with {} at {minutes} after {dead}", person.user.public_id, past.join(","))
    }
}

/// The answer, if it comes in time.
async fn by<T>(deadline: Instant, answer: impl Future<Output = Result<T, BillingError>>) -> Result<T, BillingError> {
    let late = || CallError::Unavailable("no answer in the time that a person waits".to_owned());
    tokio::time::timeout_at(deadline, answer).await.unwrap_or_else(|_| Err(late().into()))
}

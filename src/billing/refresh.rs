//! Asks Stripe how a subscription stands and applies the answer through the same door as events.

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use serde_json::Value;
use stripe_billing::subscription::RetrieveSubscription;

use super::{
    Billing, BillingError,
    apply::{Applied, apply_snapshot},
    event::SubscriptionObject,
};
use crate::store::{recurring, users};

/// How long one answer is enough (`docs/rules.md §4`).
const NOT_AGAIN_WITHIN: TimeDelta = TimeDelta::seconds(60);

impl Billing {
    /// Asks Stripe about one subscription and applies what it says.
    ///
    /// # Errors
    /// Stripe did not answer, or the answer could not be stored.
    pub async fn refresh(&self, provider_id: &str) -> Result<Applied, BillingError> {
        // Stripe's grain is the second: what it says is at least as new as the second in which we began to ask.
        let as_of = self.clock.now().trunc_subsecs(0);
        let answer = self.client.get(&RetrieveSubscription::new(provider_id)).await?;
        self.apply_answer(&answer, as_of).await
    }

    /// Applies Stripe's answer about a subscription to a question that we began to ask at `as_of`.
    pub(super) async fn apply_answer(&self, answer: &Value, as_of: DateTime<Utc>) -> Result<Applied, BillingError> {
        let object =
            SubscriptionObject::from_value(answer).ok_or(BillingError::NoAnswer("a subscription without an id"))?;
        let (rules, now) = (self.rules(), self.clock.now());
        let applied = self.store.write(move |conn| {
            // The person first, then the row: in the order in which events lock them.
            if let Some(row) = recurring::by_provider_id(conn, &object.id)? {
                users::lock(conn, row.user_id)?;
            }
            recurring::refresh_done(conn, &object.id)?;
            // May queue it again: the answer itself can leave a doubt.
            apply_snapshot(conn, &rules, &object, as_of, now)
        });
        Ok(applied.await?)
    }

    /// As [`Billing::refresh`], unless the subscription was asked about within the last minute; `false` then.
    ///
    /// # Errors
    /// As [`Billing::refresh`].
    pub async fn refresh_if_due(&self, id: i64, provider_id: &str) -> Result<bool, BillingError> {
        let now = self.clock.now();
        let not_since = now - NOT_AGAIN_WITHIN;
        if !self.store.write(move |conn| recurring::claim_refresh(conn, id, not_since, now)).await? {
            return Ok(false);
        }
        self.refresh(provider_id).await?;
        Ok(true)
    }
}

//! Asks Stripe how a subscription stands and applies the answer through the same door as events.

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use serde_json::Value;
use stripe_billing::subscription::RetrieveSubscription;

use super::{
    Billing, BillingError, CallError,
    apply::{Applied, Said, apply_snapshot},
    event::SubscriptionObject,
    journal,
};
use crate::store::{Conn, StoreError, recurring, turns, users};

/// How long one answer is enough (`docs/rules.md §4`).
const NOT_AGAIN_WITHIN: TimeDelta = TimeDelta::seconds(60);
/// How often Stripe is asked when the row changes while it answers.
const TRIES: u32 = 3;
/// How long a subscription waits that could not be asked about, or whose answer left a doubt.
const PUT_OFF: TimeDelta = TimeDelta::minutes(5);

/// What was known when Stripe was asked something about a subscription.
#[derive(Clone, Debug)]
pub struct Asked {
    provider_id: String,
    /// Stripe's grain is the second: what it says is at least as new as the second in which we began to ask.
    at: DateTime<Utc>,
    version: Option<i64>,
}

impl Asked {
    /// What one wish has in common with its repetitions: the state that it was made in, and its second.
    pub(super) fn state(&self) -> String {
        format!("{} in version {} at {}", self.provider_id, self.version.unwrap_or_default(), self.at.timestamp())
    }
}

impl Billing {
    /// Asks Stripe about one subscription and applies what it says. When its row changes meanwhile, by an event or
    /// another answer, the answer may be the older one, and Stripe is asked again.
    ///
    /// # Errors
    /// Stripe did not answer, or the answer could not be stored.
    pub async fn refresh(&self, provider_id: &str) -> Result<Applied, BillingError> {
        for _ in 0..TRIES {
            let asked = self.asking(provider_id).await?;
            let answer = self.client.get(&RetrieveSubscription::new(provider_id)).await?;
            if let Some(applied) = self.apply_answer(asked, &answer).await? {
                return Ok(applied);
            }
        }
        let (id, now) = (provider_id.to_owned(), self.clock.now());
        self.store.write(move |conn| recurring::queue_refresh(conn, &id, now)).await?;
        Err(BillingError::NoAnswer("a subscription that changed each time it was asked about"))
    }

    /// Notes what is known now, before Stripe is asked about a subscription or told to change it.
    ///
    /// # Errors
    /// The database failed.
    pub async fn asking(&self, provider_id: &str) -> Result<Asked, BillingError> {
        let id = provider_id.to_owned();
        let version = self.store.read(move |conn| recurring::version(conn, &id)).await?;
        Ok(Asked { provider_id: provider_id.to_owned(), at: self.clock.now().trunc_subsecs(0), version })
    }

    /// Applies Stripe's answer, unless the row has changed since: `None` then, and Stripe has to be asked again.
    ///
    /// # Errors
    /// The answer is none, or it could not be stored.
    pub async fn apply_answer(&self, asked: Asked, answer: &Value) -> Result<Option<Applied>, BillingError> {
        let object = SubscriptionObject::from_value(answer).filter(|object| object.id == asked.provider_id);
        let object = object.ok_or(BillingError::NoAnswer("another subscription than the one that was asked about"))?;
        let (rules, now) = (self.rules(), self.clock.now());
        let applied = self.store.write(move |conn| {
            turns::take(conn, [object.customer.as_deref(), Some(object.id.as_str())].into_iter().flatten())?;
            // The person first, then the row: in the order in which events lock them.
            if let Some(row) = recurring::by_provider_id(conn, &object.id)? {
                users::lock(conn, row.user_id)?;
            }
            if recurring::version(conn, &object.id)? != asked.version {
                return Ok(None);
            }
            let applied = apply_snapshot(conn, &rules, &object, Said::InAnswer(asked.at), now)?;
            match &applied.doubtful {
                // The answer itself left a doubt: not at once again.
                Some((_, id)) => recurring::put_off(conn, id, now + PUT_OFF)?,
                None => recurring::refresh_done(conn, &object.id)?,
            }
            journal::apply_what_waited(conn, &rules, &applied, now)?;
            Ok(Some(applied))
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

    /// As [`Billing::refresh_if_due`], for one that is queued: one that can't be asked about must not keep the others
    /// waiting, and one that Stripe does not know is asked about no more.
    ///
    /// # Errors
    /// The database failed.
    pub async fn settle(&self, id: i64, provider_id: String) -> Result<bool, StoreError> {
        let error = match self.refresh_if_due(id, &provider_id).await {
            Ok(asked) => return Ok(asked),
            Err(error) => error,
        };
        tracing::warn!(subscription = %provider_id, %error, "could not be refreshed");
        let gone = matches!(error, BillingError::Call(CallError::Missing(_)));
        let again = self.clock.now() + PUT_OFF;
        let put_off = move |conn: &mut Conn| {
            if gone {
                recurring::refresh_done(conn, &provider_id)
            } else {
                recurring::put_off(conn, &provider_id, again)
            }
        };
        self.store.write(put_off).await.map(|()| false)
    }
}

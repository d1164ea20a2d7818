//! Cancels and resumes a subscription at Stripe (`docs/rules.md §8`). What comes of it is Stripe's word: the answer of
//! the call goes through the same door as events.

use serde::Serialize;
use stripe_billing::subscription::UpdateSubscription;
use stripe_client_core::{RequestBuilder, StripeMethod, StripeRequest};

use super::{Billing, BillingError, CallError, event::SubscriptionObject};
use crate::{
    domain::{
        access::live,
        subscription::{Status, Subscription},
    },
    store::{recurring, sessions::SignedIn, subscriptions},
};

/// What a person wishes for their subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// It ends with the period that is paid for.
    Cancel,
    /// It goes on after all.
    Resume,
}

/// What came of the wish. Only the first one means that Stripe was asked and did it, or that it was so already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// As wished.
    Done,
    /// There is no subscription that runs.
    NothingRuns,
    /// The last payment is open: that comes first, and is done at Stripe.
    Unpaid,
    /// It is paused at Stripe.
    Paused,
    /// It ended at Stripe meanwhile, for good.
    Over,
}

impl Billing {
    /// Has Stripe cancel or resume the person's subscription.
    ///
    /// # Errors
    /// Stripe did not help: whether it was done is not known. The subscription is asked about again then.
    pub async fn change(&self, person: &SignedIn, wish: Wish) -> Result<Changed, BillingError> {
        let Some(one) = live(&person.subscriptions, &self.policy, self.clock.now()) else {
            return Ok(Changed::NothingRuns);
        };
        match (one.status, one.provider_status.as_deref()) {
            (Status::PastDue, _) | (Status::Expired, Some("unpaid")) => return Ok(Changed::Unpaid),
            (Status::Expired, _) => return Ok(Changed::Paused),
            _ if one.has_end_set() == (wish == Wish::Cancel) => return Ok(Changed::Done),
            _ => {}
        }
        let Some(id) = one.provider_id.as_deref() else { return Ok(Changed::NothingRuns) };
        match self.ask_for(one, id, wish).await {
            Ok(()) => Ok(Changed::Done),
            // Stripe changes nothing about one that has ended.
            Err(refusal @ BillingError::Call(CallError::Missing(_) | CallError::Refused { .. })) => {
                self.look_why(person, id, refusal).await
            }
            Err(error) => {
                self.ask_again_later(id).await;
                Err(error)
            }
        }
    }

    async fn ask_for(&self, one: &Subscription, id: &str, wish: Wish) -> Result<(), BillingError> {
        let keep_going = || UpdateSubscription::new(id).cancel_at_period_end(false);
        let by_date_alone = one.cancel_at.is_some() && !one.cancel_at_period_end;
        let now = match wish {
            Wish::Cancel => {
                return self.update(id, &UpdateSubscription::new(id).cancel_at_period_end(true)).await.map(drop);
            }
            Wish::Resume if by_date_alone => self.update(id, &ClearDate(id)).await?,
            Wish::Resume => self.update(id, &keep_going()).await?,
        };
        // It was set in the other way meanwhile, on Stripe's page.
        match (now.cancel_at_period_end, now.cancel_at) {
            (true, _) => self.update(id, &keep_going()).await.map(drop),
            (false, Some(_)) => self.update(id, &ClearDate(id)).await.map(drop),
            (false, None) => Ok(()),
        }
    }

    /// The same change of the same stored state within the same second is one wish. Whoever cancels, resumes and
    /// cancels again wishes three times: Stripe must not answer the third with what it did for the first.
    async fn update(&self, id: &str, request: &impl StripeRequest) -> Result<SubscriptionObject, BillingError> {
        let asked = self.asking(id).await?;
        let answer = self.client.post(request, &format!("change of {}", asked.state())).await?;
        let applied = self.apply_answer(asked, &answer).await?;
        let object = SubscriptionObject::from_value(&answer);
        let object = object.ok_or(BillingError::NoAnswer("a subscription without an id"))?;
        // The event about it, or a second click, was faster: mostly it says the same.
        if applied.is_none() && !self.is_known(&object).await? {
            self.refresh(id).await?;
        }
        Ok(object)
    }

    async fn is_known(&self, object: &SubscriptionObject) -> Result<bool, BillingError> {
        let id = object.id.clone();
        let row = self.store.read(move |conn| recurring::by_provider_id(conn, &id)).await?;
        Ok(row.is_some_and(|row| {
            let facts = row.facts;
            (facts.cancel_at_period_end, facts.cancel_at) == (object.cancel_at_period_end, object.cancel_at)
        }))
    }

    /// Stripe said no. That is explained if the subscription has ended meanwhile.
    async fn look_why(&self, person: &SignedIn, id: &str, refusal: BillingError) -> Result<Changed, BillingError> {
        self.refresh(id).await?;
        let user = person.user.id;
        let now = self.store.read(move |conn| subscriptions::of_user(conn, user)).await?;
        let runs = now.iter().any(|one| one.provider_id.as_deref() == Some(id) && one.is_live_at_provider());
        if runs { Err(refusal) } else { Ok(Changed::Over) }
    }

    /// Best effort: what is not known now is asked by the background work.
    async fn ask_again_later(&self, id: &str) {
        let (subscription, now) = (id.to_owned(), self.clock.now());
        let queued = self.store.write(move |conn| recurring::queue_refresh(conn, &subscription, now)).await;
        if let Err(error) = queued {
            tracing::error!(subscription = %id, %error, "a change that may not have happened is not looked after");
        }
    }
}

/// Takes the date away. The client crate has no word for that: an empty text empties a field.
struct ClearDate<'a>(&'a str);

#[derive(Serialize)]
struct Emptied {
    cancel_at: &'static str,
}

impl StripeRequest for ClearDate<'_> {
    type Output = ();

    fn build(&self) -> RequestBuilder {
        RequestBuilder::new(StripeMethod::Post, format!("/subscriptions/{}", self.0)).form(&Emptied { cancel_at: "" })
    }
}

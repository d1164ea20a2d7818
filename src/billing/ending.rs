//! Ends everything at Stripe by which somebody would be charged who goes away (`docs/rules.md §10`).

use stripe_billing::subscription::CancelSubscription;

use super::{
    Billing, BillingError, CallError,
    event::CheckoutSessionObject,
    open_sessions::{is_open, unheard},
};
use crate::{
    domain::subscription::runs_at_provider,
    store::{StoreError, accounts, recurring, subscriptions, users::User},
};

/// How many subscriptions of people who are gone one round of background work ends.
const ENDINGS: i64 = 50;

impl Billing {
    /// Closes the person's open checkouts, and ends all of their subscriptions at once. Nothing is refunded by it.
    ///
    /// # Errors
    /// Stripe did not say that it is done; some of it may be, and all of it can be asked for again.
    pub async fn end_everything(&self, user: &User) -> Result<(), BillingError> {
        self.look_for_unheard(user).await?;
        let id = user.id;
        let all = self.store.read(move |conn| subscriptions::of_user(conn, id)).await?;
        for one in all.iter().filter(|one| one.is_live_at_provider()) {
            if let Some(provider_id) = &one.provider_id {
                self.end_now(provider_id).await?;
            }
        }
        Ok(())
    }

    /// Ends what still runs for people who are gone: a checkout that was paid while the account was being deleted.
    ///
    /// # Errors
    /// The database failed. Stripe's failures are logged, and tried again at the next run.
    pub async fn end_what_was_left(&self) -> Result<usize, StoreError> {
        let left = self.store.read(|conn| accounts::left_running(conn, ENDINGS)).await?;
        let mut ended = 0;
        for provider_id in left {
            match self.end_now(&provider_id).await {
                Ok(()) => ended += 1,
                Err(error) => tracing::error!(subscription = %provider_id, %error, "a subscription of nobody runs on"),
            }
        }
        Ok(ended)
    }

    /// What Stripe knows of the person's checkouts: open ones are closed, and a subscription of which no message has come
    /// becomes known.
    async fn look_for_unheard(&self, user: &User) -> Result<(), BillingError> {
        let Some(customer) = &user.stripe_customer_id else { return Ok(()) };
        let mut past = match self.sessions_of(user, customer).await {
            Err(BillingError::Call(CallError::Missing(_))) => return Ok(()),
            past => past?,
        };
        if self.close_all(&past).await? {
            // One that could not be closed is paid: it says now what came of it.
            past = self.sessions_of(user, customer).await?;
        }
        let id = user.id;
        let known = self.store.read(move |conn| subscriptions::of_user(conn, id)).await?;
        for subscription in unheard(&past, &known) {
            self.refresh(subscription).await?;
        }
        Ok(())
    }

    /// Closes every session that is open; whether one of them was not open any more.
    async fn close_all(&self, sessions: &[CheckoutSessionObject]) -> Result<bool, BillingError> {
        let mut too_late = false;
        for one in sessions.iter().filter(|one| is_open(one)) {
            match self.close_one(&one.id).await {
                Ok(()) => {}
                Err(CallError::Missing(_) | CallError::Refused { .. }) => too_late = true,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(too_late)
    }

    /// Ends one subscription now. What comes of it is Stripe's word, through the same door as events.
    async fn end_now(&self, provider_id: &str) -> Result<(), BillingError> {
        let asked = self.asking(provider_id).await?;
        match self.client.post(&CancelSubscription::new(provider_id), &format!("end of {}", asked.state())).await {
            Ok(answer) => {
                if self.apply_answer(asked, &answer).await?.is_none() {
                    self.refresh(provider_id).await?;
                }
            }
            // It is over, or was never there.
            Err(CallError::Missing(_) | CallError::Refused { .. }) => match self.refresh(provider_id).await {
                Err(BillingError::Call(CallError::Missing(_))) => {
                    let (id, now) = (provider_id.to_owned(), self.clock.now());
                    self.store.write(move |conn| accounts::close_unknown(conn, &id, now)).await?;
                }
                refreshed => drop(refreshed?),
            },
            Err(error) => return Err(error.into()),
        }
        let id = provider_id.to_owned();
        let row = self.store.read(move |conn| recurring::by_provider_id(conn, &id)).await?;
        let runs = row.is_some_and(|row| runs_at_provider(row.facts.status, Some(&row.facts.provider_status)));
        if runs { Err(BillingError::NoAnswer("a subscription that did not end")) } else { Ok(()) }
    }
}

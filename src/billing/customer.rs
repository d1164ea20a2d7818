//! One customer at Stripe for each person (`docs/rules.md §8`).

use std::collections::HashMap;

use stripe_core::customer::{CreateCustomer, UpdateCustomer};

use super::{Billing, BillingError, journal};
use crate::store::{
    turns,
    users::{self, User},
    webhook_events::WaitsFor,
};

/// The name under which our user's public id stands in Stripe's metadata.
pub const USER_ID: &str = "user_id";

impl Billing {
    /// The person's customer, made now if there is none. Parallel calls end with the same one: they ask with the same
    /// idempotency key, and the first to be kept wins.
    pub(super) async fn customer_of(&self, user: &User) -> Result<String, BillingError> {
        match &user.stripe_customer_id {
            Some(customer) => Ok(customer.clone()),
            None => self.make_customer(user, None).await,
        }
    }

    /// A new customer in the place of one that is gone at Stripe.
    pub(super) async fn replace_customer(&self, user: &User, gone: String) -> Result<String, BillingError> {
        tracing::warn!(user = %user.public_id, "the customer is gone at Stripe; making a new one");
        self.make_customer(user, Some(gone)).await
    }

    /// Gives the person's customer the address that the account has now, so that receipts go there. `wish` tells one change
    /// from another: back to an address that it had before is a new wish.
    ///
    /// # Errors
    /// Stripe or the database did not answer.
    pub async fn update_address(&self, user_id: i64, wish: &str) -> Result<(), BillingError> {
        let user = self.store.read(move |conn| users::by_id(conn, user_id)).await?;
        let user = user.filter(|user| !user.deleted);
        let Some((user, customer)) = user.and_then(|user| user.stripe_customer_id.clone().map(|id| (user, id))) else {
            return Ok(());
        };
        let request = UpdateCustomer::new(customer).email(user.email);
        self.client.post(&request, &format!("address of {} after {wish}", user.public_id)).await?;
        Ok(())
    }

    async fn make_customer(&self, user: &User, gone: Option<String>) -> Result<String, BillingError> {
        let after = gone.as_deref().unwrap_or("first");
        let request = CreateCustomer::new()
            .email(user.email.clone())
            .name(user.name())
            .metadata(HashMap::from([(USER_ID.to_owned(), user.public_id.clone())]));
        let made = self.client.post(&request, &format!("customer of {} after {after}", user.public_id)).await?;
        let made =
            made.get("id").and_then(|id| id.as_str()).ok_or(BillingError::NoAnswer("a customer without an id"))?;
        let (id, customer, now) = (user.id, made.to_owned(), self.clock.now());
        let rules = self.rules();
        let kept = self
            .store
            .write(move |conn| {
                turns::take(conn, [customer.as_str()])?;
                // In one step: whoever saw no customer in between would be given the one that is gone.
                if let Some(gone) = gone {
                    users::forget_customer(conn, id, &gone, now)?;
                }
                let kept = users::keep_customer(conn, id, &customer, now)?;
                journal::apply_waiting(conn, &rules, WaitsFor::Customer(&kept), now)?;
                Ok(kept)
            })
            .await?;
        Ok(kept)
    }
}

//! Sends a person to Stripe's page to subscribe (`docs/rules.md §7, §8`). Nothing here changes what anyone paid for.

use std::collections::HashMap;

use stripe_checkout::checkout_session::{
    CreateCheckoutSession, CreateCheckoutSessionLineItems, CreateCheckoutSessionSubscriptionData,
};
use stripe_shared::CheckoutSessionMode;

use super::{Billing, BillingError, CallError, customer::USER_ID};
use crate::{
    domain::{
        carry_over::{CarryOver, carry_over},
        plan::{Plan, PlanKind},
        subscription::Subscription,
    },
    store::{sessions::SignedIn, users::User},
};

/// How long two equal wishes are one: a double click, a reload, a second tab.
const SAME_WISH_SECONDS: i64 = 600;

impl Billing {
    /// The address of Stripe's page where this person can pay for this plan.
    ///
    /// # Errors
    /// The person pays already; the plan can't be bought in this way; Stripe did not help.
    pub async fn checkout(&self, person: &SignedIn, plan: &Plan) -> Result<String, BillingError> {
        if person.subscriptions.iter().any(Subscription::is_live_at_provider) {
            return Err(BillingError::AlreadySubscribed);
        }
        if plan.kind != PlanKind::Recurring {
            return Err(BillingError::NotOffered);
        }
        let customer = self.customer_of(&person.user).await?;
        match self.session_page(person, plan, &customer).await {
            Err(BillingError::Call(CallError::Missing(param))) if param == "customer" => {
                let customer = self.replace_customer(&person.user, customer).await?;
                self.session_page(person, plan, &customer).await
            }
            answer => answer,
        }
    }

    async fn session_page(&self, person: &SignedIn, plan: &Plan, customer: &str) -> Result<String, BillingError> {
        let left = carry_over(&person.subscriptions, &self.policy, self.clock.now());
        let answer = match (self.make_session(person, plan, customer, left).await, left) {
            // The moment came too near while the request travelled: days are not lost, they are rounded up.
            (Err(CallError::Refused { param, .. }), CarryOver::Until(_)) if param.contains("trial_end") => {
                self.make_session(person, plan, customer, CarryOver::Days(3)).await?
            }
            (answer, _) => answer?,
        };
        let page = answer.get("url").and_then(|url| url.as_str());
        page.map(str::to_owned).ok_or(BillingError::NoAnswer("a checkout session without a page"))
    }

    async fn make_session(
        &self,
        person: &SignedIn,
        plan: &Plan,
        customer: &str,
        left: CarryOver,
    ) -> Result<serde_json::Value, CallError> {
        let request = CreateCheckoutSession::new()
            .mode(CheckoutSessionMode::Subscription)
            .customer(customer)
            .client_reference_id(person.user.public_id.clone())
            .metadata(metadata(&person.user))
            .line_items(vec![CreateCheckoutSessionLineItems {
                price: Some(plan.price.clone()),
                quantity: Some(1),
                ..CreateCheckoutSessionLineItems::new()
            }])
            .subscription_data(subscription_data(&person.user, left))
            .success_url(format!("{}?session_id={{CHECKOUT_SESSION_ID}}", self.our_page("/checkout/return")))
            .cancel_url(self.our_page("/plans"));
        self.client.post(&request, &self.wish(person)).await
    }

    /// The same person, with the same past, within the same minutes.
    fn wish(&self, person: &SignedIn) -> String {
        let past: Vec<String> = person.subscriptions.iter().map(|one| one.id.to_string()).collect();
        let minutes = self.clock.now().timestamp() / SAME_WISH_SECONDS;
        format!("checkout of {} with {} at {minutes}", person.user.public_id, past.join(","))
    }
}

fn metadata(user: &User) -> HashMap<String, String> {
    HashMap::from([(USER_ID.to_owned(), user.public_id.clone())])
}

fn subscription_data(user: &User, left: CarryOver) -> CreateCheckoutSessionSubscriptionData {
    let mut data = CreateCheckoutSessionSubscriptionData::new();
    data.metadata = Some(metadata(user));
    match left {
        CarryOver::Nothing => {}
        CarryOver::Until(end) => data.trial_end = Some(end.timestamp()),
        CarryOver::Days(days) => data.trial_period_days = Some(days),
    }
    data
}

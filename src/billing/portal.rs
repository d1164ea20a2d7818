//! Sends a person to Stripe's portal: card, invoices, cancellation.

use stripe_billing::billing_portal_session::CreateBillingPortalSession;

use super::{Billing, BillingError, CallError};
use crate::store::users::User;

impl Billing {
    /// The address of the person's portal.
    ///
    /// # Errors
    /// The person has no customer at Stripe, or Stripe did not help.
    pub async fn portal(&self, user: &User) -> Result<String, BillingError> {
        let customer = user.stripe_customer_id.clone().ok_or(BillingError::NotOffered)?;
        match self.portal_session(user, &customer).await {
            Err(BillingError::Call(CallError::Missing(param))) if param == "customer" => {
                let customer = self.replace_customer(user, customer).await?;
                self.portal_session(user, &customer).await
            }
            answer => answer,
        }
    }

    async fn portal_session(&self, user: &User, customer: &str) -> Result<String, BillingError> {
        let request = CreateBillingPortalSession::new().customer(customer).return_url(self.our_page("/account"));
        let minutes = self.clock.now().timestamp() / 60;
        let answer = self.client.post(&request, &format!("portal of {} at {minutes}", user.public_id)).await?;
        let page = answer.get("url").and_then(|url| url.as_str());
        page.map(str::to_owned).ok_or(BillingError::NoAnswer("a portal session without a page"))
    }
}

//! Months that were paid for and of which no message has come: who is sold more in that time pays twice.

use serde_json::json;

use super::{
    Billing, BillingError,
    event::{CheckoutSessionObject, Event},
    journal::apply_what_waited,
    payments::{self, Case},
};
use crate::store::{payments as stored, webhook_events::Outcome};

/// How many sessions are looked into.
const LOOKED_INTO: usize = 5;

impl Billing {
    /// Applies, through the same door as events, the newest single payment of these sessions that Stripe says is paid and
    /// that is not known here; the id of its session, if there was one.
    pub(super) async fn paid_once_meanwhile(
        &self,
        past: &[CheckoutSessionObject],
    ) -> Result<Option<String>, BillingError> {
        let paid = past.iter().filter(|one| {
            one.mode.as_deref() == Some("payment") && one.status.as_deref() == Some("complete") && one.is_paid()
        });
        for session in paid.take(LOOKED_INTO) {
            let event = Event {
                id: format!("answer about {}", session.id),
                kind: "checkout.session.completed".to_owned(),
                created: session.created.unwrap_or_else(|| self.clock.now()),
                livemode: self.livemode,
                api_version: None,
                // These sessions are of a customer that is linked: nothing else has to be known of them.
                object: json!({}),
                former_customer: None,
            };
            let (rules, now, session) = (self.rules(), self.clock.now(), session.clone());
            let id = session.id.clone();
            let is_news = self.store.write(move |conn| {
                if stored::is_paid_session(conn, &session.id)? {
                    return Ok(false);
                }
                let applied = payments::session(conn, Case { rules: &rules, event: &event, now }, &session)?;
                apply_what_waited(conn, &rules, &applied, now)?;
                Ok(applied.outcome == Outcome::Applied)
            });
            if is_news.await? {
                tracing::warn!(session = %id, "a payment was found at Stripe of which no message had come");
                return Ok(Some(id));
            }
        }
        Ok(None)
    }
}

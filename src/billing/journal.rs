//! Receives an event, applies it and writes down what became of it, in one transaction (`docs/rules.md §5`).

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    Billing, BillingError, Rules,
    apply::{Appeared, Applied, Said, apply_snapshot},
    event::{CheckoutSessionObject, Event, InvoiceObject, SubscriptionObject},
    link,
    payments::{self, Case},
};
use crate::store::{
    Conn, StoreError, accounts, turns,
    webhook_events::{self, Finished, Outcome, Received, WaitsFor},
};

/// The types of events that something is done with. Silence of one of them is worth a look.
pub const HEARD: [&str; 21] = [
    "customer.subscription.created",
    "customer.subscription.updated",
    "customer.subscription.deleted",
    "customer.subscription.paused",
    "customer.subscription.resumed",
    "customer.subscription.trial_will_end",
    "customer.created",
    "customer.updated",
    "customer.deleted",
    "checkout.session.completed",
    "checkout.session.async_payment_succeeded",
    "checkout.session.async_payment_failed",
    "checkout.session.expired",
    "invoice.paid",
    "invoice.payment_failed",
    "invoice.payment_action_required",
    "invoice_payment.paid",
    "charge.succeeded",
    "charge.refunded",
    "charge.dispute.created",
    "charge.dispute.closed",
];

/// A failed event is tried again after this time, and after as much more with each attempt. Stripe's own redeliveries
/// are what is counted on; this is for those that Stripe has given up.
const RETRY_PAUSE: TimeDelta = TimeDelta::minutes(5);
/// The longest pause.
const RETRY_PAUSE_MAX: TimeDelta = TimeDelta::hours(12);

/// What was done with a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// It was new; this became of it.
    Done(Outcome),
    /// It was here before and is done.
    Seen,
}

impl Billing {
    /// Takes in a delivery whose signature is right. Returns after the commit: only then may Stripe be told 200.
    ///
    /// # Errors
    /// Our own failure. Nothing of the event's effect is kept, and it works when it comes again.
    pub async fn receive(&self, event: Event, payload: String) -> Result<Receipt, BillingError> {
        let received = received(&event, payload);
        let (rules, now, kept) = (self.rules(), self.clock.now(), received.clone());
        match self.store.write(move |conn| process(conn, &rules, &event, &received, now)).await {
            Ok(None) => Ok(Receipt::Seen),
            Ok(Some(applied)) => {
                self.settle_soon(&applied);
                Ok(Receipt::Done(applied.outcome))
            }
            Err(error) => {
                tracing::error!(event = %kept.event_id, kind = %kept.event_type, %error, "an event failed");
                self.record_failure(kept, error.to_string(), now).await;
                Err(error.into())
            }
        }
    }

    /// Applies an event again from what is kept of it. Nothing is applied twice: what the event says is known already,
    /// or it is news. `None`: it is not known, or its payload is no longer kept.
    ///
    /// # Errors
    /// Our own failure; the event stays as it was.
    pub async fn replay(&self, event_id: &str) -> Result<Option<Outcome>, BillingError> {
        let (rules, now, id) = (self.rules(), self.clock.now(), event_id.to_owned());
        let applied = self.store.write(move |conn| replay(conn, &rules, &id, now)).await?;
        if let Some(applied) = &applied {
            self.settle_soon(applied);
        }
        Ok(applied.map(|applied| applied.outcome))
    }

    /// Tries an event again that failed.
    ///
    /// # Errors
    /// The database failed, also at noting that.
    pub async fn retry(&self, event_id: String) -> Result<bool, StoreError> {
        let Err(error) = self.replay(&event_id).await else { return Ok(true) };
        tracing::error!(event = %event_id, %error, "an event failed again");
        let (now, error) = (self.clock.now(), error.to_string());
        let noted = self.store.write(move |conn| match webhook_events::attempt(conn, &event_id)? {
            Some(kept) => webhook_events::finish(conn, kept.id, &failed(error, kept.attempts, now), now),
            None => Ok(()),
        });
        noted.await.map(|()| false)
    }

    /// A doubt need not wait for the background work.
    fn settle_soon(&self, applied: &Applied) {
        let Some((id, provider_id)) = applied.doubtful.clone() else { return };
        let billing = self.clone();
        actix_web::rt::spawn(async move {
            if let Err(error) = billing.settle(id, provider_id).await {
                tracing::error!(%error, "a doubt could not be settled");
            }
        });
    }

    /// Best effort: when the database is what failed, this fails too, and Stripe's redelivery is what remains.
    async fn record_failure(&self, received: Received, error: String, now: DateTime<Utc>) {
        let recorded = self
            .store
            .write(move |conn| {
                let (row, outcome) = webhook_events::begin(conn, &received, now)?;
                if is_open(outcome) { webhook_events::finish(conn, row, &failed(error, 1, now), now) } else { Ok(()) }
            })
            .await;
        if let Err(error) = recorded {
            tracing::error!(%error, "the failure of an event could not be recorded");
        }
    }
}

/// Whether a delivery of an event with this outcome still has something to do.
fn is_open(outcome: Option<Outcome>) -> bool {
    matches!(outcome, None | Some(Outcome::Failed | Outcome::Unmatched))
}

fn process(
    conn: &mut Conn,
    rules: &Rules,
    event: &Event,
    received: &Received,
    now: DateTime<Utc>,
) -> Result<Option<Applied>, StoreError> {
    turns::take(conn, received.names())?;
    let (row, before) = webhook_events::begin(conn, received, now)?;
    if !is_open(before) {
        return Ok(None);
    }
    let applied = apply(conn, rules, event, now)?;
    webhook_events::finish(conn, row, &finished(&applied), now)?;
    apply_what_waited(conn, rules, &applied, now)?;
    accounts::forget_late_event(conn, row, applied.user_id, received.provider_customer_id.as_deref())?;
    Ok(Some(applied))
}

fn replay(conn: &mut Conn, rules: &Rules, id: &str, now: DateTime<Utc>) -> Result<Option<Applied>, StoreError> {
    let names = webhook_events::names(conn, id)?;
    turns::take(conn, names.iter().map(String::as_str))?;
    let Some(kept) = webhook_events::attempt(conn, id)? else { return Ok(None) };
    let Some(event) = kept.payload.and_then(|payload| Event::parse(payload.as_bytes()).ok()) else { return Ok(None) };
    let applied = apply(conn, rules, &event, now)?;
    // What an event did once stays written down, when it has nothing to do any more.
    if kept.outcome != Outcome::Applied || applied.outcome == Outcome::Applied && applied.change.is_some() {
        webhook_events::finish(conn, kept.id, &finished(&applied), now)?;
    }
    apply_what_waited(conn, rules, &applied, now)?;
    Ok(Some(applied))
}

/// What an event does, by its type.
fn apply(conn: &mut Conn, rules: &Rules, event: &Event, now: DateTime<Utc>) -> Result<Applied, StoreError> {
    if event.livemode != rules.livemode {
        return Ok(Applied::new(Outcome::Ignored, "it belongs to the other mode, live or test, than our key"));
    }
    match event.kind.as_str() {
        "customer.subscription.created"
        | "customer.subscription.updated"
        | "customer.subscription.deleted"
        | "customer.subscription.paused"
        | "customer.subscription.resumed"
        | "customer.subscription.trial_will_end" => match SubscriptionObject::from_value(&event.object) {
            // The event's own mode was checked above; an object inside it need not repeat it.
            Some(object) => {
                let object = SubscriptionObject { livemode: rules.livemode, ..object };
                apply_snapshot(conn, rules, &object, Said::InEvent(event.created), now)
            }
            None => Ok(Applied::new(Outcome::Ignored, "a subscription without an id")),
        },
        "customer.created" | "customer.updated" => link::customer(conn, rules, event, now),
        "customer.deleted" => link::customer_is_gone(conn, event, now),
        "checkout.session.completed"
        | "checkout.session.async_payment_succeeded"
        | "checkout.session.async_payment_failed"
        | "checkout.session.expired" => checkout(conn, rules, event, now),
        "invoice.paid" | "invoice.payment_failed" | "invoice.payment_action_required" => {
            payments::invoice(conn, Case { rules, event, now })
        }
        "invoice_payment.paid" => payments::invoice_payment(conn, Case { rules, event, now }),
        "charge.succeeded" | "charge.refunded" => payments::charge(conn, Case { rules, event, now }),
        "charge.dispute.created" | "charge.dispute.closed" => payments::dispute(conn, Case { rules, event, now }),
        _ => Ok(Applied::new(Outcome::Ignored, "nothing to do for this type")),
    }
}

/// What was paid once is told by the checkout; what is subscribed to by the subscription.
fn checkout(conn: &mut Conn, rules: &Rules, event: &Event, now: DateTime<Utc>) -> Result<Applied, StoreError> {
    match CheckoutSessionObject::from_value(&event.object) {
        Some(session) if session.mode.as_deref() == Some("payment") => {
            payments::session(conn, Case { rules, event, now }, &session)
        }
        _ if event.kind == "checkout.session.completed" => link::checkout(conn, rules, event, now),
        _ => Ok(Applied::new(Outcome::Ignored, "nothing to do for this type")),
    }
}

/// Applies what came before something was known that is known now.
///
/// # Errors
/// The database failed.
pub(super) fn apply_what_waited(
    conn: &mut Conn,
    rules: &Rules,
    applied: &Applied,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    match &applied.appeared {
        None => Ok(()),
        Some(Appeared::Subscription(id)) => apply_waiting(conn, rules, WaitsFor::Subscription(id), now),
        Some(Appeared::Payment(ids)) => {
            ids.iter().try_for_each(|id| apply_waiting(conn, rules, WaitsFor::Payment(id), now))
        }
    }
}

/// Applies the events that wait for something.
///
/// # Errors
/// The database failed.
pub(super) fn apply_waiting(
    conn: &mut Conn,
    rules: &Rules,
    what: WaitsFor<'_>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    for (row, payload) in webhook_events::waiting(conn, what)? {
        // One that was applied before may have made this one known, and applied it.
        if !webhook_events::still_waits(conn, row)? {
            continue;
        }
        let Ok(event) = Event::parse(payload.as_bytes()) else { continue };
        let applied = apply(conn, rules, &event, now)?;
        webhook_events::finish(conn, row, &finished(&applied), now)?;
        apply_what_waited(conn, rules, &applied, now)?;
    }
    Ok(())
}

fn received(event: &Event, payload: String) -> Received {
    Received {
        event_id: event.id.clone(),
        event_type: event.kind.clone(),
        api_version: event.api_version.clone(),
        livemode: event.livemode,
        created_at: event.created,
        provider_subscription_id: subscription(event),
        provider_customer_id: event.customer(),
        provider_payment_id: payments::waits_for(event),
        payload,
    }
}

/// The subscription that an event is about, as far as it says.
fn subscription(event: &Event) -> Option<String> {
    let (kind, object) = (event.kind.as_str(), &event.object);
    if kind.starts_with("customer.subscription.") {
        SubscriptionObject::from_value(object).map(|one| one.id)
    } else if kind.starts_with("invoice.") {
        InvoiceObject::from_value(object)?.subscription
    } else if kind.starts_with("checkout.session.") {
        CheckoutSessionObject::from_value(object)?.subscription
    } else {
        None
    }
}

fn finished(applied: &Applied) -> Finished {
    let applied = applied.clone();
    Finished {
        outcome: applied.outcome,
        detail: applied.detail,
        user_id: applied.user_id,
        change: applied.change,
        retry_at: None,
    }
}

fn failed(error: String, attempts: i64, now: DateTime<Utc>) -> Finished {
    let times = i32::try_from(attempts.clamp(1, 1_000)).unwrap_or(1);
    let retry_at = now + (RETRY_PAUSE * times).min(RETRY_PAUSE_MAX);
    Finished { outcome: Outcome::Failed, detail: Some(error), user_id: None, change: None, retry_at: Some(retry_at) }
}

#[cfg(test)]
mod tests {
    use super::HEARD;

    #[test]
    fn what_is_heard_is_what_is_applied() {
        let source = include_str!("journal.rs");
        let apply = source.split("fn apply(").nth(1).and_then(|rest| rest.split("\n}\n").next()).unwrap_or_default();
        let named = apply.split('"').skip(1).step_by(2).filter(|text| text.contains('.') && !text.contains(' '));
        let mut named: Vec<&str> = named.collect();
        named.sort_unstable();
        let mut heard = HEARD.to_vec();
        heard.sort_unstable();
        assert_eq!(named, heard);
    }
}

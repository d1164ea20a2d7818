//! Receives an event, applies it and writes down what became of it, in one transaction (`docs/rules.md §5`).

use chrono::{DateTime, Utc};

use super::{
    Billing, BillingError, Rules,
    apply::{Applied, apply_snapshot},
    customer::USER_ID,
    event::{
        ChargeObject, CheckoutSessionObject, CustomerObject, DisputeObject, Event, InvoiceObject, InvoicePaymentObject,
        SubscriptionObject,
    },
    payments::{self, Case},
};
use crate::store::{
    Conn, StoreError, users,
    webhook_events::{self, Finished, Outcome, Received},
};

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
        let result = self.store.write(move |conn| process(conn, &rules, &event, &received, now)).await;
        match result {
            Ok(receipt) => Ok(receipt),
            Err(error) => {
                tracing::error!(event = %kept.event_id, kind = %kept.event_type, %error, "an event failed");
                self.record_failure(kept, error.to_string(), now).await;
                Err(error.into())
            }
        }
    }

    /// Best effort: when the database is what failed, this fails too, and Stripe's redelivery is what remains.
    async fn record_failure(&self, received: Received, error: String, now: DateTime<Utc>) {
        let recorded = self
            .store
            .write(move |conn| {
                let (row, outcome) = webhook_events::begin(conn, &received, now)?;
                match outcome {
                    None | Some(Outcome::Failed | Outcome::Unmatched) => {
                        let failed = Applied::new(Outcome::Failed, error);
                        webhook_events::finish(conn, row, &finished(failed), now)
                    }
                    Some(_) => Ok(()),
                }
            })
            .await;
        if let Err(error) = recorded {
            tracing::error!(%error, "the failure of an event could not be recorded");
        }
    }
}

fn process(
    conn: &mut Conn,
    rules: &Rules,
    event: &Event,
    received: &Received,
    now: DateTime<Utc>,
) -> Result<Receipt, StoreError> {
    let (row, before) = webhook_events::begin(conn, received, now)?;
    if !matches!(before, None | Some(Outcome::Failed | Outcome::Unmatched)) {
        return Ok(Receipt::Seen);
    }
    let applied = apply(conn, rules, event, now)?;
    let outcome = applied.outcome;
    webhook_events::finish(conn, row, &finished(applied), now)?;
    Ok(Receipt::Done(outcome))
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
                apply_snapshot(conn, rules, &object, event.created, now)
            }
            None => Ok(Applied::new(Outcome::Ignored, "a subscription without an id")),
        },
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
        _ if event.kind == "checkout.session.completed" => link(conn, rules, event, now),
        _ => Ok(Applied::new(Outcome::Ignored, "nothing to do for this type")),
    }
}

/// A finished checkout tells whose customer it is. What was paid is told by the subscription's own events.
fn link(conn: &mut Conn, rules: &Rules, event: &Event, now: DateTime<Utc>) -> Result<Applied, StoreError> {
    let session = CheckoutSessionObject::from_value(&event.object);
    let Some((customer, public_id)) = session.and_then(|session| {
        let named = session.client_reference_id.or_else(|| session.metadata.get(USER_ID).cloned());
        Some((session.customer?, named?))
    }) else {
        return Ok(Applied::new(Outcome::Ignored, "a checkout that names no customer or no person of ours"));
    };
    let Some(user) = users::by_public_id(conn, &public_id)? else {
        return Ok(Applied::new(Outcome::Ignored, "a checkout of nobody here"));
    };
    if users::by_customer(conn, &customer)?.is_some_and(|other| other.id != user.id) {
        return Ok(Applied::new(Outcome::Ignored, "conflict: the customer of one person, the checkout of another"));
    }
    users::lock(conn, user.id)?;
    let kept = users::keep_customer(conn, user.id, &customer, now)?;
    if kept == customer {
        apply_waiting(conn, rules, &customer, now)?;
    }
    Ok(Applied { outcome: Outcome::Applied, detail: None, user_id: Some(user.id), change: None })
}

/// Applies the events that came before anybody knew whose customer it is.
///
/// # Errors
/// The database failed.
pub(super) fn apply_waiting(
    conn: &mut Conn,
    rules: &Rules,
    customer: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    for payload in webhook_events::unmatched(conn, customer)? {
        let Ok(event) = Event::parse(payload.as_bytes()) else { continue };
        process(conn, rules, &event, &received(&event, payload), now)?;
    }
    Ok(())
}

/// Applies the events that came before anything was known of the payment that they are about.
///
/// # Errors
/// The database failed.
pub(super) fn apply_waiting_for_payment(
    conn: &mut Conn,
    rules: &Rules,
    payment: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    for payload in webhook_events::waiting_for_payment(conn, payment)? {
        let Ok(event) = Event::parse(payload.as_bytes()) else { continue };
        process(conn, rules, &event, &received(&event, payload), now)?;
    }
    Ok(())
}

fn received(event: &Event, payload: String) -> Received {
    let (subscription, customer) = about(event);
    Received {
        event_id: event.id.clone(),
        event_type: event.kind.clone(),
        api_version: event.api_version.clone(),
        livemode: event.livemode,
        created_at: event.created,
        provider_subscription_id: subscription,
        provider_customer_id: customer,
        provider_payment_id: payment(event),
        payload,
    }
}

/// The subscription and the customer that an event is about, as far as it says.
fn about(event: &Event) -> (Option<String>, Option<String>) {
    let object = &event.object;
    let kind = event.kind.as_str();
    if kind.starts_with("customer.subscription.") {
        SubscriptionObject::from_value(object).map_or((None, None), |one| (Some(one.id), one.customer))
    } else if kind.starts_with("invoice.") {
        InvoiceObject::from_value(object).map_or((None, None), |one| (one.subscription, one.customer))
    } else if kind.starts_with("checkout.session.") {
        CheckoutSessionObject::from_value(object).map_or((None, None), |one| (one.subscription, one.customer))
    } else if kind.starts_with("customer.") {
        (None, CustomerObject::from_value(object).map(|one| one.id))
    } else {
        (None, None)
    }
}

/// The id by which an event waits for its payment: that of the payment intent, as far as it says one.
fn payment(event: &Event) -> Option<String> {
    let (object, kind) = (&event.object, event.kind.as_str());
    if kind.starts_with("charge.dispute.") {
        DisputeObject::from_value(object).and_then(|one| one.payment_intent.or(one.charge))
    } else if kind.starts_with("charge.") {
        ChargeObject::from_value(object).map(|one| one.payment_intent.unwrap_or(one.id))
    } else if kind.starts_with("checkout.session.") {
        CheckoutSessionObject::from_value(object).and_then(|one| one.payment_intent)
    } else if kind.starts_with("invoice_payment.") {
        // It is what tells the intent: it waits for the invoice.
        InvoicePaymentObject::from_value(object).and_then(|one| one.invoice)
    } else if kind.starts_with("invoice.") {
        InvoiceObject::from_value(object).map(|one| one.id)
    } else {
        None
    }
}

fn finished(applied: Applied) -> Finished {
    Finished { outcome: applied.outcome, detail: applied.detail, user_id: applied.user_id, change: applied.change }
}

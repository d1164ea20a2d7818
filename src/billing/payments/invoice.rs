//! Invoices of subscriptions. They never change access: that is told by the subscription's own events.

use super::{
    Case, amount,
    ledger::note,
    owner::{Owner, owner},
};
use crate::{
    billing::{apply::Applied, customer::USER_ID, event::InvoiceObject},
    domain::{
        notice::Notice,
        payment::{News, PaymentIds, PaymentStatus, Purchase, Purpose, Receipt},
    },
    store::{Conn, StoreError, mails, payments, recurring, users, webhook_events::Outcome},
};

/// Applies what an invoice tells: paid, failed, or waiting for the person.
///
/// # Errors
/// The database failed.
pub(in crate::billing) fn invoice(conn: &mut Conn, case: Case<'_>) -> Result<Applied, StoreError> {
    let Some(invoice) = InvoiceObject::from_value(&case.event.object) else {
        return Ok(Applied::new(Outcome::Ignored, "an invoice without an id"));
    };
    let Some(subscription) = &invoice.subscription else {
        return Ok(Applied::new(Outcome::Ignored, "an invoice without a subscription"));
    };
    let row = recurring::by_provider_id(conn, subscription)?;
    if row.is_none() && is_for_something_else(case, &invoice) {
        return Ok(Applied::new(Outcome::Ignored, "an invoice without a price of ours"));
    }
    let named = invoice.subscription_metadata.get(USER_ID).map(String::as_str);
    let subscriber = row.as_ref().map(|row| row.user_id);
    let user = match owner(conn, named, subscriber, invoice.customer.as_deref())? {
        Owner::Known(user) => user,
        Owner::Unknown => return Ok(Applied::new(Outcome::Unmatched, "an invoice of nobody who is known here")),
        Owner::Conflict => {
            tracing::error!(event = %case.event.id, "refused an invoice that names two people");
            return Ok(Applied::new(Outcome::Ignored, "conflict: the customer of one person, the invoice of another"));
        }
    };
    users::lock(conn, user.id)?;
    let (status, sum) = match case.event.kind.as_str() {
        "invoice.paid" => (PaymentStatus::Paid, invoice.amount_paid),
        "invoice.payment_failed" => (PaymentStatus::Failed, invoice.amount_due),
        _ => (PaymentStatus::Pending, invoice.amount_due),
    };
    let sum = sum.unwrap_or(0).max(0);
    let ids = PaymentIds {
        invoice: Some(invoice.id.clone()),
        intent: invoice.payment_intent.clone(),
        ..PaymentIds::default()
    };
    if sum == 0 && payments::with_any_of(conn, &ids)?.is_empty() {
        return Ok(Applied::new(Outcome::Ignored, "nothing was to be paid").of(user.id));
    }
    let plan = plan(case, &invoice).or_else(|| row.and_then(|row| row.facts.plan));
    let purchase = Purchase {
        purpose: Purpose::Subscription,
        subscription: Some(subscription.clone()),
        plan: plan.clone(),
        months: None,
        status,
        amount: sum,
        currency: invoice.currency,
        happened_at: invoice.paid_at.filter(|_| status == PaymentStatus::Paid).unwrap_or(case.event.created),
    };
    let receipt = invoice.hosted_url.clone().map(Receipt::Invoice);
    let noted = note(conn, case, user.id, News { ids, purchase: Some(purchase), receipt, ..News::default() })?;
    let is_open = noted.payment.is_some_and(|payment| payment.status != PaymentStatus::Paid);
    if is_open && should_be_told(case.event.kind.as_str(), &invoice) {
        let notice = Notice::PaymentFailed {
            plan,
            amount: amount(sum, invoice.currency),
            next_attempt: invoice.next_payment_attempt,
        };
        mails::queue(conn, user.id, &format!("payment_failed:{}", invoice.id), &notice, case.now)?;
    }
    Ok(noted.applied)
}

/// Whoever is just subscribing sees on the page that the bank wants a confirmation.
fn should_be_told(kind: &str, invoice: &InvoiceObject) -> bool {
    kind == "invoice.payment_failed" || invoice.billing_reason.as_deref() != Some("subscription_create")
}

/// Whether all its prices are known and none of them is ours.
fn is_for_something_else(case: Case<'_>, invoice: &InvoiceObject) -> bool {
    let mut prices = invoice.lines.iter().filter_map(|line| line.price.as_deref()).peekable();
    prices.peek().is_some() && prices.all(|price| case.rules.plans.by_price(price).is_none())
}

/// The plan of the line that costs the most: a change of plans has a line for each.
fn plan(case: Case<'_>, invoice: &InvoiceObject) -> Option<String> {
    let ours =
        invoice.lines.iter().filter_map(|line| Some((line.amount, case.rules.plans.by_price(line.price.as_deref()?)?)));
    ours.max_by_key(|(amount, _)| *amount).map(|(_, plan)| plan.key.clone())
}

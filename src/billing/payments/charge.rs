//! Charges, refunds and disputes: what happens to money of which we know already what it was for. What is not known yet
//! waits in the journal, a stranger's for ever.

use super::{
    Case, amount,
    ledger::{Noted, note},
    waits_for,
};
use crate::{
    billing::{
        apply::Applied,
        event::{ChargeObject, DisputeObject, InvoicePaymentObject},
    },
    domain::{
        notice::Notice,
        payment::{News, PaymentIds, Receipt},
    },
    store::{Conn, StoreError, mails, payments, users, webhook_events::Outcome},
};

/// Applies what a charge tells: its receipt, and what of it went back.
///
/// # Errors
/// The database failed.
pub(in crate::billing) fn charge(conn: &mut Conn, case: Case<'_>) -> Result<Applied, StoreError> {
    let Some(charge) = ChargeObject::from_value(&case.event.object) else {
        return Ok(Applied::new(Outcome::Ignored, "a charge without an id"));
    };
    let refunded = charge.amount_refunded.unwrap_or(0).max(0);
    let in_full = charge.refunded || charge.amount.is_some_and(|amount| 0 < amount && amount <= refunded);
    let news = News {
        ids: PaymentIds {
            intent: charge.payment_intent,
            charge: Some(charge.id.clone()),
            invoice: charge.invoice,
            session: None,
        },
        receipt: charge.receipt_url.map(Receipt::Charge),
        amount_refunded: refunded,
        reversed: in_full,
        ..News::default()
    };
    let noted = note_if_known(conn, case, news)?;
    if let (Some(user_id), Some(payment)) = (noted.applied.user_id, noted.payment)
        && refunded > 0
        && payment.amount_refunded == refunded
    {
        let amount = amount(refunded, charge.currency.or(payment.currency));
        let notice = Notice::Refunded { plan: payment.plan, amount, in_full };
        mails::queue(conn, user_id, &format!("refund:{}:{refunded}", charge.id), &notice, case.now)?;
    }
    Ok(noted.applied)
}

/// Applies what a dispute tells. Only one that is lost takes something back, and only as far as it went.
///
/// # Errors
/// The database failed.
pub(in crate::billing) fn dispute(conn: &mut Conn, case: Case<'_>) -> Result<Applied, StoreError> {
    let Some(dispute) = DisputeObject::from_value(&case.event.object) else {
        return Ok(Applied::new(Outcome::Ignored, "a dispute without an id"));
    };
    let is_lost = dispute.status.as_deref() == Some("lost");
    let lost = dispute.amount.filter(|_| is_lost);
    let news = News {
        ids: PaymentIds { intent: dispute.payment_intent, charge: dispute.charge, ..PaymentIds::default() },
        // A dispute that does not say how much is about all of it.
        reversed: is_lost && lost.is_none(),
        amount_lost: lost.unwrap_or(0).max(0),
        dispute: dispute.status,
        ..News::default()
    };
    let noted = note_if_known(conn, case, news)?;
    if let (Some(user_id), Some(payment), true) = (noted.applied.user_id, noted.payment, is_lost) {
        let in_full = payment.taken_back_at.is_some();
        let amount = amount(lost.unwrap_or(payment.amount), dispute.currency.or(payment.currency));
        let notice = Notice::DisputeLost { plan: payment.plan, amount, in_full };
        mails::queue(conn, user_id, &format!("dispute_lost:{}", dispute.id), &notice, case.now)?;
    }
    Ok(noted.applied)
}

/// Learns which payment paid an invoice, so that what is told of the payment finds the invoice.
///
/// # Errors
/// The database failed.
pub(in crate::billing) fn invoice_payment(conn: &mut Conn, case: Case<'_>) -> Result<Applied, StoreError> {
    let Some(payment) = InvoicePaymentObject::from_value(&case.event.object) else {
        return Ok(Applied::new(Outcome::Ignored, "an invoice's payment without an id"));
    };
    let ids =
        PaymentIds { invoice: payment.invoice, intent: payment.payment_intent, charge: payment.charge, session: None };
    Ok(note_if_known(conn, case, News { ids, ..News::default() })?.applied)
}

fn note_if_known(conn: &mut Conn, case: Case<'_>, news: News) -> Result<Noted, StoreError> {
    let Some(waits_for) = waits_for(case.event) else { return Ok(Noted::nameless()) };
    let Some(user_id) = payments::payer(conn, &news.ids, &waits_for)? else { return Ok(Noted::too_early()) };
    users::lock(conn, user_id)?;
    note(conn, case, user_id, news)
}

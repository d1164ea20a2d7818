//! Checkout sessions in mode `payment`: months, paid once.

use super::{
    Case, amount,
    ledger::note,
    owner::{Owner, owner},
};
use crate::{
    billing::{apply::Applied, customer::USER_ID, event::CheckoutSessionObject, link},
    domain::{
        notice::Notice,
        payment::{News, PaymentIds, PaymentStatus, Purchase, Purpose},
        plan::PlanKind,
    },
    store::{Conn, StoreError, mails, users, webhook_events::Outcome},
};

/// The names under which a session's metadata says what is bought.
const PLAN: &str = "plan";
const MONTHS: &str = "months";

/// Applies what a session tells: paid, to be paid by a slow method, failed in the end.
///
/// # Errors
/// The database failed.
pub(in crate::billing) fn session(
    conn: &mut Conn,
    case: Case<'_>,
    session: &CheckoutSessionObject,
) -> Result<Applied, StoreError> {
    let Some(status) = status(case.event.kind.as_str(), session) else {
        return Ok(Applied::new(Outcome::Ignored, "a checkout that ended without a payment"));
    };
    let Some((plan, months)) = bought(case, session) else {
        return Ok(Applied::new(Outcome::Ignored, "a single payment for nothing that is sold here"));
    };
    let named = [session.metadata.get(USER_ID).map(String::as_str), session.client_reference_id.as_deref()];
    let user = match owner(conn, named.into_iter().flatten(), None, session.customer.as_deref())? {
        Owner::Known(user) => user,
        Owner::Unknown => return Ok(Applied::new(Outcome::Unmatched, "a checkout of nobody who is known here")),
        Owner::Conflict => {
            tracing::error!(event = %case.event.id, "refused a payment that names two people");
            return Ok(Applied::new(Outcome::Ignored, "conflict: the customer of one person, the checkout of another"));
        }
    };
    users::lock(conn, user.id)?;
    let news = News {
        ids: PaymentIds {
            session: Some(session.id.clone()),
            intent: session.payment_intent.clone(),
            ..PaymentIds::default()
        },
        purchase: Some(Purchase {
            purpose: Purpose::Prepaid,
            subscription: None,
            plan: Some(plan.clone()),
            months: Some(months),
            status,
            amount: session.amount_total.unwrap_or(0).max(0),
            currency: session.currency,
            happened_at: case.event.created,
        }),
        ..News::default()
    };
    let noted = note(conn, case, user.id, news)?;
    if status == PaymentStatus::Failed && noted.payment.is_some_and(|payment| payment.status == status) {
        let amount = session.amount_total.and_then(|minor| amount(minor, session.currency));
        let notice = Notice::PaymentFailed { plan: Some(plan), amount, next_attempt: None };
        mails::queue(conn, user.id, &format!("payment_failed:{}", session.id), &notice, case.now)?;
    }
    // Whoever is linked already has nothing that waits for it; looking again would find this very event.
    if user.stripe_customer_id.is_none() {
        link::checkout(conn, case.rules, case.event, case.now)?;
    }
    Ok(noted.applied)
}

/// How far the payment came; nothing when there was none.
fn status(kind: &str, session: &CheckoutSessionObject) -> Option<PaymentStatus> {
    match kind {
        "checkout.session.completed" if session.is_paid() => Some(PaymentStatus::Paid),
        "checkout.session.completed" => Some(PaymentStatus::Pending),
        "checkout.session.async_payment_succeeded" => Some(PaymentStatus::Paid),
        "checkout.session.async_payment_failed" => Some(PaymentStatus::Failed),
        _ => None,
    }
}

/// The plan and the months that we noted on the session when we made it. A plan that was changed since is honoured as it
/// was sold.
fn bought(case: Case<'_>, session: &CheckoutSessionObject) -> Option<(String, u32)> {
    let plan = session.metadata.get(PLAN)?;
    let noted =
        session.metadata.get(MONTHS).and_then(|months| months.parse().ok()).filter(|months| (1..=120).contains(months));
    let of_plan = || match case.rules.plans.by_key(plan)?.kind {
        PlanKind::Prepaid { months } => Some(months),
        PlanKind::Recurring => None,
    };
    Some((plan.clone(), noted.or_else(of_plan)?))
}

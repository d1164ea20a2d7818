//! Writes news into a payment's row, with all that follows from them.

use serde::Serialize;

use super::Case;
use crate::{
    billing::apply::{Appeared, Applied, Change},
    domain::{
        payment::{News, Payment, Purpose},
        prepaid,
        subscription::{Kind, Period, Status, Subscription},
    },
    store::{Conn, StoreError, payments, prepaid as months, subscriptions, turns, webhook_events::Outcome},
};

/// What became of some news.
pub(super) struct Noted {
    /// For the journal.
    pub(super) applied: Applied,
    /// The payment with these news; nothing when it was refused or is not known yet.
    pub(super) payment: Option<Payment>,
}

impl Noted {
    fn without_payment(outcome: Outcome, detail: &str, user_id: Option<i64>) -> Self {
        let applied = Applied { user_id, ..Applied::new(outcome, detail) };
        Self { applied, payment: None }
    }

    /// These news name no payment at all.
    pub(super) fn nameless() -> Self {
        Self::without_payment(Outcome::Ignored, "it names no payment", None)
    }

    /// Nothing is known yet of the payment that these news are about.
    pub(super) fn too_early() -> Self {
        Self::without_payment(Outcome::Unmatched, "nothing is known yet of what this payment was for", None)
    }
}

/// Writes news about a payment of this person, who is locked.
pub(super) fn note(conn: &mut Conn, case: Case<'_>, user_id: i64, mut news: News) -> Result<Noted, StoreError> {
    let mut known = payments::with_any_of(conn, &news.ids)?.into_iter();
    let before = known.next();
    known.for_each(|other| news.ids.leave(&other.payment.ids));
    if before.as_ref().is_some_and(|stored| stored.user_id != user_id) {
        tracing::error!(event = %case.event.id, "refused a payment that is kept for somebody else");
        let detail = "conflict: the payment is kept for somebody else";
        return Ok(Noted::without_payment(Outcome::Ignored, detail, Some(user_id)));
    }
    let started =
        before.as_ref().map(|stored| stored.payment.clone()).or_else(|| news.purchase.as_ref().map(Payment::new));
    let Some(mut payment) = started else { return Ok(Noted::too_early()) };
    payment.learn(&news, case.now);
    let old = before.as_ref().map(|stored| &stored.payment);
    if let Some(stored) = before.as_ref().filter(|stored| says_the_same(&stored.payment, &payment)) {
        if stored.payment != payment {
            payments::update(conn, stored.id, &payment, case.now)?;
        }
        let applied = Applied::new(Outcome::Stale, "nothing new").of(user_id);
        return Ok(Noted { applied, payment: Some(payment) });
    }
    let new_ids = new_ids(old, &payment);
    turns::take(conn, new_ids.iter().map(String::as_str))?;
    let had = prepaid_period(conn, user_id, &payment)?;
    give(conn, case, user_id, &mut payment)?;
    take_back(conn, case, user_id, old, &payment)?;
    match &before {
        Some(stored) => payments::update(conn, stored.id, &payment, case.now)?,
        None => payments::insert(conn, user_id, &payment, case.now)?,
    }
    let has = prepaid_period(conn, user_id, &payment)?;
    let change = Change { before: old.map(|old| State::of(old, had)), after: State::of(&payment, has) };
    let applied = Applied {
        user_id: Some(user_id),
        change: change.json(),
        appeared: Some(Appeared::Payment(new_ids)),
        ..Applied::silent(Outcome::Applied)
    };
    Ok(Noted { applied, payment: Some(payment) })
}

/// That something failed before it was paid is kept for the figures, and is no news of the payment.
fn says_the_same(old: &Payment, new: &Payment) -> bool {
    *old == Payment { failed_at: old.failed_at, ..new.clone() }
}

/// Adds the months of a prepaid payment, once it is paid, to the end of what the person has.
fn give(conn: &mut Conn, case: Case<'_>, user_id: i64, payment: &mut Payment) -> Result<(), StoreError> {
    let Some(count) = payment.months_to_give() else { return Ok(()) };
    let policy = &case.rules.policy;
    let all = subscriptions::of_user(conn, user_id)?;
    let latest_end = all.iter().filter_map(|one| one.access_end(policy)).max();
    let Some(span) = prepaid::span(case.now, latest_end, count) else { return Ok(()) };
    let running = all.iter().find(|one| one.kind == Kind::Prepaid && one.gives_access(policy, case.now));
    let period = prepaid::extended(running.and_then(|one| one.period), span);
    payment.added = Some(span);
    months::extend(conn, user_id, payment.plan.as_deref(), period, case.now)
}

/// Takes back, once, what a payment added whose money has gone back.
fn take_back(
    conn: &mut Conn,
    case: Case<'_>,
    user_id: i64,
    before: Option<&Payment>,
    payment: &Payment,
) -> Result<(), StoreError> {
    let Some(span) = payment.span_to_take_back() else { return Ok(()) };
    if before.is_some_and(|before| before.span_to_take_back().is_some()) {
        return Ok(());
    }
    let Some((period, status)) = prepaid_of(conn, user_id)?.and_then(|one| Some((one.period?, one.status))) else {
        return Ok(());
    };
    let left = prepaid::taken_back(period, span, case.now);
    let status = if prepaid::is_used_up(left, case.now) { Status::Expired } else { status };
    months::shorten(conn, user_id, left.end, status, case.now)
}

fn new_ids(before: Option<&Payment>, payment: &Payment) -> Vec<String> {
    let known: Vec<&str> = before.iter().flat_map(|before| before.ids.known()).collect();
    payment.ids.known().filter(|id| !known.contains(id)).map(str::to_owned).collect()
}

/// For the journal; the payment of an invoice changes nothing of it.
fn prepaid_period(conn: &mut Conn, user_id: i64, payment: &Payment) -> Result<Option<Period>, StoreError> {
    match payment.purpose {
        Purpose::Prepaid => Ok(prepaid_of(conn, user_id)?.and_then(|one| one.period)),
        Purpose::Subscription => Ok(None),
    }
}

fn prepaid_of(conn: &mut Conn, user_id: i64) -> Result<Option<Subscription>, StoreError> {
    Ok(subscriptions::of_user(conn, user_id)?.into_iter().find(|one| one.kind == Kind::Prepaid))
}

/// What the journal shows of a payment.
#[derive(Serialize)]
struct State<'a> {
    status: &'static str,
    amount: i64,
    currency: Option<&'a str>,
    amount_refunded: i64,
    dispute: Option<&'a str>,
    added: Option<Period>,
    taken_back_at: Option<chrono::DateTime<chrono::Utc>>,
    prepaid: Option<Period>,
}

impl<'a> State<'a> {
    fn of(payment: &'a Payment, prepaid: Option<Period>) -> Self {
        Self {
            status: payment.status.as_str(),
            amount: payment.amount,
            currency: payment.currency.as_ref().map(crate::domain::money::Currency::as_str),
            amount_refunded: payment.amount_refunded,
            dispute: payment.dispute.as_deref(),
            added: payment.added,
            taken_back_at: payment.taken_back_at,
            prepaid,
        }
    }
}

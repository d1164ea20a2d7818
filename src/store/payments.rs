//! Money that moved, or was to move: one row for each invoice, and for each single payment.

use chrono::{DateTime, Utc};
use diesel::{prelude::*, result::Error::RollbackTransaction};

use super::{
    Conn, StoreError,
    schema::payments,
    subscriptions::period,
    turns,
    types::{Instant, Word},
};
use crate::domain::{
    money::Currency,
    payment::{Payment, PaymentIds, PaymentStatus, Purpose},
};

/// A payment that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its row.
    pub id: i64,
    /// Who pays.
    pub user_id: i64,
    /// What is known of it.
    pub payment: Payment,
}

/// The columns of [`Payment`].
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = payments, treat_none_as_null = true)]
struct PaymentRow {
    purpose: Word<Purpose>,
    status: Word<PaymentStatus>,
    happened_at: Instant,
    provider_payment_id: Option<String>,
    provider_invoice_id: Option<String>,
    provider_session_id: Option<String>,
    provider_charge_id: Option<String>,
    provider_subscription_id: Option<String>,
    plan: Option<String>,
    months: Option<i64>,
    amount: i64,
    amount_refunded: i64,
    amount_lost: i64,
    currency: Option<String>,
    receipt_url: Option<String>,
    dispute: Option<String>,
    added_from: Option<Instant>,
    added_until: Option<Instant>,
    taken_back_at: Option<Instant>,
    failed_at: Option<Instant>,
}

impl From<&Payment> for PaymentRow {
    fn from(payment: &Payment) -> Self {
        let payment = payment.clone();
        Self {
            purpose: Word(payment.purpose),
            status: Word(payment.status),
            happened_at: payment.happened_at.into(),
            provider_payment_id: payment.ids.intent,
            provider_invoice_id: payment.ids.invoice,
            provider_session_id: payment.ids.session,
            provider_charge_id: payment.ids.charge,
            provider_subscription_id: payment.subscription,
            plan: payment.plan,
            months: payment.months.map(i64::from),
            amount: payment.amount,
            amount_refunded: payment.amount_refunded,
            amount_lost: payment.amount_lost,
            currency: payment.currency.map(|currency| currency.as_str().to_owned()),
            receipt_url: payment.receipt_url,
            dispute: payment.dispute,
            added_from: payment.added.map(|span| span.start.into()),
            added_until: payment.added.map(|span| span.end.into()),
            taken_back_at: payment.taken_back_at.map(Into::into),
            failed_at: payment.failed_at.map(Into::into),
        }
    }
}

impl From<PaymentRow> for Payment {
    fn from(row: PaymentRow) -> Self {
        Self {
            purpose: row.purpose.0,
            ids: PaymentIds {
                intent: row.provider_payment_id,
                invoice: row.provider_invoice_id,
                session: row.provider_session_id,
                charge: row.provider_charge_id,
            },
            subscription: row.provider_subscription_id,
            plan: row.plan,
            months: row.months.and_then(|months| u32::try_from(months).ok()),
            status: row.status.0,
            amount: row.amount,
            currency: row.currency.as_deref().and_then(Currency::parse),
            happened_at: row.happened_at.into(),
            receipt_url: row.receipt_url,
            amount_refunded: row.amount_refunded,
            amount_lost: row.amount_lost,
            dispute: row.dispute,
            added: period(row.added_from, row.added_until),
            failed_at: row.failed_at.map(Into::into),
            taken_back_at: row.taken_back_at.map(Into::into),
        }
    }
}

/// Whether the payment of a checkout session is known to be paid.
///
/// # Errors
/// The query failed.
pub fn is_paid_session(conn: &mut Conn, session: &str) -> Result<bool, StoreError> {
    let paid = payments::table
        .filter(payments::provider_session_id.eq(session).and(payments::status.eq(Word(PaymentStatus::Paid))));
    Ok(diesel::select(diesel::dsl::exists(paid)).get_result(conn)?)
}

/// The payments that have one of these ids: one, or none; more only when Stripe's ids contradict each other.
///
/// # Errors
/// The query failed.
pub fn with_any_of(conn: &mut Conn, ids: &PaymentIds) -> Result<Vec<Stored>, StoreError> {
    let rows: Vec<(i64, i64, PaymentRow)> = payments::table
        .filter(
            (payments::provider_session_id.eq(ids.session.as_deref()))
                .or(payments::provider_invoice_id.eq(ids.invoice.as_deref()))
                .or(payments::provider_payment_id.eq(ids.intent.as_deref()))
                .or(payments::provider_charge_id.eq(ids.charge.as_deref())),
        )
        .order(payments::id)
        .select((payments::id, payments::user_id, PaymentRow::as_select()))
        .load(conn)?;
    Ok(rows.into_iter().map(|(id, user_id, row)| Stored { id, user_id, payment: row.into() }).collect())
}

/// Whose payment these ids name. The answer "nobody's" holds until the end of the transaction: whoever is about to give a
/// payment the id `waits_for` waits for that, and then finds what this transaction left to wait ([`turns`]).
///
/// # Errors
/// The query failed.
pub fn payer(conn: &mut Conn, ids: &PaymentIds, waits_for: &str) -> Result<Option<i64>, StoreError> {
    let look = |conn: &mut Conn| Ok::<_, StoreError>(with_any_of(conn, ids)?.first().map(|stored| stored.user_id));
    if let Some(user) = look(conn)? {
        return Ok(Some(user));
    }
    let mut found = None;
    let nobody = conn.transaction(|conn| {
        turns::take(conn, [waits_for])?;
        found = look(conn)?;
        // Going back gives the turn away: who has one must wait for nothing else, least of all for a person's row.
        if found.is_some() { Err(RollbackTransaction.into()) } else { Ok(()) }
    });
    match nobody {
        Err(StoreError::Query(RollbackTransaction)) => Ok(found),
        result => result.map(|()| None),
    }
}

/// Keeps a new payment.
///
/// # Errors
/// The query failed, or one of its ids belongs to another payment.
pub fn insert(conn: &mut Conn, user_id: i64, payment: &Payment, now: DateTime<Utc>) -> Result<(), StoreError> {
    let now = Instant::from(now);
    diesel::insert_into(payments::table)
        .values((
            PaymentRow::from(payment),
            payments::user_id.eq(user_id),
            payments::created_at.eq(now),
            payments::updated_at.eq(now),
        ))
        .execute(conn)?;
    Ok(())
}

/// Replaces what is known of a payment.
///
/// # Errors
/// As [`insert`].
pub fn update(conn: &mut Conn, id: i64, payment: &Payment, now: DateTime<Utc>) -> Result<(), StoreError> {
    diesel::update(payments::table.filter(payments::id.eq(id)))
        .set((PaymentRow::from(payment), payments::updated_at.eq(Instant::from(now))))
        .execute(conn)?;
    Ok(())
}

/// A person's payments, newest first, at most `limit`.
///
/// # Errors
/// The query failed.
pub fn of_user(conn: &mut Conn, user_id: i64, limit: i64) -> Result<Vec<Payment>, StoreError> {
    let rows: Vec<PaymentRow> = payments::table
        .filter(payments::user_id.eq(user_id))
        .order((payments::happened_at.desc(), payments::id.desc()))
        .limit(limit)
        .select(PaymentRow::as_select())
        .load(conn)?;
    Ok(rows.into_iter().map(Payment::from).collect())
}

/// A person's payment through a checkout session.
///
/// # Errors
/// The query failed.
pub fn of_session(conn: &mut Conn, user_id: i64, session: &str) -> Result<Option<Payment>, StoreError> {
    let row = payments::table
        .filter(payments::provider_session_id.eq(session).and(payments::user_id.eq(user_id)))
        .select(PaymentRow::as_select())
        .get_result(conn)
        .optional()?;
    Ok(row.map(Payment::from))
}

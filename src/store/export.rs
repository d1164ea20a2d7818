//! Everything that is kept about one person, for that person: no hashes, no keys, nothing that opens anything.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use serde::Serialize;
use serde_json::Value;

use super::{
    Conn, StoreError,
    schema::{mails, payments, recovery_codes, sessions, subscriptions, tokens, users, webhook_events},
    types::Instant,
};

/// What is kept, table by table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Export {
    /// The person.
    pub account: Account,
    /// Sources of access, the oldest first.
    pub subscriptions: Vec<Subscription>,
    /// Payments, the oldest first.
    pub payments: Vec<Payment>,
    /// Where the person is signed in.
    pub sessions: Vec<Session>,
    /// Mails that were sent or wait.
    pub mails: Vec<Mail>,
    /// Stripe's messages about the person.
    pub events: Vec<Event>,
    /// Links that were mailed and still work.
    pub open_links: Vec<OpenLink>,
    /// How many recovery codes are left.
    pub recovery_codes_left: i64,
}

/// `users`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    id: String,
    email: String,
    email_confirmed_at: Option<DateTime<Utc>>,
    email_pending: Option<String>,
    title: Option<String>,
    first_name: String,
    last_name: String,
    phone: Option<String>,
    time_zone: String,
    language: String,
    role: String,
    stripe_customer_id: Option<String>,
    second_factor_since: Option<DateTime<Utc>>,
    terms_accepted_at: DateTime<Utc>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

/// `subscriptions`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Subscription {
    kind: String,
    status: String,
    plan: Option<String>,
    stripe_id: Option<String>,
    stripe_status: Option<String>,
    current_period_start: Option<DateTime<Utc>>,
    current_period_end: Option<DateTime<Utc>>,
    cancel_at_period_end: bool,
    cancel_at: Option<DateTime<Utc>>,
    ended_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
}

/// `payments`. Amounts are in the currency's smallest unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Payment {
    purpose: String,
    status: String,
    happened_at: DateTime<Utc>,
    plan: Option<String>,
    months: Option<i64>,
    amount: i64,
    amount_refunded: i64,
    amount_lost: i64,
    currency: Option<String>,
    receipt_url: Option<String>,
    dispute: Option<String>,
    stripe_payment_id: Option<String>,
    stripe_invoice_id: Option<String>,
}

/// `sessions`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Session {
    id: String,
    browser: String,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
}

/// `mails`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mail {
    about: Option<Value>,
    recipient: Option<String>,
    queued_at: DateTime<Utc>,
    sent_at: Option<DateTime<Utc>>,
}

/// `webhook_events`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    stripe_id: String,
    kind: String,
    created_at: DateTime<Utc>,
    received_at: DateTime<Utc>,
    outcome: String,
    change: Option<Value>,
    payload: Option<Value>,
}

/// `tokens`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenLink {
    purpose: String,
    email: Option<String>,
    expires_at: DateTime<Utc>,
}

/// Everything about this person; nothing when there is no such account.
///
/// # Errors
/// The query failed.
pub fn of_user(conn: &mut Conn, id: i64) -> Result<Option<Export>, StoreError> {
    let Some(account) = account(conn, id)? else { return Ok(None) };
    let customer = account.stripe_customer_id.clone();
    Ok(Some(Export {
        account,
        subscriptions: subscriptions_of(conn, id)?,
        payments: payments_of(conn, id)?,
        sessions: sessions_of(conn, id)?,
        mails: mails_of(conn, id)?,
        events: events_of(conn, id, customer.as_deref())?,
        open_links: links_of(conn, id)?,
        recovery_codes_left: recovery_codes::table.filter(recovery_codes::user_id.eq(id)).count().get_result(conn)?,
    }))
}

fn at(instant: Option<Instant>) -> Option<DateTime<Utc>> {
    instant.map(Into::into)
}

fn json(text: Option<String>) -> Option<Value> {
    text.and_then(|text| serde_json::from_str(&text).ok())
}

fn account(conn: &mut Conn, id: i64) -> Result<Option<Account>, StoreError> {
    type Person = (String, String, Option<Instant>, Option<String>, Option<String>, String, String, Option<String>);
    type Rest = (String, String, String, Option<String>, Option<Instant>, Instant, Instant, Instant);
    let row: Option<(Person, Rest)> = users::table
        .filter(users::id.eq(id))
        .select((
            (
                users::public_id,
                users::email,
                users::email_confirmed_at,
                users::email_pending,
                users::title,
                users::first_name,
                users::last_name,
                users::phone,
            ),
            (
                users::time_zone,
                users::language,
                users::role,
                users::stripe_customer_id,
                users::second_factor_at,
                users::terms_accepted_at,
                users::created_at,
                users::updated_at,
            ),
        ))
        .get_result(conn)
        .optional()?;
    Ok(row.map(|(person, rest)| Account {
        id: person.0,
        email: person.1,
        email_confirmed_at: at(person.2),
        email_pending: person.3,
        title: person.4,
        first_name: person.5,
        last_name: person.6,
        phone: person.7,
        time_zone: rest.0,
        language: rest.1,
        role: rest.2,
        stripe_customer_id: rest.3,
        second_factor_since: at(rest.4),
        terms_accepted_at: rest.5.into(),
        created_at: rest.6.into(),
        updated_at: rest.7.into(),
    }))
}

fn subscriptions_of(conn: &mut Conn, id: i64) -> Result<Vec<Subscription>, StoreError> {
    type Words = (String, String, Option<String>, Option<String>, Option<String>);
    type Times = (Option<Instant>, Option<Instant>, bool, Option<Instant>, Option<Instant>, Instant);
    let rows: Vec<(Words, Times)> = subscriptions::table
        .filter(subscriptions::user_id.eq(id))
        .order(subscriptions::id)
        .select((
            (
                subscriptions::kind,
                subscriptions::status,
                subscriptions::plan,
                subscriptions::provider_id,
                subscriptions::provider_status,
            ),
            (
                subscriptions::current_period_start,
                subscriptions::current_period_end,
                subscriptions::cancel_at_period_end,
                subscriptions::cancel_at,
                subscriptions::ended_at,
                subscriptions::created_at,
            ),
        ))
        .load(conn)?;
    let one = |(words, times): (Words, Times)| Subscription {
        kind: words.0,
        status: words.1,
        plan: words.2,
        stripe_id: words.3,
        stripe_status: words.4,
        current_period_start: at(times.0),
        current_period_end: at(times.1),
        cancel_at_period_end: times.2,
        cancel_at: at(times.3),
        ended_at: at(times.4),
        created_at: times.5.into(),
    };
    Ok(rows.into_iter().map(one).collect())
}

fn payments_of(conn: &mut Conn, id: i64) -> Result<Vec<Payment>, StoreError> {
    type What = (String, String, Instant, Option<String>, Option<i64>, i64, i64, i64);
    type Which = (Option<String>, Option<String>, Option<String>, Option<String>, Option<String>);
    let rows: Vec<(What, Which)> = payments::table
        .filter(payments::user_id.eq(id))
        .order(payments::id)
        .select((
            (
                payments::purpose,
                payments::status,
                payments::happened_at,
                payments::plan,
                payments::months,
                payments::amount,
                payments::amount_refunded,
                payments::amount_lost,
            ),
            (
                payments::currency,
                payments::receipt_url,
                payments::dispute,
                payments::provider_payment_id,
                payments::provider_invoice_id,
            ),
        ))
        .load(conn)?;
    let one = |(what, which): (What, Which)| Payment {
        purpose: what.0,
        status: what.1,
        happened_at: what.2.into(),
        plan: what.3,
        months: what.4,
        amount: what.5,
        amount_refunded: what.6,
        amount_lost: what.7,
        currency: which.0,
        receipt_url: which.1,
        dispute: which.2,
        stripe_payment_id: which.3,
        stripe_invoice_id: which.4,
    };
    Ok(rows.into_iter().map(one).collect())
}

fn sessions_of(conn: &mut Conn, id: i64) -> Result<Vec<Session>, StoreError> {
    let rows: Vec<(String, String, Instant, Instant)> = sessions::table
        .filter(sessions::user_id.eq(id))
        .order(sessions::id)
        .select((sessions::public_id, sessions::user_agent, sessions::created_at, sessions::expires_at))
        .load(conn)?;
    let one = |(id, browser, created_at, expires_at): (_, _, Instant, Instant)| Session {
        id,
        browser,
        created_at: created_at.into(),
        expires_at: expires_at.into(),
    };
    Ok(rows.into_iter().map(one).collect())
}

fn mails_of(conn: &mut Conn, id: i64) -> Result<Vec<Mail>, StoreError> {
    let rows: Vec<(String, Option<String>, Instant, Option<Instant>)> = mails::table
        .filter(mails::user_id.eq(id))
        .order(mails::id)
        .select((mails::notice, mails::recipient, mails::created_at, mails::sent_at))
        .load(conn)?;
    let one = |(notice, recipient, queued_at, sent_at): (String, _, Instant, _)| Mail {
        about: json(Some(notice)),
        recipient,
        queued_at: queued_at.into(),
        sent_at: at(sent_at),
    };
    Ok(rows.into_iter().map(one).collect())
}

fn events_of(conn: &mut Conn, id: i64, customer: Option<&str>) -> Result<Vec<Event>, StoreError> {
    type Row = (String, String, Instant, Instant, String, Option<String>, Option<String>);
    // What came before it was known whose it is.
    let of_customer = webhook_events::provider_customer_id
        .is_not_null()
        .and(webhook_events::provider_customer_id.assume_not_null().eq(customer.unwrap_or_default()));
    let rows: Vec<Row> = webhook_events::table
        .filter(
            webhook_events::user_id.is_not_null().and(webhook_events::user_id.assume_not_null().eq(id)).or(of_customer),
        )
        .order(webhook_events::id)
        .select((
            webhook_events::event_id,
            webhook_events::event_type,
            webhook_events::created_at,
            webhook_events::received_at,
            webhook_events::outcome,
            webhook_events::change,
            webhook_events::payload,
        ))
        .load(conn)?;
    let one = |(stripe_id, kind, created_at, received_at, outcome, change, payload): Row| Event {
        stripe_id,
        kind,
        created_at: created_at.into(),
        received_at: received_at.into(),
        outcome,
        change: json(change),
        payload: json(payload),
    };
    Ok(rows.into_iter().map(one).collect())
}

fn links_of(conn: &mut Conn, id: i64) -> Result<Vec<OpenLink>, StoreError> {
    let rows: Vec<(String, Option<String>, Instant)> = tokens::table
        .filter(tokens::user_id.eq(id))
        .order(tokens::id)
        .select((tokens::purpose, tokens::email, tokens::expires_at))
        .load(conn)?;
    let one =
        |(purpose, email, expires_at): (_, _, Instant)| OpenLink { purpose, email, expires_at: expires_at.into() };
    Ok(rows.into_iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    /// Every table about people is in the export, or here with its reason. A new one can't be forgotten.
    #[test]
    fn every_table_about_people_has_a_place() {
        const LEFT_OUT: &[(&str, &str)] = &[("second_factors", "the secret alone, whose beginning the account tells")];
        let schema = include_str!("schema.rs");
        let tables = schema.split("table! {").skip(1).filter(|table| {
            let body = table.split("\n}").next().unwrap_or_default();
            body.contains("user_id")
        });
        let names: Vec<&str> = tables.filter_map(|table| table.trim_start().split(' ').next()).collect();
        assert!(names.len() >= 8, "this test must learn to read the schema: {names:?}");
        let source = include_str!("export.rs");
        for name in names {
            let exported = source.contains(&format!("/// `{name}`")) || name == "recovery_codes";
            let left_out = LEFT_OUT.iter().any(|(table, _)| *table == name);
            assert!(exported != left_out, "{name} is neither in the export nor left out for a reason");
        }
    }
}

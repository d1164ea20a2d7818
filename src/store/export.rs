//! Everything that is kept about one person, for that person: no hashes, no keys, nothing that opens anything.

use diesel::prelude::*;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{
    Conn, StoreError,
    schema::{
        mails, payments, recovery_codes, sessions, subscription_history, subscriptions, tokens, users, webhook_events,
    },
    types::Instant,
};

/// What is kept, table by table, each with the oldest first. Instants are RFC 3339 UTC.
#[derive(Serialize)]
pub struct Export {
    account: Account,
    subscriptions: Vec<Subscription>,
    subscription_history: Vec<Version>,
    payments: Vec<Payment>,
    sessions: Vec<Session>,
    mails: Vec<Mail>,
    events: Vec<Event>,
    open_links: Vec<OpenLink>,
    recovery_codes_left: i64,
}

/// `users`.
#[derive(Queryable, Selectable, Serialize)]
#[diesel(table_name = users)]
struct Account {
    #[diesel(column_name = public_id)]
    id: String,
    email: String,
    email_confirmed_at: Option<Instant>,
    email_pending: Option<String>,
    title: Option<String>,
    first_name: String,
    last_name: String,
    phone: Option<String>,
    time_zone: String,
    language: String,
    role: String,
    stripe_customer_id: Option<String>,
    #[diesel(column_name = second_factor_at)]
    second_factor_since: Option<Instant>,
    locked_at: Option<Instant>,
    terms_accepted_at: Instant,
    created_at: Instant,
    updated_at: Instant,
}

/// `subscriptions`.
#[derive(Queryable, Selectable, Serialize)]
#[diesel(table_name = subscriptions)]
struct Subscription {
    kind: String,
    status: String,
    plan: Option<String>,
    #[diesel(column_name = provider_id)]
    stripe_id: Option<String>,
    #[diesel(column_name = provider_status)]
    stripe_status: Option<String>,
    current_period_start: Option<Instant>,
    current_period_end: Option<Instant>,
    cancel_at_period_end: bool,
    cancel_at: Option<Instant>,
    ended_at: Option<Instant>,
    created_at: Instant,
}

/// `subscription_history`: what was known of the subscriptions before.
#[derive(Queryable, Selectable, Serialize)]
#[diesel(table_name = subscription_history)]
struct Version {
    known_from: Instant,
    status: String,
    plan: Option<String>,
    #[diesel(column_name = provider_status)]
    stripe_status: Option<String>,
    current_period_start: Option<Instant>,
    current_period_end: Option<Instant>,
    cancel_at_period_end: bool,
    cancel_at: Option<Instant>,
    ended_at: Option<Instant>,
}

/// `payments`. Amounts are in the currency's smallest unit.
#[derive(Queryable, Selectable, Serialize)]
#[diesel(table_name = payments)]
struct Payment {
    purpose: String,
    status: String,
    happened_at: Instant,
    plan: Option<String>,
    months: Option<i64>,
    amount: i64,
    amount_refunded: i64,
    amount_lost: i64,
    failed_at: Option<Instant>,
    currency: Option<String>,
    receipt_url: Option<String>,
    dispute: Option<String>,
    #[diesel(column_name = provider_payment_id)]
    stripe_payment_id: Option<String>,
    #[diesel(column_name = provider_invoice_id)]
    stripe_invoice_id: Option<String>,
}

/// `sessions`.
#[derive(Queryable, Selectable, Serialize)]
#[diesel(table_name = sessions)]
struct Session {
    #[diesel(column_name = public_id)]
    id: String,
    #[diesel(column_name = user_agent)]
    browser: String,
    created_at: Instant,
    expires_at: Instant,
}

/// `mails`.
#[derive(Queryable, Selectable, Serialize)]
#[diesel(table_name = mails)]
struct Mail {
    #[diesel(column_name = notice)]
    #[serde(serialize_with = "as_json")]
    about: String,
    recipient: Option<String>,
    #[diesel(column_name = created_at)]
    queued_at: Instant,
    sent_at: Option<Instant>,
}

/// `webhook_events`.
#[derive(Queryable, Selectable, Serialize)]
#[diesel(table_name = webhook_events)]
struct Event {
    #[diesel(column_name = event_id)]
    stripe_id: String,
    #[diesel(column_name = event_type)]
    kind: String,
    created_at: Instant,
    received_at: Instant,
    outcome: String,
    #[serde(serialize_with = "as_json_or_null")]
    change: Option<String>,
    #[serde(serialize_with = "as_json_or_null")]
    payload: Option<String>,
}

/// `tokens`.
#[derive(Queryable, Selectable, Serialize)]
#[diesel(table_name = tokens)]
struct OpenLink {
    purpose: String,
    email: Option<String>,
    expires_at: Instant,
}

/// Everything about this person; nothing when there is no such account.
///
/// # Errors
/// The query failed.
pub fn of_user(conn: &mut Conn, id: i64) -> Result<Option<Export>, StoreError> {
    let account = users::table.filter(users::id.eq(id)).select(Account::as_select()).get_result(conn).optional()?;
    let Some(account) = account else { return Ok(None) };
    let events = events_of(conn, id, account.stripe_customer_id.as_deref())?;
    Ok(Some(Export {
        account,
        subscriptions: subscriptions::table
            .filter(subscriptions::user_id.eq(id))
            .order(subscriptions::id)
            .select(Subscription::as_select())
            .load(conn)?,
        subscription_history: subscription_history::table
            .filter(subscription_history::user_id.eq(id))
            .order(subscription_history::id)
            .select(Version::as_select())
            .load(conn)?,
        payments: payments::table
            .filter(payments::user_id.eq(id))
            .order(payments::id)
            .select(Payment::as_select())
            .load(conn)?,
        sessions: sessions::table
            .filter(sessions::user_id.eq(id))
            .order(sessions::id)
            .select(Session::as_select())
            .load(conn)?,
        mails: mails::table.filter(mails::user_id.eq(id)).order(mails::id).select(Mail::as_select()).load(conn)?,
        events,
        open_links: tokens::table
            .filter(tokens::user_id.eq(id))
            .order(tokens::id)
            .select(OpenLink::as_select())
            .load(conn)?,
        recovery_codes_left: recovery_codes::table.filter(recovery_codes::user_id.eq(id)).count().get_result(conn)?,
    }))
}

/// Also those that came before it was known whose they are.
fn events_of(conn: &mut Conn, id: i64, customer: Option<&str>) -> Result<Vec<Event>, StoreError> {
    let of_customer = webhook_events::provider_customer_id
        .is_not_null()
        .and(webhook_events::provider_customer_id.assume_not_null().eq(customer.unwrap_or_default()));
    let of_person = webhook_events::user_id.is_not_null().and(webhook_events::user_id.assume_not_null().eq(id));
    Ok(webhook_events::table
        .filter(of_person.or(of_customer))
        .order(webhook_events::id)
        .select(Event::as_select())
        .load(conn)?)
}

/// Text that is JSON, as what it says; `null` where it is none.
fn as_json<S: Serializer>(text: &str, out: S) -> Result<S::Ok, S::Error> {
    serde_json::from_str::<Value>(text).ok().serialize(out)
}

#[allow(clippy::ref_option, reason = "serde hands the field over as it is")]
fn as_json_or_null<S: Serializer>(text: &Option<String>, out: S) -> Result<S::Ok, S::Error> {
    as_json(text.as_deref().unwrap_or_default(), out)
}

#[cfg(test)]
mod tests {
    /// Every table about people is in the export, or here with its reason. A new one can't be forgotten.
    #[test]
    fn every_table_about_people_has_a_place() {
        const LEFT_OUT: &[(&str, &str)] = &[
            ("second_factors", "the secret alone, whose beginning the account tells"),
            ("roster", "made of the account and the subscriptions"),
        ];
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

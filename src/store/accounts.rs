//! An account as a whole: what its owner says of themselves, and its end.

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{
    Conn, StoreError,
    schema::{mails, recovery_codes, second_factors, sessions, subscriptions, tokens, users, webhook_events},
    types::{Instant, Word},
};
use crate::domain::{
    subscription::{Kind, Status},
    user::Role,
};

/// What a person says of themselves; every value has been parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// Mr, Dr, …
    pub title: Option<String>,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Telephone number.
    pub phone: Option<String>,
    /// IANA name of the time zone.
    pub time_zone: String,
    /// `en` or `zh-Hans`.
    pub language: String,
}

/// Replaces what a person said of themselves.
///
/// # Errors
/// The query failed.
pub fn set_details(conn: &mut Conn, id: i64, details: &Details, now: DateTime<Utc>) -> Result<(), StoreError> {
    diesel::update(users::table.filter(users::id.eq(id).and(users::deleted_at.is_null())))
        .set((
            users::title.eq(&details.title),
            users::first_name.eq(&details.first_name),
            users::last_name.eq(&details.last_name),
            users::phone.eq(&details.phone),
            users::time_zone.eq(&details.time_zone),
            users::language.eq(&details.language),
            users::updated_at.eq(Instant::from(now)),
        ))
        .execute(conn)?;
    Ok(())
}

/// Keeps a person out from a moment on, or lets them in again. `false` when it was so already.
///
/// # Errors
/// The query failed.
pub fn set_locked(
    conn: &mut Conn,
    id: i64,
    since: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let this = users::table.filter(users::id.eq(id).and(users::deleted_at.is_null()));
    let values = (users::locked_at.eq(since.map(Instant::from)), users::updated_at.eq(Instant::from(now)));
    let changed = match since {
        Some(_) => diesel::update(this.filter(users::locked_at.is_null())).set(values).execute(conn)?,
        None => diesel::update(this.filter(users::locked_at.is_not_null())).set(values).execute(conn)?,
    };
    Ok(changed > 0)
}

/// Takes everything out of an account that tells who its owner is, and every way into it. What was bought and paid stays,
/// under an id that means nothing any more. `false` when it was deleted before.
///
/// # Errors
/// The query failed.
pub fn erase(conn: &mut Conn, id: i64, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let alive = users::table.filter(users::id.eq(id).and(users::deleted_at.is_null()));
    let known: Option<(String, Option<String>)> =
        alive.select((users::public_id, users::stripe_customer_id)).get_result(conn).optional()?;
    let Some((public_id, customer)) = known else { return Ok(false) };
    // No address: it has no @, so nobody can ask for it, and nobody else has it.
    let nobody = format!("deleted:{public_id}");
    let now = Instant::from(now);
    diesel::update(alive)
        .set((
            (users::email.eq(&nobody), users::email_canonical.eq(&nobody), users::password_hash.eq("")),
            users::email_confirmed_at.eq(None::<Instant>),
            users::email_pending.eq(None::<String>),
            users::title.eq(None::<String>),
            users::first_name.eq(""),
            users::last_name.eq(""),
            users::phone.eq(None::<String>),
            users::time_zone.eq("UTC"),
            users::role.eq(Word(Role::User)),
            users::second_factor_at.eq(None::<Instant>),
            users::deleted_at.eq(now),
            users::updated_at.eq(now),
        ))
        .execute(conn)?;
    diesel::delete(sessions::table.filter(sessions::user_id.eq(id))).execute(conn)?;
    diesel::delete(tokens::table.filter(tokens::user_id.eq(id))).execute(conn)?;
    diesel::delete(second_factors::table.filter(second_factors::user_id.eq(id))).execute(conn)?;
    diesel::delete(recovery_codes::table.filter(recovery_codes::user_id.eq(id))).execute(conn)?;
    diesel::delete(mails::table.filter(mails::user_id.eq(id))).execute(conn)?;
    drop_payloads(conn, id, customer.as_deref())?;
    Ok(true)
}

/// Stripe's events hold names and addresses.
fn drop_payloads(conn: &mut Conn, id: i64, customer: Option<&str>) -> Result<(), StoreError> {
    let nothing = (webhook_events::payload.eq(None::<String>), webhook_events::retry_at.eq(None::<Instant>));
    diesel::update(webhook_events::table.filter(webhook_events::user_id.eq(id))).set(nothing).execute(conn)?;
    if let Some(customer) = customer {
        let of_customer = webhook_events::provider_customer_id.assume_not_null().eq(customer);
        let nothing = (webhook_events::payload.eq(None::<String>), webhook_events::retry_at.eq(None::<Instant>));
        diesel::update(webhook_events::table.filter(of_customer)).set(nothing).execute(conn)?;
    }
    Ok(())
}

/// Drops the payload of an event that came for somebody who is gone.
///
/// # Errors
/// The query failed.
pub fn forget_late_event(
    conn: &mut Conn,
    row: i64,
    user_id: Option<i64>,
    customer: Option<&str>,
) -> Result<(), StoreError> {
    if user_id.is_none() && customer.is_none() {
        return Ok(());
    }
    let theirs = users::id.eq(user_id.unwrap_or_default()).or(users::stripe_customer_id
        .is_not_null()
        .and(users::stripe_customer_id.assume_not_null().eq(customer.unwrap_or_default())));
    let gone = users::table.filter(users::deleted_at.is_not_null()).filter(theirs);
    if diesel::select(diesel::dsl::exists(gone)).get_result(conn)? {
        diesel::update(webhook_events::table.filter(webhook_events::id.eq(row)))
            .set((webhook_events::payload.eq(None::<String>), webhook_events::retry_at.eq(None::<Instant>)))
            .execute(conn)?;
    }
    Ok(())
}

/// Subscriptions that still run at Stripe (as `domain::subscription::runs_at_provider` says) for people who are gone, by
/// Stripe's id, at most `limit`.
///
/// # Errors
/// The query failed.
pub fn left_running(conn: &mut Conn, limit: i64) -> Result<Vec<String>, StoreError> {
    let may_run = subscriptions::status
        .eq_any([Word(Status::Trialing), Word(Status::Active), Word(Status::PastDue)])
        .or(subscriptions::provider_status.is_not_null().and(
            subscriptions::status
                .eq(Word(Status::Expired))
                .and(subscriptions::provider_status.assume_not_null().eq_any(["unpaid", "paused"])),
        ));
    let runs = subscriptions::kind.eq(Word(Kind::Recurring)).and(may_run);
    Ok(subscriptions::table
        .inner_join(users::table)
        .filter(users::deleted_at.is_not_null())
        .filter(runs)
        .filter(subscriptions::provider_id.is_not_null())
        .limit(limit)
        .select(subscriptions::provider_id.assume_not_null())
        .load(conn)?)
}

/// Closes the row of a subscription that Stripe does not know any more.
///
/// # Errors
/// The query failed.
pub fn close_unknown(conn: &mut Conn, provider_id: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    diesel::update(subscriptions::table.filter(subscriptions::provider_id.eq(provider_id)))
        .set((
            subscriptions::status.eq(Word(Status::Expired)),
            subscriptions::provider_status.eq(None::<String>),
            subscriptions::refresh_due_at.eq(None::<Instant>),
            subscriptions::version.eq(subscriptions::version + 1),
            subscriptions::updated_at.eq(Instant::from(now)),
        ))
        .execute(conn)?;
    Ok(())
}

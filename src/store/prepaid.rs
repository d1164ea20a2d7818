//! The prepaid subscription: one row for a person, extended by each payment (`docs/rules.md §6`).

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{
    Conn, StoreError,
    schema::subscriptions,
    types::{Instant, Word},
};
use crate::domain::subscription::{Kind, Period, Status};

/// Gives a person this prepaid period in place of the one that they have, if any. The person is locked.
///
/// # Errors
/// The query failed.
pub fn extend(
    conn: &mut Conn,
    user_id: i64,
    plan: Option<&str>,
    period: Period,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let terms = (
        subscriptions::status.eq(Word(Status::Active)),
        subscriptions::plan.eq(plan),
        subscriptions::current_period_start.eq(Instant::from(period.start)),
        subscriptions::current_period_end.eq(Instant::from(period.end)),
        subscriptions::cancel_at.eq(None::<Instant>),
        subscriptions::ended_at.eq(None::<Instant>),
        subscriptions::updated_at.eq(Instant::from(now)),
    );
    let version = subscriptions::version.eq(subscriptions::version + 1);
    if diesel::update(prepaid_of(user_id)).set((terms, version)).execute(conn)? > 0 {
        return Ok(());
    }
    diesel::insert_into(subscriptions::table)
        .values((
            terms,
            subscriptions::user_id.eq(user_id),
            subscriptions::kind.eq(Word(Kind::Prepaid)),
            subscriptions::cancel_at_period_end.eq(false),
            subscriptions::version.eq(1_i64),
            subscriptions::created_at.eq(Instant::from(now)),
        ))
        .execute(conn)?;
    Ok(())
}

/// Moves the end of a person's prepaid period; `status` is what it has from now on. The person is locked.
///
/// # Errors
/// The query failed.
pub fn shorten(
    conn: &mut Conn,
    user_id: i64,
    end: DateTime<Utc>,
    status: Status,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    diesel::update(prepaid_of(user_id))
        .set((
            subscriptions::status.eq(Word(status)),
            subscriptions::current_period_end.eq(Instant::from(end)),
            subscriptions::version.eq(subscriptions::version + 1),
            subscriptions::updated_at.eq(Instant::from(now)),
        ))
        .execute(conn)?;
    Ok(())
}

#[diesel::dsl::auto_type(no_type_alias)]
fn prepaid_of(user_id: i64) -> _ {
    let prepaid: Word<Kind> = Word(Kind::Prepaid);
    subscriptions::table.filter(subscriptions::user_id.eq(user_id)).filter(subscriptions::kind.eq(prepaid))
}

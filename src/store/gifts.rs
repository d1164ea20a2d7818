//! Time that an admin gives or takes: longer trials, and complimentary months.

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{
    Conn, StoreError,
    schema::subscriptions,
    types::{Instant, Word},
};
use crate::domain::subscription::{Kind, Status};

/// Moves the end of a person's trial. `false` when there is none.
///
/// # Errors
/// The query failed.
pub fn set_trial_end(
    conn: &mut Conn,
    user_id: i64,
    end: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let trial = subscriptions::user_id.eq(user_id).and(subscriptions::kind.eq(Word(Kind::Trial)));
    let changed = diesel::update(subscriptions::table.filter(trial))
        .set((
            subscriptions::status.eq(Word(Status::Trialing)),
            subscriptions::current_period_end.eq(Instant::from(end)),
            subscriptions::version.eq(subscriptions::version + 1),
            subscriptions::updated_at.eq(Instant::from(now)),
        ))
        .execute(conn)?;
    Ok(changed > 0)
}

/// Ends the complimentary months of a person that still run, now, and returns how many spans they were.
///
/// # Errors
/// The query failed.
pub fn end_complimentary(conn: &mut Conn, user_id: i64, now: DateTime<Utc>) -> Result<usize, StoreError> {
    let at = Instant::from(now);
    let running = subscriptions::user_id
        .eq(user_id)
        .and(subscriptions::kind.eq(Word(Kind::Complimentary)))
        .and(subscriptions::status.eq(Word(Status::Active)))
        .and(subscriptions::ended_at.is_null());
    Ok(diesel::update(subscriptions::table.filter(running).filter(subscriptions::current_period_end.gt(at)))
        .set((
            subscriptions::status.eq(Word(Status::Expired)),
            subscriptions::ended_at.eq(at),
            subscriptions::version.eq(subscriptions::version + 1),
            subscriptions::updated_at.eq(at),
        ))
        .execute(conn)?)
}

//! Second factors: a secret for each person who has one, encrypted before it comes here, and recovery codes, of which only
//! the hashes are kept.

use chrono::{DateTime, Utc};
use diesel::prelude::*;

use super::{
    Conn, StoreError,
    schema::{recovery_codes, second_factors, users},
    types::Instant,
};

/// A person's second factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondFactor {
    /// The secret, encrypted.
    pub secret: String,
    /// Recovery codes that were not used yet.
    pub codes_left: i64,
}

/// The second factor of a person, if they have one.
///
/// # Errors
/// The query failed.
pub fn find(conn: &mut Conn, user_id: i64) -> Result<Option<SecondFactor>, StoreError> {
    let secret: Option<String> = second_factors::table
        .filter(second_factors::user_id.eq(user_id))
        .select(second_factors::secret)
        .get_result(conn)
        .optional()?;
    let Some(secret) = secret else { return Ok(None) };
    let codes_left = recovery_codes::table.filter(recovery_codes::user_id.eq(user_id)).count().get_result(conn)?;
    Ok(Some(SecondFactor { secret, codes_left }))
}

/// Turns the second factor on, with the step whose code has just been used; `false` when it is on already, and then nothing
/// is changed. Belongs into a write transaction.
///
/// # Errors
/// The query failed.
pub fn turn_on(
    conn: &mut Conn,
    user_id: i64,
    secret: &str,
    step: i64,
    code_hashes: &[String],
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let without = users::id.eq(user_id).and(users::second_factor_at.is_null());
    let changed = diesel::update(users::table.filter(without))
        .set((users::second_factor_at.eq(Instant::from(now)), users::updated_at.eq(Instant::from(now))))
        .execute(conn)?;
    if changed == 0 {
        return Ok(false);
    }
    diesel::insert_into(second_factors::table)
        .values((
            second_factors::user_id.eq(user_id),
            second_factors::secret.eq(secret),
            second_factors::last_step.eq(step),
        ))
        .execute(conn)?;
    replace_codes(conn, user_id, code_hashes)?;
    Ok(true)
}

/// Turns the second factor off; `false` when it was. Belongs into a write transaction.
///
/// # Errors
/// The query failed.
pub fn turn_off(conn: &mut Conn, user_id: i64, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let with = users::id.eq(user_id).and(users::second_factor_at.is_not_null());
    let changed = diesel::update(users::table.filter(with))
        .set((users::second_factor_at.eq(None::<Instant>), users::updated_at.eq(Instant::from(now))))
        .execute(conn)?;
    diesel::delete(second_factors::table.filter(second_factors::user_id.eq(user_id))).execute(conn)?;
    replace_codes(conn, user_id, &[])?;
    Ok(changed > 0)
}

/// Uses up the code of a time step, and of all steps before it. Whoever gets `true` here is the only one.
///
/// # Errors
/// The query failed.
pub fn use_step(conn: &mut Conn, user_id: i64, secret: &str, step: i64) -> Result<bool, StoreError> {
    let unused = second_factors::user_id
        .eq(user_id)
        .and(second_factors::secret.eq(secret))
        .and(second_factors::last_step.lt(step));
    let used =
        diesel::update(second_factors::table.filter(unused)).set(second_factors::last_step.eq(step)).execute(conn)?;
    Ok(used == 1)
}

/// Uses up a recovery code. Whoever gets `true` here is the only one.
///
/// # Errors
/// The query failed.
pub fn use_code(conn: &mut Conn, user_id: i64, code_hash: &str) -> Result<bool, StoreError> {
    let code = recovery_codes::user_id.eq(user_id).and(recovery_codes::code_hash.eq(code_hash));
    Ok(diesel::delete(recovery_codes::table.filter(code)).execute(conn)? == 1)
}

/// Puts new recovery codes in the place of all that are left. Belongs into a write transaction.
///
/// # Errors
/// The query failed.
pub fn replace_codes(conn: &mut Conn, user_id: i64, code_hashes: &[String]) -> Result<(), StoreError> {
    diesel::delete(recovery_codes::table.filter(recovery_codes::user_id.eq(user_id))).execute(conn)?;
    for hash in code_hashes {
        diesel::insert_into(recovery_codes::table)
            .values((recovery_codes::user_id.eq(user_id), recovery_codes::code_hash.eq(hash)))
            .execute(conn)?;
    }
    Ok(())
}

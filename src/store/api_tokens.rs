//! What programs show to read the list of subscribers: random tokens, of which only the hash is kept. A row stays when its
//! token is revoked, so that it is known what could read when.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;

use super::{
    Conn, StoreError,
    schema::{api_tokens, users},
    types::{Instant, Word},
};
use crate::domain::user::Role;

/// The only scope: sees, and changes nothing.
pub const READ: &str = "read";

/// A use is noted at most this often, so that a busy program does not keep the database writing.
const NOTED_EVERY: TimeDelta = TimeDelta::minutes(1);

/// A token about to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewApiToken {
    /// By what it is named; of no use to anyone else.
    pub public_id: String,
    /// What is kept of the token.
    pub token_hash: String,
    /// What it is for, in the words of whoever made it.
    pub name: String,
    /// The public id of the admin.
    pub made_by: String,
    /// From when on it no longer works, if ever.
    pub expires_at: Option<DateTime<Utc>>,
}

/// A token as admins see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiToken {
    /// By what it is named.
    pub public_id: String,
    /// What it is for.
    pub name: String,
    /// What it may.
    pub scope: String,
    /// The public id of whoever made it.
    pub made_by: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// From when on it no longer works, if ever.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was last used, to the minute.
    pub used_at: Option<DateTime<Utc>>,
    /// Since when it is revoked, if it is.
    pub revoked_at: Option<DateTime<Utc>>,
}

/// A token that works at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkingToken {
    /// The row; never shown.
    pub id: i64,
    /// By what it is named, for the log.
    pub public_id: String,
    /// Its use has to be noted.
    pub is_use_due: bool,
}

/// Keeps a token.
///
/// # Errors
/// The query failed.
pub fn insert(conn: &mut Conn, new: &NewApiToken, now: DateTime<Utc>) -> Result<(), StoreError> {
    diesel::insert_into(api_tokens::table)
        .values((
            api_tokens::public_id.eq(&new.public_id),
            api_tokens::token_hash.eq(&new.token_hash),
            api_tokens::name.eq(&new.name),
            api_tokens::scope.eq(READ),
            api_tokens::made_by.eq(&new.made_by),
            api_tokens::created_at.eq(Instant::from(now)),
            api_tokens::expires_at.eq(new.expires_at.map(Instant::from)),
        ))
        .execute(conn)?;
    Ok(())
}

/// All tokens, the newest first, each with the address of whoever made it, if that account still is one of an admin.
///
/// # Errors
/// The query failed.
pub fn list(conn: &mut Conn) -> Result<Vec<(ApiToken, Option<String>)>, StoreError> {
    let rows: Vec<(Row, Option<String>)> = api_tokens::table
        .left_join(users::table.on(users::public_id.eq(api_tokens::made_by).and(is_in_office())))
        .order(api_tokens::id.desc())
        .select((Row::as_select(), users::email.nullable()))
        .load(conn)?;
    Ok(rows.into_iter().map(|(row, email)| (row.into(), email)).collect())
}

/// An account that may make tokens: with it, its tokens end.
#[diesel::dsl::auto_type]
fn is_in_office() -> _ {
    let admin: Word<Role> = Word(Role::Admin);
    users::role.eq(admin).and(users::deleted_at.is_null()).and(users::locked_at.is_null())
}

/// The token of this name, whether it works or not.
///
/// # Errors
/// The query failed.
pub fn by_public_id(conn: &mut Conn, public_id: &str) -> Result<Option<ApiToken>, StoreError> {
    let this = api_tokens::table.filter(api_tokens::public_id.eq(public_id));
    let row: Option<Row> = this.select(Row::as_select()).get_result(conn).optional()?;
    Ok(row.map(ApiToken::from))
}

/// Ends a token; `false` when it was revoked already or never was. Whoever gets `true` here is the only one.
///
/// # Errors
/// The query failed.
pub fn revoke(conn: &mut Conn, public_id: &str, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let this = api_tokens::public_id.eq(public_id).and(api_tokens::revoked_at.is_null());
    let changed = diesel::update(api_tokens::table.filter(this))
        .set(api_tokens::revoked_at.eq(Instant::from(now)))
        .execute(conn)?;
    Ok(changed > 0)
}

/// The token with this hash, if it works at `now`: neither revoked nor expired, and made by somebody who still is an admin.
///
/// # Errors
/// The query failed.
pub fn working(conn: &mut Conn, token_hash: &str, now: DateTime<Utc>) -> Result<Option<WorkingToken>, StoreError> {
    let at = Instant::from(now);
    let found: Option<(i64, String, Option<Instant>)> = api_tokens::table
        .inner_join(users::table.on(users::public_id.eq(api_tokens::made_by)))
        .filter(api_tokens::token_hash.eq(token_hash).and(api_tokens::scope.eq(READ)))
        .filter(api_tokens::revoked_at.is_null())
        .filter(api_tokens::expires_at.is_null().or(api_tokens::expires_at.gt(at).assume_not_null()))
        .filter(is_in_office())
        .select((api_tokens::id, api_tokens::public_id, api_tokens::used_at))
        .get_result(conn)
        .optional()?;
    let before = Instant::from(now - NOTED_EVERY);
    Ok(found.map(|(id, public_id, used_at)| WorkingToken {
        id,
        public_id,
        is_use_due: used_at.is_none_or(|used| used <= before),
    }))
}

/// Notes that a token is used now, unless somebody noted as much meanwhile.
///
/// # Errors
/// The query failed.
pub fn note_use(conn: &mut Conn, id: i64, now: DateTime<Utc>) -> Result<(), StoreError> {
    let is_due =
        api_tokens::used_at.is_null().or(api_tokens::used_at.le(Instant::from(now - NOTED_EVERY)).assume_not_null());
    diesel::update(api_tokens::table.filter(api_tokens::id.eq(id)).filter(is_due))
        .set(api_tokens::used_at.eq(Instant::from(now)))
        .execute(conn)?;
    Ok(())
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = api_tokens)]
struct Row {
    public_id: String,
    name: String,
    scope: String,
    made_by: String,
    created_at: Instant,
    expires_at: Option<Instant>,
    used_at: Option<Instant>,
    revoked_at: Option<Instant>,
}

impl From<Row> for ApiToken {
    fn from(row: Row) -> Self {
        Self {
            public_id: row.public_id,
            name: row.name,
            scope: row.scope,
            made_by: row.made_by,
            created_at: row.created_at.into(),
            expires_at: row.expires_at.map(Into::into),
            used_at: row.used_at.map(Into::into),
            revoked_at: row.revoked_at.map(Into::into),
        }
    }
}

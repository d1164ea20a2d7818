//! People with an account.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use diesel::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    Conn, StoreError,
    accounts::Details,
    conn::Db,
    error::is_duplicate,
    schema::users,
    types::{Instant, Word},
};
use crate::domain::{
    full_name::full_name,
    user::{Language, Role},
};

/// What sign-up knows of a person; every value has been parsed.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// The random id that others may see.
    pub public_id: String,
    /// The address for mail.
    pub email: String,
    /// The address for comparing.
    pub email_canonical: String,
    /// The password's hash as a PHC string.
    pub password_hash: String,
    /// What the person says of themselves.
    pub details: Details,
}

/// A person with an account, without the password's hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// The row; never shown.
    pub id: i64,
    /// The random id that others may see.
    pub public_id: String,
    /// The address for mail.
    pub email: String,
    /// The person has shown that the address is theirs.
    pub email_confirmed: bool,
    /// The address that shall take its place, as soon as it is confirmed.
    pub email_pending: Option<String>,
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
    /// What the person may do here.
    pub role: Role,
    /// Stripe's id of the customer that was made for the person.
    pub stripe_customer_id: Option<String>,
    /// When the account was made.
    pub created_at: DateTime<Utc>,
    /// The account is gone, and with it all that told whose it was.
    #[serde(default)]
    pub deleted: bool,
    /// Since when a second factor is asked for at log-in, if it is.
    pub second_factor_at: Option<DateTime<Utc>>,
    /// Since when an admin keeps the person out, if one does.
    #[serde(default)]
    pub locked_at: Option<DateTime<Utc>>,
}

impl User {
    /// The person's time zone; one that is no longer known reads as UTC.
    pub fn zone(&self) -> Tz {
        self.time_zone.parse().unwrap_or(Tz::UTC)
    }

    /// First and last name, in the order of their script.
    pub fn name(&self) -> String {
        full_name(&self.first_name, &self.last_name)
    }

    /// The language of the account.
    pub fn language(&self) -> Language {
        Language::parse(&self.language).unwrap_or_default()
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = users)]
pub(super) struct UserRow {
    id: i64,
    public_id: String,
    email: String,
    email_confirmed_at: Option<Instant>,
    email_pending: Option<String>,
    title: Option<String>,
    first_name: String,
    last_name: String,
    phone: Option<String>,
    time_zone: String,
    language: String,
    role: Word<Role>,
    stripe_customer_id: Option<String>,
    created_at: Instant,
    deleted_at: Option<Instant>,
    second_factor_at: Option<Instant>,
    locked_at: Option<Instant>,
}

impl From<UserRow> for User {
    fn from(row: UserRow) -> Self {
        Self {
            id: row.id,
            public_id: row.public_id,
            email: row.email,
            email_confirmed: row.email_confirmed_at.is_some(),
            email_pending: row.email_pending,
            title: row.title,
            first_name: row.first_name,
            last_name: row.last_name,
            phone: row.phone,
            time_zone: row.time_zone,
            language: row.language,
            role: row.role.0,
            stripe_customer_id: row.stripe_customer_id,
            created_at: row.created_at.into(),
            deleted: row.deleted_at.is_some(),
            second_factor_at: row.second_factor_at.map(Into::into),
            locked_at: row.locked_at.map(Into::into),
        }
    }
}

/// Adds a person; `None` when the address has an account already.
///
/// # Errors
/// The query failed.
pub fn insert(conn: &mut Conn, new: NewUser, now: DateTime<Utc>) -> Result<Option<i64>, StoreError> {
    let now = Instant::from(now);
    let inserted = conn.transaction(|conn| {
        diesel::insert_into(users::table)
            .values((
                users::public_id.eq(new.public_id),
                users::email.eq(new.email),
                users::email_canonical.eq(new.email_canonical),
                users::password_hash.eq(new.password_hash),
                users::title.eq(new.details.title),
                users::first_name.eq(new.details.first_name),
                users::last_name.eq(new.details.last_name),
                users::phone.eq(new.details.phone),
                users::time_zone.eq(new.details.time_zone),
                users::language.eq(new.details.language),
                users::role.eq(Word(Role::User)),
                users::terms_accepted_at.eq(now),
                users::created_at.eq(now),
                users::updated_at.eq(now),
            ))
            .returning(users::id)
            .get_result(conn)
    });
    match inserted {
        Ok(id) => Ok(Some(id)),
        Err(error) if is_duplicate(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The row and the password's hash of an address.
///
/// # Errors
/// The query failed.
pub fn credentials(conn: &mut Conn, email_canonical: &str) -> Result<Option<(i64, String)>, StoreError> {
    let found = users::table
        .filter(users::email_canonical.eq(email_canonical))
        .select((users::id, users::password_hash))
        .get_result(conn);
    Ok(found.optional()?)
}

/// The password's hash of a person.
///
/// # Errors
/// The query failed.
pub fn password_hash(conn: &mut Conn, id: i64) -> Result<Option<String>, StoreError> {
    Ok(users::table.filter(users::id.eq(id)).select(users::password_hash).get_result(conn).optional()?)
}

/// Puts another password in the place of the present one.
///
/// # Errors
/// The query failed.
pub fn set_password(conn: &mut Conn, id: i64, hash: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    diesel::update(users::table.filter(users::id.eq(id)))
        .set((users::password_hash.eq(hash), users::updated_at.eq(Instant::from(now))))
        .execute(conn)?;
    Ok(())
}

/// The person of a row.
///
/// # Errors
/// The query failed.
pub fn by_id(conn: &mut Conn, id: i64) -> Result<Option<User>, StoreError> {
    one(conn, Box::new(users::id.eq(id)))
}

/// The person who has an address.
///
/// # Errors
/// The query failed.
pub fn by_email(conn: &mut Conn, email_canonical: &str) -> Result<Option<User>, StoreError> {
    one(conn, Box::new(users::email_canonical.eq(email_canonical.to_owned())))
}

/// The person that Stripe's metadata names.
///
/// # Errors
/// The query failed.
pub fn by_public_id(conn: &mut Conn, public_id: &str) -> Result<Option<User>, StoreError> {
    one(conn, Box::new(users::public_id.eq(public_id.to_owned())))
}

/// The person for whom a customer was made at Stripe.
///
/// # Errors
/// The query failed.
pub fn by_customer(conn: &mut Conn, customer: &str) -> Result<Option<User>, StoreError> {
    one(conn, Box::new(users::stripe_customer_id.nullable().eq(customer.to_owned()).assume_not_null()))
}

type Condition = Box<dyn BoxableExpression<users::table, Db, SqlType = diesel::sql_types::Bool>>;

fn one(conn: &mut Conn, condition: Condition) -> Result<Option<User>, StoreError> {
    let row = users::table.filter(condition).select(UserRow::as_select()).get_result(conn);
    Ok(row.optional()?.map(User::from))
}

/// Keeps the customer made for a person, unless one is kept already; the answer is the one that is kept.
///
/// # Errors
/// The query failed, or the customer belongs to somebody else.
pub fn keep_customer(conn: &mut Conn, id: i64, customer: &str, now: DateTime<Utc>) -> Result<String, StoreError> {
    diesel::update(users::table.filter(users::id.eq(id)).filter(users::stripe_customer_id.is_null()))
        .set((users::stripe_customer_id.eq(customer), users::updated_at.eq(Instant::from(now))))
        .execute(conn)?;
    let kept: Option<String> =
        users::table.filter(users::id.eq(id)).select(users::stripe_customer_id).get_result(conn)?;
    kept.ok_or_else(|| StoreError::Refused("the account is gone".to_owned()))
}

/// Forgets a customer that is gone at Stripe, if it is still the one that is kept.
///
/// # Errors
/// The query failed.
pub fn forget_customer(conn: &mut Conn, id: i64, customer: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    diesel::update(users::table.filter(users::id.eq(id)).filter(users::stripe_customer_id.eq(customer)))
        .set((users::stripe_customer_id.eq(None::<String>), users::updated_at.eq(Instant::from(now))))
        .execute(conn)?;
    Ok(())
}

/// Gives a person a role; `false` when nobody has the address.
///
/// # Errors
/// The query failed.
pub fn set_role(conn: &mut Conn, email_canonical: &str, role: Role, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let changed = diesel::update(users::table.filter(users::email_canonical.eq(email_canonical)))
        .set((users::role.eq(Word(role)), users::updated_at.eq(Instant::from(now))))
        .execute(conn)?;
    Ok(changed > 0)
}

/// Who has more than the ordinary role, by row: address and role.
///
/// # Errors
/// The query failed.
pub fn staff(conn: &mut Conn) -> Result<Vec<(i64, String, Role)>, StoreError> {
    let staff = users::table.filter(users::role.ne(Word(Role::User))).order(users::id);
    let rows: Vec<(i64, String, Word<Role>)> = staff.select((users::id, users::email, users::role)).load(conn)?;
    Ok(rows.into_iter().map(|(id, email, role)| (id, email, role.0)).collect())
}

/// Locks the person's row until the end of the transaction, so that two changes of one person take turns.
/// SQLite's writers take turns anyway.
///
/// # Errors
/// The query failed.
pub fn lock(conn: &mut Conn, id: i64) -> Result<(), StoreError> {
    if let Conn::Postgres(conn) = conn {
        users::table.filter(users::id.eq(id)).select(users::id).for_update().get_result::<i64>(conn)?;
    }
    Ok(())
}

/// Whether there is anybody at all.
///
/// # Errors
/// The query failed.
pub fn any(conn: &mut Conn) -> Result<bool, StoreError> {
    Ok(diesel::select(diesel::dsl::exists(users::table.select(users::id))).get_result(conn)?)
}

//! The list of subscribers: filtered, sorted, page by page. The table behind it is brought up to date first
//! ([`super::roster`]).

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::{
    dsl::sql,
    prelude::*,
    sql_types::{BigInt, Bool, Text},
};
use serde::{Deserialize, Serialize};

use super::{
    Conn, StoreError,
    conn::Db,
    facets,
    schema::{roster, users},
    search,
    types::{Instant, Worded},
};
use crate::domain::{
    full_name::with_title,
    subscription::{Kind, Status},
};

/// Which people are listed: those for whom all of this holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Each of its words stands in the name or the address, whatever their case and accents; or it is an id of ours or
    /// Stripe's, whole.
    pub search: String,
    /// The effective status; `Some(None)` is for those who never had a subscription.
    pub status: Option<Option<Status>>,
    /// The kind of the subscription that is shown.
    pub kind: Option<Kind>,
    /// The key of its plan.
    pub plan: Option<String>,
    /// Two subscriptions or more run at Stripe.
    pub twice: bool,
    /// The address is not confirmed.
    pub unconfirmed: bool,
}

/// What the list is sorted by; the row decides between equals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Family name, then first name.
    Name,
    /// When the account was made.
    #[default]
    SignUp,
    /// When premium pages close, or closed.
    End,
}

/// The order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// By what.
    pub sort: Sort,
    /// The largest first.
    pub descending: bool,
}

/// A place between two rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// What the row beside it is sorted by.
    pub key: Key,
    /// That row.
    pub id: i64,
}

impl Place {
    /// As it stands in an address.
    pub fn written(&self) -> String {
        data_encoding::BASE64URL_NOPAD.encode(serde_json::to_string(self).unwrap_or_default().as_bytes())
    }

    /// The place of a list with this order that was [written](Self::written); nothing where it is none.
    pub fn read(text: &str, sort: Sort) -> Option<Self> {
        let place: Self = serde_json::from_slice(&data_encoding::BASE64URL_NOPAD.decode(text.as_bytes()).ok()?).ok()?;
        let fits = match &place.key {
            Key::Name(name) => sort == Sort::Name && !name.contains('\0'),
            Key::Instant(_) => sort != Sort::Name,
        };
        fits.then_some(place)
    }
}

/// What a row is sorted by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Key {
    /// Microseconds since 1970.
    Instant(i64),
    /// A folded name.
    Name(String),
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscriber {
    /// The row, for [`Place`]; never shown.
    pub id: i64,
    /// The random id that others may see.
    pub public_id: String,
    /// The address of the account.
    pub email: String,
    /// It is confirmed.
    pub confirmed: bool,
    /// Mr, Dr, ...
    pub title: Option<String>,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Telephone number.
    pub phone: Option<String>,
    /// When the account was made.
    pub signed_up_at: DateTime<Utc>,
    /// The effective status of the subscription that is shown, if there is one.
    pub status: Option<Status>,
    /// Its kind.
    pub kind: Option<Kind>,
    /// The key of its plan.
    pub plan: Option<String>,
    /// Premium pages are open.
    pub granted: bool,
    /// They stay open at the end of the period if the renewal is paid.
    pub renews: bool,
    /// Until when they are open, or when that ended.
    pub ends_at: Option<DateTime<Utc>>,
    /// How many subscriptions run at Stripe.
    pub live: i64,
    /// An admin keeps the person out.
    pub locked: bool,
    /// Stripe's id of the person.
    pub stripe_customer_id: Option<String>,
    pub(crate) name_key: String,
}

impl Subscriber {
    /// With the title, in the order of the script.
    pub fn name(&self) -> String {
        with_title(self.title.as_deref(), &self.first_name, &self.last_name)
    }

    /// The place beside this row.
    pub fn place(&self, sort: Sort) -> Place {
        let micros = |at: DateTime<Utc>| Key::Instant(at.timestamp_micros());
        let key = match sort {
            Sort::Name => Key::Name(self.name_key.clone()),
            Sort::SignUp => micros(self.signed_up_at),
            Sort::End => micros(self.ends_at.unwrap_or(DateTime::UNIX_EPOCH)),
        };
        Place { key, id: self.id }
    }
}

type Query<'a> = roster::BoxedQuery<'a, Db>;

/// Up to `most` people after a place, or from the beginning.
///
/// # Errors
/// The query failed.
pub fn list(
    conn: &mut Conn,
    filter: &Filter,
    order: Order,
    after: Option<&Place>,
    most: i64,
) -> Result<Vec<Subscriber>, StoreError> {
    let Some(mut query) = filtered(conn, filter)? else { return Ok(Vec::new()) };
    if let Some(place) = after {
        query = beyond(query, order, place);
    }
    query = match (order.sort, order.descending) {
        (Sort::Name, false) => query.order((roster::name_key.asc(), roster::user_id.asc())),
        (Sort::Name, true) => query.order((roster::name_key.desc(), roster::user_id.desc())),
        (Sort::SignUp, false) => query.order((roster::signed_up_at.asc(), roster::user_id.asc())),
        (Sort::SignUp, true) => query.order((roster::signed_up_at.desc(), roster::user_id.desc())),
        (Sort::End, false) => query.order((roster::ends_at.asc(), roster::user_id.asc())),
        (Sort::End, true) => query.order((roster::ends_at.desc(), roster::user_id.desc())),
    };
    let rows: Vec<Row> = query.select(Row::as_select()).limit(most).load(conn)?;
    with_people(conn, rows)
}

/// How many people there are, counted up to `most`.
///
/// # Errors
/// The query failed.
pub fn count(conn: &mut Conn, filter: &Filter, most: i64) -> Result<i64, StoreError> {
    let Some(query) = filtered(conn, filter)? else { return Ok(0) };
    let found: Vec<i64> = query.select(roster::user_id).limit(most).load(conn)?;
    Ok(i64::try_from(found.len()).unwrap_or(most))
}

/// One person's line.
///
/// # Errors
/// The query failed.
pub fn one(conn: &mut Conn, user_id: i64) -> Result<Option<Subscriber>, StoreError> {
    let rows = roster::table.filter(roster::user_id.eq(user_id)).select(Row::as_select()).load(conn)?;
    Ok(with_people(conn, rows)?.pop())
}

/// The rows that the filter lets through; `None` when there can be none.
fn filtered<'a>(conn: &mut Conn, filter: &Filter) -> Result<Option<Query<'a>>, StoreError> {
    let mut query = facets::narrow(conn, roster::table.into_boxed(), filter)?;
    if filter.twice {
        // As the index says it: a bound number would not be known to be the same.
        query = query.filter(sql::<Bool>("roster.live > 1"));
    }
    search::narrow(conn, query, &filter.search)
}

/// Behind a place, by one comparison of both values, which an index answers however many rows are equal.
fn beyond<'a>(query: Query<'a>, order: Order, place: &Place) -> Query<'a> {
    let column = match order.sort {
        Sort::Name => "name_key",
        Sort::SignUp => "signed_up_at",
        Sort::End => "ends_at",
    };
    let sign = if order.descending { "<" } else { ">" };
    let begin = sql::<Bool>(&format!("(roster.{column}, roster.user_id) {sign} ("));
    match &place.key {
        Key::Name(name) => {
            query.filter(begin.bind::<Text, _>(name.clone()).sql(", ").bind::<BigInt, _>(place.id).sql(")"))
        }
        Key::Instant(at) => query.filter(begin.bind::<BigInt, _>(*at).sql(", ").bind::<BigInt, _>(place.id).sql(")")),
    }
}

fn with_people(conn: &mut Conn, rows: Vec<Row>) -> Result<Vec<Subscriber>, StoreError> {
    let ids: Vec<i64> = rows.iter().map(|row| row.user_id).collect();
    let people: Vec<Person> = users::table.filter(users::id.eq_any(ids)).select(Person::as_select()).load(conn)?;
    let mut people: HashMap<i64, Person> = people.into_iter().map(|person| (person.id, person)).collect();
    // Whoever left between the two queries is not listed any more.
    Ok(rows.into_iter().filter_map(|row| Some(Subscriber::of(people.remove(&row.user_id)?, row))).collect())
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = roster)]
struct Row {
    user_id: i64,
    name_key: String,
    signed_up_at: Instant,
    status: String,
    kind: String,
    plan: Option<String>,
    granted: bool,
    renews: bool,
    ends_at: Instant,
    live: i64,
    confirmed: bool,
    locked: bool,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = users)]
struct Person {
    id: i64,
    public_id: String,
    email: String,
    title: Option<String>,
    first_name: String,
    last_name: String,
    phone: Option<String>,
    stripe_customer_id: Option<String>,
}

impl Subscriber {
    fn of(person: Person, row: Row) -> Self {
        let ends_at = DateTime::from(row.ends_at);
        Self {
            id: row.user_id,
            public_id: person.public_id,
            email: person.email,
            confirmed: row.confirmed,
            title: person.title,
            first_name: person.first_name,
            last_name: person.last_name,
            phone: person.phone,
            signed_up_at: row.signed_up_at.into(),
            status: Status::from_word(&row.status),
            kind: Kind::from_word(&row.kind),
            plan: row.plan,
            granted: row.granted,
            renews: row.renews,
            ends_at: Some(ends_at).filter(|at| *at != DateTime::UNIX_EPOCH),
            live: row.live,
            locked: row.locked,
            stripe_customer_id: person.stripe_customer_id,
            name_key: row.name_key,
        }
    }
}

//! Finds people by what somebody typed. Every sign means itself, and both engines find the same.

use diesel::{
    dsl::sql,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Text},
};

use super::{
    Conn, StoreError,
    conn::Db,
    schema::{payments, roster, subscriptions, users},
};
use crate::domain::text::{folded, is_control};

/// What is typed beyond it is not looked at.
const LONGEST: usize = 200;
/// The index knows three letters in a row and more.
const INDEXED: usize = 3;
/// When a word stands in the names of more people than that, walking along the list finds a page of them sooner than sorting
/// all of them does.
const FEW: usize = 2_000;

type Query<'a> = roster::BoxedQuery<'a, Db>;

/// Leaves those whom the text finds: by an id of ours or Stripe's, whole, or by each of its words somewhere in their name or
/// address, whatever the case and the accents. An empty text finds everybody; `None` when there can be nobody.
///
/// # Errors
/// A query failed.
pub(super) fn narrow<'a>(conn: &mut Conn, query: Query<'a>, typed: &str) -> Result<Option<Query<'a>>, StoreError> {
    // A letter that no name can hold: PostgreSQL would not even take it.
    if typed.contains(is_control) && !typed.trim().is_empty() {
        return Ok(None);
    }
    let typed: String = typed.trim().chars().take(LONGEST).collect();
    let owners = owners_of(conn, &typed)?;
    if !owners.is_empty() {
        return Ok(Some(query.filter(roster::user_id.eq_any(owners))));
    }
    let folded = folded(&typed);
    let words: Vec<&str> = folded.split_whitespace().collect();
    match conn {
        Conn::Sqlite(_) => narrow_on_sqlite(conn, query, &words),
        Conn::Postgres(_) => Ok(Some(words.iter().fold(query, |query, word| {
            let like = format!("%{}%", word.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"));
            query.filter(sql::<Bool>("roster.search LIKE ").bind::<Text, _>(like))
        }))),
    }
}

/// PostgreSQL knows how common a word is. SQLite doesn't, so the choice of the way is made here.
fn narrow_on_sqlite<'a>(conn: &mut Conn, query: Query<'a>, words: &[&str]) -> Result<Option<Query<'a>>, StoreError> {
    let mut query = query;
    let longest = words.iter().max_by_key(|word| word.chars().count());
    if let Some(word) = longest.filter(|word| word.chars().count() >= INDEXED) {
        let phrase = format!("\"{}\"", word.replace('"', "\"\""));
        let found: Vec<Found> = sql_query("SELECT rowid AS id FROM roster_search WHERE roster_search MATCH ? LIMIT ?")
            .bind::<Text, _>(phrase)
            .bind::<BigInt, _>(i64::try_from(FEW).unwrap_or_default() + 1)
            .load(conn)?;
        if found.is_empty() {
            return Ok(None);
        }
        if found.len() <= FEW {
            query = query.filter(roster::user_id.eq_any(found.into_iter().map(|found| found.id).collect::<Vec<_>>()));
        }
    }
    for word in words {
        let stands_in_it = sql::<Bool>("instr(roster.search, ").bind::<Text, _>((*word).to_owned()).sql(") > 0");
        query = query.filter(stands_in_it);
    }
    Ok(Some(query))
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

/// Whose id this is: of a person, a customer, a subscription, a payment.
fn owners_of(conn: &mut Conn, id: &str) -> Result<Vec<i64>, StoreError> {
    if !id.contains('_') || id.contains(char::is_whitespace) {
        return Ok(Vec::new());
    }
    let person = users::public_id.eq(id).or(users::stripe_customer_id.eq(id).assume_not_null());
    let mut owners: Vec<i64> = users::table.filter(person).select(users::id).load(conn)?;
    let subscription = subscriptions::provider_id.eq(id).assume_not_null();
    owners.extend(subscriptions::table.filter(subscription).select(subscriptions::user_id).load::<i64>(conn)?);
    let payment = payments::provider_payment_id
        .eq(id)
        .or(payments::provider_invoice_id.eq(id))
        .or(payments::provider_charge_id.eq(id))
        .or(payments::provider_session_id.eq(id));
    owners.extend(payments::table.filter(payment.assume_not_null()).select(payments::user_id).load::<i64>(conn)?);
    owners.sort_unstable();
    owners.dedup();
    Ok(owners)
}

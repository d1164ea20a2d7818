//! People by where they stand. One filter has an index for each order of the list. For each pair of filters there would be too
//! many, so with several one index says whom they let through, if those are few.

use diesel::{
    dsl::{not, sql},
    prelude::*,
    sql_types::Bool,
};

use super::{Conn, StoreError, conn::Db, roster::NONE, schema::roster, subscribers::Filter};
use crate::domain::subscription::{Kind, Status};

/// When more people fit than that, walking along the list finds a page of them sooner than sorting all of them does.
const FEW: usize = 2_000;

type Query<'a> = roster::BoxedQuery<'a, Db>;

/// Leaves those whom the filters on status, kind, plan and confirmation let through.
///
/// # Errors
/// The query failed.
pub(super) fn narrow<'a>(conn: &mut Conn, query: Query<'a>, filter: &Filter) -> Result<Query<'a>, StoreError> {
    let set = [filter.status.is_some(), filter.kind.is_some(), filter.plan.is_some(), filter.unconfirmed];
    if set.into_iter().filter(|is_set| *is_set).count() > 1 {
        let fitting = fitting(conn, filter)?;
        if fitting.len() <= FEW {
            return Ok(looked_at_again(query.filter(roster::user_id.eq_any(fitting)), filter));
        }
    }
    let mut query = query;
    if let Some(status) = filter.status {
        query = query.filter(roster::status.eq(word(status)));
    }
    if let Some(kind) = filter.kind {
        query = query.filter(roster::kind.eq(kind.as_str()));
    }
    if let Some(plan) = &filter.plan {
        query = query.filter(roster::plan.eq(plan.clone()));
    }
    if filter.unconfirmed {
        query = query.filter(not(roster::confirmed));
    }
    Ok(query)
}

/// Whom the filters let through, as far as they are few. Each column of the index has a value, also the one that nobody asked
/// for: then it has every one that there is. The words stand in the statement, so that PostgreSQL knows how common they are.
fn fitting(conn: &mut Conn, filter: &Filter) -> Result<Vec<i64>, StoreError> {
    let statuses = Status::ALL.into_iter().map(Some).chain([None]);
    let statuses = filter.status.map_or_else(|| statuses.map(word).collect(), |status| vec![word(status)]);
    let kinds = Kind::ALL.into_iter().map(Kind::as_str).chain([NONE]);
    let kinds = filter.kind.map_or_else(|| kinds.collect(), |kind| vec![kind.as_str()]);
    let confirmed = if filter.unconfirmed { "FALSE" } else { "FALSE, TRUE" };
    let words = format!(
        "roster.confirmed IN ({confirmed}) AND roster.status IN ('{}') AND roster.kind IN ('{}')",
        statuses.join("', '"),
        kinds.join("', '")
    );
    let mut query = roster::table
        .filter(sql::<Bool>(&words))
        .select(roster::user_id)
        .limit(i64::try_from(FEW + 1).unwrap_or(i64::MAX))
        .into_boxed();
    if let Some(plan) = &filter.plan {
        query = query.filter(roster::plan.eq(plan.clone()));
    }
    Ok(query.load(conn)?)
}

/// The same filters, for people who are found already: somebody may stand elsewhere since. No index answers what is said in
/// this way, so each engine looks at these people and not along the list.
fn looked_at_again<'a>(query: Query<'a>, filter: &Filter) -> Query<'a> {
    let mut query = query;
    if let Some(status) = filter.status {
        query = query.filter(not(roster::status.ne(word(status))));
    }
    if let Some(kind) = filter.kind {
        query = query.filter(not(roster::kind.ne(kind.as_str())));
    }
    if let Some(plan) = &filter.plan {
        query = query.filter(not(roster::plan.ne(plan.clone())));
    }
    if filter.unconfirmed {
        query = query.filter(roster::confirmed.ne(true));
    }
    query
}

fn word(status: Option<Status>) -> &'static str {
    status.map_or(NONE, Status::as_str)
}

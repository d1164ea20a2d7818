//! `/admin/subscribers.csv`: exactly the list of the page, all of it, written while it is read.
//!
//! A program for tables takes a cell that begins with a sign such as `=` for a formula, and runs it. Such a cell gets an
//! apostrophe in front (`docs/admin.md`). Telephone numbers are left as they are: a number can begin with a plus sign, holds
//! nothing but digits and the signs around them, and would not be one any more.

use actix_web::{HttpRequest, HttpResponse, http::header, web};
use chrono::{DateTime, SecondsFormat, Utc};
use futures_util::stream::try_unfold;

use super::list_query::ListQuery;
use crate::{
    auth::guard::Admin,
    domain::subscription::{Kind, Status},
    error::Error,
    pages::site::Site,
    store::{
        Store, StoreError, roster,
        roster::NONE,
        subscribers::{self, Subscriber},
    },
};

/// So many people are in memory at a time.
const AT_A_TIME: i64 = 500;

const COLUMNS: [&str; 17] = [
    "id",
    "email",
    "email_confirmed",
    "title",
    "first_name",
    "last_name",
    "phone",
    "signed_up_at",
    "status",
    "kind",
    "plan",
    "access",
    "until",
    "renews",
    "live_subscriptions",
    "stripe_customer_id",
    "locked",
];

/// The file.
///
/// # Errors
/// The person is no admin, a filter does not exist, or the database failed. When it fails later, the connection is cut, so
/// that nobody takes the beginning for the whole.
pub async fn show(site: web::Data<Site>, request: HttpRequest, Admin(person): Admin) -> Result<HttpResponse, Error> {
    let asked = ListQuery::of(&request)?;
    roster::bring_up_to_date(&site.store, site.policy, site.clock.now()).await?;
    tracing::info!(user = %person.user.public_id, "the list of subscribers is read as a file");
    let state = Some(ListQuery { after: None, ..asked });
    let store = site.store.clone();
    let lines = try_unfold((state, true), move |(state, is_first)| next(store.clone(), state, is_first));
    let name = format!("attachment; filename=\"subscribers-{}.csv\"", site.clock.now().format("%Y-%m-%d"));
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header((header::CONTENT_DISPOSITION, name))
        .insert_header((header::CACHE_CONTROL, "private, no-store"))
        .insert_header((header::VARY, "cookie"))
        .streaming(Box::pin(lines)))
}

type Step = Option<(web::Bytes, (Option<ListQuery>, bool))>;

async fn next(store: Store, state: Option<ListQuery>, is_first: bool) -> Result<Step, Failed> {
    let Some(list) = state else { return Ok(None) };
    let query = list.clone();
    let people =
        store.read(move |conn| subscribers::list(conn, &query.filter, query.order, query.after.as_ref(), AT_A_TIME));
    let people = people.await.inspect_err(|error| tracing::error!(%error, "a list could not be read to its end"))?;
    let more = people.last().filter(|_| people.len() >= usize::try_from(AT_A_TIME).unwrap_or_default());
    let rest = more.map(|last| ListQuery { after: Some(last.place(list.order.sort)), ..list });
    let lines = table(is_first.then_some(&COLUMNS[..]), people.iter().map(|one| cells(one).to_vec()));
    Ok(Some((lines.map_err(Failed::Line)?, (rest, false))))
}

/// The connection is cut then.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a line could not be written: {0}")]
    Line(String),
}

/// Lines of a table, below these columns if there are any; or why they can't be written.
pub(super) fn table(columns: Option<&[&str]>, lines: impl Iterator<Item = Vec<String>>) -> Result<web::Bytes, String> {
    let mut file = csv::Writer::from_writer(Vec::new());
    if let Some(columns) = columns {
        file.write_record(columns).map_err(|error| error.to_string())?;
    }
    for line in lines {
        file.write_record(line).map_err(|error| error.to_string())?;
    }
    file.into_inner().map(web::Bytes::from).map_err(|error| error.to_string())
}

fn cells(one: &Subscriber) -> [String; 17] {
    let optional = |text: &Option<String>| safe(text.as_deref().unwrap_or_default());
    [
        one.public_id.clone(),
        safe(&one.email),
        one.confirmed.to_string(),
        optional(&one.title),
        safe(&one.first_name),
        safe(&one.last_name),
        on_one_line(one.phone.as_deref().unwrap_or_default()),
        instant(one.signed_up_at),
        one.status.map_or(NONE, Status::as_str).to_owned(),
        one.kind.map_or(NONE, Kind::as_str).to_owned(),
        optional(&one.plan),
        if one.granted { "granted" } else { "denied" }.to_owned(),
        one.ends_at.map(instant).unwrap_or_default(),
        one.renews.to_string(),
        one.live.to_string(),
        optional(&one.stripe_customer_id),
        one.locked.to_string(),
    ]
}

fn instant(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// One that no program takes for a formula.
pub(super) fn safe(text: &str) -> String {
    let text = on_one_line(text);
    let looks_like_one = text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠', '\'']);
    if looks_like_one { format!("'{text}") } else { text }
}

/// Each person is one line, whatever stands in the database.
fn on_one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_none_breaks_its_line() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+SUM(A1)", "'+SUM(A1)"),
            ("-2", "'-2"),
            ("@x", "'@x"),
            ("\t=1", "' =1"),
            ("  =1", "'  =1"),
            ("\r\n@x", "'  @x"),
            ("＝1", "'＝1"),
            ("'=1", "''=1"),
            ("O'Brien", "O'Brien"),
            ("a\r\nb", "a  b"),
            ("Ada, \"the first\"", "Ada, \"the first\""),
        ] {
            assert_eq!(safe(text), cell, "{text:?}");
        }
    }
}

//! `/admin/subscribers.csv`: exactly the list of the page, all of it, written while it is read.
//!
//! Telephone numbers are left as they are: a number can begin with a plus sign, holds nothing but digits and the signs around
//! them, and would not be one any more.

use actix_web::{HttpRequest, HttpResponse, web};

use super::{
    csv_file::{self, AT_A_TIME, Batch, instant, last_of_full, on_one_line, safe},
    list_query::ListQuery,
};
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
    let name = format!("subscribers-{}.csv", site.clock.now().format("%Y-%m-%d"));
    let (first, store) = (ListQuery { after: None, ..asked }, site.store.clone());
    Ok(csv_file::answer(&name, &COLUMNS, first, move |list| batch(store.clone(), list)))
}

async fn batch(store: Store, list: ListQuery) -> Result<Batch<ListQuery>, StoreError> {
    let query = list.clone();
    let people = store
        .read(move |conn| subscribers::list(conn, &query.filter, query.order, query.after.as_ref(), AT_A_TIME))
        .await?;
    let rest = last_of_full(&people).map(|last| ListQuery { after: Some(last.place(list.order.sort)), ..list });
    Ok((people.iter().map(cells).collect(), rest))
}

fn cells(one: &Subscriber) -> Vec<String> {
    let optional = |text: &Option<String>| safe(text.as_deref().unwrap_or_default());
    vec![
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

//! `/api/v1/subscribers`: the list of staff and each of its people, for programs with a token.

use actix_web::{HttpRequest, HttpResponse, web};
use url::form_urlencoded;

use super::{
    answer,
    shapes::{Problem, Subscriber, SubscriberPage, SubscriberWithSubscriptions, Subscription},
    words::{KindWord, StandingWord},
};
use crate::{
    auth::api_token::ApiToken,
    error::Error,
    pages::{
        admin::{
            asked::{self, cut},
            list_query::ListQuery,
        },
        site::Site,
    },
    store::{roster, subscribers, subscriptions, users},
};

/// A page of the list.
///
/// # Errors
/// No token that works, a filter that does not exist, or the database failed.
#[utoipa::path(
    get,
    path = "/api/v1/subscribers",
    description = "Everybody with an account, filtered and sorted. `next` leads from page to page: nobody is shown twice or \
                   left out when the list changes meanwhile.",
    security(("token" = [])),
    params(
        ("q" = Option<String>, Query, description = "Each word stands somewhere in the name or the address; or a whole id."),
        ("status" = Option<StandingWord>, Query, description = "Only those with this effective status."),
        ("kind" = Option<KindWord>, Query, description = "Only those whose access comes from here."),
        ("plan" = Option<String>, Query, description = "Only those with the plan of this key."),
        ("twice" = Option<String>, Query, description = "`yes`: only those with two subscriptions or more at Stripe."),
        ("unconfirmed" = Option<String>, Query, description = "`yes`: only those whose address is not confirmed."),
        ("sort" = Option<String>, Query, description = "`sign_up` (the usual one), `name` or `end`."),
        ("dir" = Option<String>, Query, description = "`asc` or `desc`."),
        ("limit" = Option<i64>, Query, description = "So many on a page: 1 to 200, 50 unless said otherwise."),
        ("after" = Option<String>, Query, description = "As `next` has it."),
    ),
    responses(
        (status = 200, description = "A page of the list.", body = SubscriberPage),
        (status = 400, description = "`BAD_REQUEST`: a filter that does not exist, or a damaged `after`.", body = Problem),
        (status = 401, description = "`TOKEN_REQUIRED` or `TOKEN_INVALID`.", body = Problem,
            headers(("WWW-Authenticate" = String, description = "`Bearer`"))),
        (status = 503, description = "The database can't tell at the moment.", body = Problem),
        (status = "default", description = "Any other error.", body = Problem),
    ),
)]
pub async fn list(site: web::Data<Site>, request: HttpRequest, token: ApiToken) -> Result<HttpResponse, Error> {
    refuse_slips(&request)?;
    let asked = ListQuery::of(&request)?;
    roster::bring_up_to_date(&site.store, site.policy, site.clock.now()).await?;
    let list = asked.clone();
    let found = site
        .store
        .read(move |conn| subscribers::list(conn, &list.filter, list.order, list.after.as_ref(), list.limit + 1));
    let mut people = found.await?;
    tracing::info!(token = %token.public_id, "a program reads the list of subscribers");
    let has_more = cut(&mut people, asked.limit);
    let next = people.last().filter(|_| has_more).map(|last| asked.address_after(&last.place(asked.order.sort)));
    Ok(answer(&SubscriberPage {
        data: people.into_iter().map(Subscriber::of).collect(),
        next: next.map(|query| format!("/api/v1/subscribers?{query}")),
    }))
}

/// A filter with a slip in its name would filter nothing, and of two with one name the second would not count. Nobody would
/// see it: a program looks at no page.
fn refuse_slips(request: &HttpRequest) -> Result<(), Error> {
    let names = form_urlencoded::parse(request.query_string().as_bytes()).map(|(name, _)| name);
    let names: Vec<_> = names.collect();
    let is_known = names.iter().all(|name| ListQuery::NAMES.contains(&name.as_ref()));
    let is_single = (1..).zip(&names).all(|(next, name)| !names.iter().skip(next).any(|other| other == name));
    if is_known && is_single { Ok(()) } else { Err(Error::BadRequest("admin-unknown-filter")) }
}

/// One person with all subscriptions.
///
/// # Errors
/// No token that works, nobody with this id, or the database failed.
#[utoipa::path(
    get,
    path = "/api/v1/subscribers/{id}",
    description = "One person with all subscriptions.",
    security(("token" = [])),
    params(("id" = String, Path, description = "The public id.")),
    responses(
        (status = 200, description = "The person.", body = SubscriberWithSubscriptions),
        (status = 401, description = "`TOKEN_REQUIRED` or `TOKEN_INVALID`.", body = Problem,
            headers(("WWW-Authenticate" = String, description = "`Bearer`"))),
        (status = 404, description = "`NOT_FOUND`: nobody has this id.", body = Problem),
        (status = 503, description = "The database can't tell at the moment.", body = Problem),
        (status = "default", description = "Any other error.", body = Problem),
    ),
)]
pub async fn one(site: web::Data<Site>, token: ApiToken, id: web::Path<String>) -> Result<HttpResponse, Error> {
    let (id, now) = (asked::id(&id)?, site.clock.now());
    roster::bring_up_to_date(&site.store, site.policy, now).await?;
    let found = site.store.read(move |conn| {
        let Some(user) = users::by_public_id(conn, &id)?.filter(|user| !user.deleted) else { return Ok(None) };
        let Some(line) = subscribers::one(conn, user.id)? else { return Ok(None) };
        Ok(Some((line, subscriptions::of_user(conn, user.id)?)))
    });
    let (line, all) = found.await?.ok_or(Error::NotFound)?;
    tracing::info!(token = %token.public_id, user = %line.public_id, "a program reads of a subscriber");
    let all = all.iter().map(|one| Subscription::of(one, &site.policy, now)).collect();
    Ok(answer(&SubscriberWithSubscriptions::of(line, all)))
}

//! `/admin/subscribers`: everybody with an account, filtered and sorted.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;

use super::{
    asked::{Choice, choices, cut},
    list_query::ListQuery,
};
use crate::{
    auth::guard::Staff,
    domain::subscription::{Kind, Status},
    error::Error,
    pages::{
        account::plan_name,
        frame::Frame,
        moment::Moment,
        site::{Site, page},
        status::Badge,
    },
    store::{
        roster,
        subscribers::{self, Order, Sort, Subscriber},
        users::User,
    },
};

/// People are counted up to here: to count all of a million would take longer than to show the page.
const COUNTED: i64 = 1_000;

/// One person of the list.
#[derive(Clone, Debug)]
pub struct Line {
    /// Where the person's own page is.
    pub href: String,
    /// With the title.
    pub name: String,
    /// The address of the account.
    pub email: String,
    /// It is confirmed.
    pub confirmed: bool,
    /// An admin keeps the person out.
    pub locked: bool,
    /// The effective status.
    pub badge: Badge,
    /// The plan's name, else the key of the kind's.
    pub plan: Option<String>,
    /// Where the access comes from.
    pub kind: Option<Kind>,
    /// Two subscriptions or more run at Stripe.
    pub twice: bool,
    /// Until when premium pages are open, or when that ended.
    pub ends: Option<Moment>,
    /// They stay open if the renewal is paid.
    pub renews: bool,
    /// When the account was made.
    pub signed_up: Moment,
}

/// A heading that sorts.
#[derive(Clone, Debug)]
pub struct Heading {
    /// The list sorted by it, the other way round if it is already.
    pub href: String,
    /// `ascending`, `descending` or `none`.
    pub sorted: &'static str,
}

/// The page.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/admin/subscribers.html")]
pub struct Subscribers {
    /// Around the page.
    pub frame: Frame,
    /// What was typed into the search.
    pub search: String,
    /// The choices of each filter.
    pub statuses: Vec<Choice>,
    /// Where access comes from.
    pub kinds: Vec<Choice>,
    /// The plans of the settings.
    pub plans: Vec<Choice>,
    /// Only those with two subscriptions at Stripe.
    pub twice: bool,
    /// Only those whose address is not confirmed.
    pub unconfirmed: bool,
    /// The present order, for the form.
    pub order: (&'static str, &'static str),
    /// How many people there are, counted up to a thousand.
    pub count: i64,
    /// There are more than that.
    pub counted_up: bool,
    /// The people of this page.
    pub lines: Vec<Line>,
    /// Name, end and sign-up.
    pub headings: [Heading; 3],
    /// The same list as a file.
    pub csv: String,
    /// The next page, if there is one.
    pub next: Option<String>,
    /// This is not the first one.
    pub first: Option<String>,
}

/// The list.
///
/// # Errors
/// The person is no staff, a filter does not exist, or the template or the database failed.
pub async fn show(site: web::Data<Site>, request: HttpRequest, Staff(person): Staff) -> Result<HttpResponse, Error> {
    let asked = ListQuery::of(&request)?;
    roster::bring_up_to_date(&site.store, site.policy, site.clock.now()).await?;
    let list = asked.clone();
    let (mut people, count) = site
        .store
        .read(move |conn| {
            let people = subscribers::list(conn, &list.filter, list.order, list.after.as_ref(), list.limit + 1)?;
            Ok((people, subscribers::count(conn, &list.filter, COUNTED + 1)?))
        })
        .await?;
    let has_more = cut(&mut people, asked.limit);
    let next = people.last().filter(|_| has_more).map(|last| asked.address_after(&last.place(asked.order.sort)));
    let frame = site.frame(&request, Some(&person));
    page(&Subscribers {
        search: asked.filter.search.clone(),
        statuses: statuses(&frame, &asked),
        kinds: choices(&frame, Kind::ALL, asked.filter.kind, Kind::as_str, kind_word),
        plans: plans(&site, &asked),
        twice: asked.filter.twice,
        unconfirmed: asked.filter.unconfirmed,
        order: (asked.sort_word(), if asked.order.descending { "desc" } else { "asc" }),
        count: count.min(COUNTED),
        counted_up: count > COUNTED,
        lines: people.iter().map(|one| line(&site, &person.user, one)).collect(),
        headings: [Sort::Name, Sort::End, Sort::SignUp].map(|sort| heading(&asked, sort)),
        csv: format!("/admin/subscribers.csv?{}", asked.address()),
        next: next.map(|query| format!("/admin/subscribers?{query}")),
        first: asked.after.as_ref().map(|_| format!("/admin/subscribers?{}", asked.address())),
        frame,
    })
}

fn line(site: &Site, reader: &User, one: &Subscriber) -> Line {
    Line {
        href: format!("/admin/subscribers/{}", one.public_id),
        name: one.name(),
        email: one.email.clone(),
        confirmed: one.confirmed,
        locked: one.locked,
        badge: Badge::of_line(one.status, one.kind),
        plan: one.plan.as_deref().and_then(|key| plan_name(site, key)),
        kind: one.kind,
        twice: one.live > 1,
        ends: one.ends_at.map(|at| site.moment(at, reader)),
        renews: one.renews,
        signed_up: site.moment(one.signed_up_at, reader),
    }
}

/// The key of the word for where access comes from.
pub(super) fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Trial => "admin-kind-trial",
        Kind::Recurring => "admin-kind-recurring",
        Kind::Prepaid => "admin-kind-prepaid",
        Kind::Complimentary => "admin-kind-complimentary",
    }
}

impl Line {
    /// The key of the word for where access comes from.
    fn kind_word(&self) -> Option<&'static str> {
        self.kind.map(kind_word)
    }
}

fn statuses(frame: &Frame, asked: &ListQuery) -> Vec<Choice> {
    let all = Status::ALL.into_iter().map(Some).chain([None]);
    // What is sorted out is the status, so a trial at Stripe is one here.
    let badge = |status| Badge::of_line(status, Some(Kind::Trial));
    choices(frame, all, asked.filter.status, |status| badge(status).code(), |status| badge(status).word())
}

/// Those of the settings, and the one that is asked for even if it is not among them any more.
fn plans(site: &Site, asked: &ListQuery) -> Vec<Choice> {
    let mut keys: Vec<(String, String)> =
        site.billing.plans.iter().map(|plan| (plan.key.clone(), plan.name.clone())).collect();
    if let Some(key) = asked.filter.plan.as_ref().filter(|key| keys.iter().all(|(known, _)| known != *key)) {
        keys.push((key.clone(), key.clone()));
    }
    let chosen = |value: &String| asked.filter.plan.as_ref() == Some(value);
    keys.into_iter().map(|(value, label)| Choice { chosen: chosen(&value), value, label }).collect()
}

fn heading(asked: &ListQuery, sort: Sort) -> Heading {
    let is_this = asked.order.sort == sort;
    // The first click shows what is looked for most: the newest, and what ends soonest.
    let descending = if is_this { !asked.order.descending } else { sort == Sort::SignUp };
    let list = ListQuery { order: Order { sort, descending }, after: None, ..asked.clone() };
    let sorted = match (is_this, asked.order.descending) {
        (false, _) => "none",
        (true, true) => "descending",
        (true, false) => "ascending",
    };
    Heading { href: format!("/admin/subscribers?{}", list.address()), sorted }
}

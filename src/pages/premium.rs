//! `/premium`: the pages behind the gate.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;

use super::{
    frame::Frame,
    moment::Moment,
    site::{Site, page},
};
use crate::{
    auth::guard::Subscriber,
    content::Article,
    domain::{access::shown, subscription::Status},
    error::Error,
};

/// How long the reader may read, at the foot of every premium page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The end of what is given now.
    pub until: Moment,
    /// Goes on by itself after `until`.
    pub renews: bool,
}

/// The list of all articles.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/premium_index.html")]
pub struct PremiumIndex<'a> {
    /// Around the page.
    pub frame: Frame,
    /// What there is to read.
    pub articles: &'a [Article],
    /// How long.
    pub pass: Pass,
}

/// One article.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/premium_article.html")]
pub struct PremiumArticle<'a> {
    /// Around the page.
    pub frame: Frame,
    /// The article.
    pub article: &'a Article,
    /// The one after it, to read on.
    pub next: Option<&'a Article>,
    /// How long.
    pub pass: Pass,
}

/// All premium pages.
///
/// # Errors
/// The gate is closed, or the template failed.
pub async fn index(site: web::Data<Site>, request: HttpRequest, subscriber: Subscriber) -> Result<HttpResponse, Error> {
    page(&PremiumIndex {
        frame: site.frame(&request, Some(&subscriber.person)),
        articles: site.library.articles(),
        pass: pass(&site, &subscriber),
    })
}

/// One premium page.
///
/// # Errors
/// The gate is closed, there is no such page, or the template failed.
pub async fn article(
    site: web::Data<Site>,
    request: HttpRequest,
    subscriber: Subscriber,
    slug: web::Path<String>,
) -> Result<HttpResponse, Error> {
    page(&PremiumArticle {
        frame: site.frame(&request, Some(&subscriber.person)),
        article: site.library.article(&slug).ok_or(Error::NotFound)?,
        next: site.library.after(&slug),
        pass: pass(&site, &subscriber),
    })
}

/// Below the gate nothing is told apart for those who may not come in.
///
/// # Errors
/// Always: the gate is closed, or there is no such page.
pub async fn nothing(_: Subscriber) -> Result<HttpResponse, Error> {
    Err(Error::NotFound)
}

fn pass(site: &Site, subscriber: &Subscriber) -> Pass {
    let person = &subscriber.person;
    let shown = shown(&person.subscriptions, &site.policy, site.clock.now());
    // What is left then is grace, and it ends unless the payment succeeds.
    let unpaid = shown.is_some_and(|one| one.status == Status::PastDue);
    Pass { until: site.moment(subscriber.until, &person.user), renews: subscriber.renews && !unpaid }
}

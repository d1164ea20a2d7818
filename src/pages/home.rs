//! `/`: what this site offers.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::SubsecRound;
use chrono_tz::Tz;

use super::{
    cards::cards,
    frame::Frame,
    moment::Moment,
    plans::{PlanCard, PlanKind},
    site::{Site, page},
};
use crate::{
    auth::guard::Visitor,
    domain::calendar::{TRIAL_MONTHS, add_months_clamped},
    error::Error,
};

/// One premium page as it is announced to everybody.
#[derive(Clone, Debug)]
pub struct Teaser {
    /// Its name in the address.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// One sentence about it.
    pub summary: String,
}

/// The trial that somebody gets who signs up at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Now.
    pub from: Moment,
    /// The end of the trial (`docs/rules.md §2`).
    pub until: Moment,
}

/// The first page.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/home.html")]
pub struct Home {
    /// Around the page.
    pub frame: Frame,
    /// What can be bought.
    pub plans: Vec<PlanCard>,
    /// What there is to read; none hides the section.
    pub teasers: Vec<Teaser>,
    /// What a stranger would get now; nothing hides it.
    pub offer: Option<Offer>,
}

/// The first page.
///
/// # Errors
/// The template failed, or the database could not tell who this is.
pub async fn show(site: web::Data<Site>, request: HttpRequest, visitor: Visitor) -> Result<HttpResponse, Error> {
    let teasers = site.library.articles().iter().map(|article| Teaser {
        slug: article.slug.clone(),
        title: article.title.clone(),
        summary: article.summary.clone(),
    });
    let frame = site.frame(&request, visitor.0.as_ref());
    let now = site.clock.now().trunc_subsecs(0);
    let shown = |at| Moment::new(at, Tz::UTC, frame.words.language());
    let offer = add_months_clamped(now, TRIAL_MONTHS)
        .filter(|_| visitor.0.is_none())
        .map(|end| Offer { from: shown(now), until: shown(end) });
    page(&Home { plans: cards(&site.billing, frame.words), frame, teasers: teasers.collect(), offer })
}

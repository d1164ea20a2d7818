//! `/`: what this site offers.

use askama::Template;

use super::{
    frame::Frame,
    moment::Moment,
    plans::{PlanCard, PlanKind},
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

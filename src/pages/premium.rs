//! `/premium`: the pages behind the gate.

use askama::Template;

use super::{frame::Frame, moment::Moment};
use crate::content::Article;

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

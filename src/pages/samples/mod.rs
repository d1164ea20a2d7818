//! Every page in every state, for the tests.

mod member;
mod security;
mod visitor;

use askama::Template;
use chrono_tz::Tz;

use crate::domain::user::Language;

use crate::{
    content::Article,
    pages::{
        frame::{Frame, Viewer},
        moment::Moment,
        plans::{PlanCard, PlanKind},
    },
};

/// What somebody types who wants to break the page.
pub const NASTY: &str = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>";

/// One rendered page.
pub struct Sample {
    /// Its file under `templates/`.
    pub template: &'static str,
    /// Which state of it.
    pub case: String,
    /// What the browser gets.
    pub html: String,
}

/// All of them.
pub fn all() -> Vec<Sample> {
    [visitor::all(), member::all(), security::all()].into_iter().flatten().collect()
}

fn sample(template: &'static str, case: impl Into<String>, page: &impl Template) -> Sample {
    Sample { template, case: case.into(), html: page.render().unwrap() }
}

fn stranger(path: &str) -> Frame {
    Frame::new(path).with_sandbox(Some("http://127.0.0.1:8081/".to_owned()))
}

fn ada(path: &str) -> Frame {
    viewer(path, "Ada Lovelace", false)
}

fn viewer(path: &str, name: &str, admin: bool) -> Frame {
    stranger(path).with_viewer(Viewer { name: name.to_owned(), email: "ada@example.com".to_owned(), admin })
}

/// The trial's end that `docs/rules.md §2` has in its first row.
fn moment() -> Moment {
    Moment::new("2027-02-28T10:15:30Z".parse().unwrap(), Tz::Europe__Paris, Language::En)
}

fn cards() -> Vec<PlanCard> {
    let card = |key: &str, name: &str, price: Option<&str>, every: Option<&str>, kind| PlanCard {
        key: key.to_owned(),
        name: name.to_owned(),
        price: price.map(str::to_owned),
        every: every.map(str::to_owned),
        kind,
    };
    vec![
        card("monthly", "Monthly", Some("€9.00"), Some("a month"), PlanKind::Recurring),
        card("yearly", "Yearly", Some("€90.00"), Some("a year"), PlanKind::Recurring),
        card("half-year", "Six months, paid once", None, None, PlanKind::Prepaid { months: 6 }),
    ]
}

fn article() -> Article {
    Article {
        slug: "how-access-is-decided".to_owned(),
        title: "How access is decided".to_owned(),
        summary: "One question, one function, one answer.".to_owned(),
        html: "<p>Words.</p>\n<h2>More</h2>\n<p>Words.</p>\n".to_owned(),
    }
}

//! Every page in every state, for the tests.

mod admin;
mod email;
mod member;
mod overview;
mod password;
mod profile;
mod security;
mod tokens;
mod visitor;

use std::cell::Cell;

use askama::Template;
use chrono_tz::Tz;

use crate::{
    content::Article,
    domain::user::Language,
    pages::{
        frame::{Frame, Viewer},
        moment::Moment,
        plans::{PlanCard, PlanKind},
    },
    words::Words,
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

thread_local! {
    /// In which language the samples are made just now; an argument of every function that makes one would say less.
    static LANGUAGE: Cell<Language> = const { Cell::new(Language::En) };
}

/// All of them, in English.
pub fn all() -> Vec<Sample> {
    all_in(Language::En)
}

/// All of them, in this language.
pub fn all_in(language: Language) -> Vec<Sample> {
    LANGUAGE.set(language);
    [
        visitor::all(),
        member::all(),
        security::all(),
        email::all(),
        password::all(),
        profile::all(),
        admin::all(),
        overview::all(),
        tokens::all(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn words() -> Words {
    Words::of(LANGUAGE.get())
}

fn say(key: &'static str) -> String {
    words().say(key).into()
}

fn sample(template: &'static str, case: impl Into<String>, page: &impl Template) -> Sample {
    Sample { template, case: case.into(), html: page.render().unwrap() }
}

fn stranger(path: &str) -> Frame {
    Frame::new(path).in_language(LANGUAGE.get()).with_sandbox(Some("http://127.0.0.1:8081/".to_owned()))
}

fn ada(path: &str) -> Frame {
    viewer(path, "Ada Lovelace", false)
}

fn viewer(path: &str, name: &str, admin: bool) -> Frame {
    stranger(path).with_viewer(Viewer {
        name: name.to_owned(),
        email: "ada@example.com".to_owned(),
        staff: admin,
        admin,
    })
}

/// The trial's end that `docs/rules.md §2` has in its first row.
fn moment() -> Moment {
    Moment::new("2027-02-28T10:15:30Z".parse().unwrap(), Tz::Europe__Paris, LANGUAGE.get())
}

fn cards() -> Vec<PlanCard> {
    let card = |key: &str, name: &str, price: Option<&str>, every: Option<&'static str>, kind| PlanCard {
        key: key.to_owned(),
        name: name.to_owned(),
        price: price.map(str::to_owned),
        every: every.map(|key| words().say(key).with("count", 1).into()),
        kind,
    };
    vec![
        card("monthly", "Monthly", Some("€9.00"), Some("plans-every-month"), PlanKind::Recurring),
        card("yearly", "Yearly", Some("€90.00"), Some("plans-every-year"), PlanKind::Recurring),
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

//! `/signup`: a new account and its trial.

use std::sync::LazyLock;

use askama::Template;

use super::{form::FieldErrors, frame::Frame};

/// What was typed, to be shown again. The password is never shown again.
#[derive(Clone, Debug, Default)]
pub struct SignupForm {
    /// As typed.
    pub email: String,
    /// As typed; optional.
    pub title: String,
    /// As typed.
    pub first_name: String,
    /// As typed.
    pub last_name: String,
    /// As typed; optional.
    pub phone: String,
    /// As typed. An empty one is shown as UTC, and the script puts its guess in.
    pub time_zone: String,
    /// Whether the box was ticked.
    pub accept_terms: bool,
    /// Where to go afterwards: a path of ours, or empty.
    pub next: String,
    /// What was wrong. Names: `email`, `password`, `title`, `first_name`, `last_name`, `phone`, `time_zone`,
    /// `accept_terms`.
    pub errors: FieldErrors,
}

/// The page with the form.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/signup.html")]
pub struct Signup {
    /// Around the page.
    pub frame: Frame,
    /// The form.
    pub form: SignupForm,
}

impl Signup {
    /// The zones that are offered; the field takes others too.
    fn zones() -> &'static [&'static str] {
        &ZONES
    }

    fn time_zone(&self) -> &str {
        if self.form.time_zone.is_empty() { "UTC" } else { &self.form.time_zone }
    }
}

static ZONES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    const REGIONS: [&str; 10] =
        ["Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"];
    let in_a_region = |name: &&str| name.split_once('/').is_some_and(|(region, _)| REGIONS.contains(&region));
    std::iter::once("UTC").chain(chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name()).filter(in_a_region)).collect()
});

//! `/account`: how things stand, and what to do next.

use askama::Template;

use super::{
    frame::Frame,
    moment::Moment,
    status::{Badge, Standing, Words},
};

/// Who the person is.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Title, first and last name, as they are shown.
    pub name: String,
    /// The address.
    pub email: String,
    /// The number, if one was given.
    pub phone: Option<String>,
    /// The IANA name of the zone.
    pub time_zone: String,
    /// When the account was made.
    pub member_since: Moment,
}

/// The page.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/account.html")]
pub struct Account {
    /// Around the page.
    pub frame: Frame,
    /// The effective status.
    pub badge: Badge,
    /// The answer of the gate.
    pub standing: Standing,
    /// The name of the plan, or nothing ("Monthly").
    pub plan: Option<String>,
    /// A greeting right after sign-up.
    pub welcome: bool,
    /// No trial was given, because this person has had one before (`docs/rules.md §2`).
    pub trial_was_used: bool,
    /// Whether Stripe's portal can be opened (`POST /billing-portal`).
    pub portal: bool,
    /// Who the person is.
    pub profile: Profile,
}

impl Account {
    fn is_trial(&self) -> bool {
        self.badge == Badge::Trial
    }

    fn pays_after_trial(&self) -> bool {
        self.badge == Badge::ActiveAfterTrial
    }

    fn is_past_due(&self) -> bool {
        self.badge == Badge::PastDue
    }
}

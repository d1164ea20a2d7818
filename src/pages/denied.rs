//! What the gate says to a person who may not read: why, and what to do.

use askama::Template;

use super::{
    frame::Frame,
    moment::Moment,
    status::{Explained, Reason},
};

/// The page, sent with 403.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/denied.html")]
pub struct Denied {
    /// Around the page.
    pub frame: Frame,
    /// Why.
    pub reason: Reason,
    /// When it ended, if there was something.
    pub since: Option<Moment>,
    /// Whether Stripe's portal can be opened (`POST /billing-portal`).
    pub portal: bool,
}

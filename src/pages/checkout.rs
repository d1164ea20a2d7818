//! `/checkout/return`: what a person sees who comes back from paying. It changes nothing.

use askama::Template;

use super::{frame::Frame, moment::Moment, status::Badge};

/// How far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The signed message has not come yet.
    Pending {
        /// The address of the next look: this page, counting up if the handler wants to count.
        again: String,
    },
    /// It has not come for so long that the person should know.
    Slow {
        /// The address of the next look.
        again: String,
    },
    /// It came.
    Active {
        /// The name of the plan.
        plan: String,
        /// The end of what is given now.
        until: Moment,
        /// Goes on by itself after `until`.
        renews: bool,
    },
    /// The delayed payment was refused in the end.
    Failed,
}

/// The page that looks again by itself.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout_return.html")]
pub struct CheckoutReturn {
    /// Around the page.
    pub frame: Frame,
    /// How far it is.
    pub progress: Progress,
}

impl CheckoutReturn {
    /// The address of the next look and the seconds until then.
    fn again(&self) -> Option<(&str, u32)> {
        match &self.progress {
            Progress::Pending { again } => Some((again, 3)),
            Progress::Slow { again } => Some((again, 15)),
            Progress::Active { .. } | Progress::Failed => None,
        }
    }

    fn state(&self) -> &'static str {
        match self.progress {
            Progress::Pending { .. } => "pending",
            Progress::Slow { .. } => "slow",
            Progress::Active { .. } => "active",
            Progress::Failed => "failed",
        }
    }
}

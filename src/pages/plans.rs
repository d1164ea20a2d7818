//! `/plans`: what can be bought, and what happens to the access that is left.

use askama::Template;

use super::{frame::Frame, moment::Moment};

/// How a plan is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanKind {
    /// Again and again, until it is canceled.
    Recurring,
    /// Once.
    Prepaid {
        /// Calendar months of access.
        months: u32,
    },
}

/// One plan.
#[derive(Clone, Debug)]
pub struct PlanCard {
    /// Its key in the settings, sent by the form.
    pub key: String,
    /// Its name.
    pub name: String,
    /// The amount with its currency ("€9.00"); nothing while the price is not known.
    pub price: Option<String>,
    /// How often ("a month"); nothing for a single payment or an unknown price.
    pub every: Option<String>,
    /// How it is paid.
    pub kind: PlanKind,
}

/// What the person has while they choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// Nothing that could be carried over.
    Nothing,
    /// Access until then, which is carried over (`docs/rules.md §7`).
    Until {
        /// The end of it.
        until: Moment,
        /// How long that is, in words: "184 days".
        left: String,
    },
    /// A recurring subscription is live: nothing is sold a second time (`docs/rules.md §8`).
    Subscribed {
        /// The name of its plan.
        plan: String,
        /// The end of the period that is paid for.
        until: Option<Moment>,
        /// Goes on by itself after `until`.
        renews: bool,
    },
}

/// The page with the cards.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/plans.html")]
pub struct Plans {
    /// Around the page.
    pub frame: Frame,
    /// What can be bought.
    pub plans: Vec<PlanCard>,
    /// What the person has.
    pub left: Left,
    /// What did not work ("Stripe does not answer. Nothing was charged. Try again in a minute."), or what happened
    /// ("You left the payment page. Nothing was charged.").
    pub notice: Option<String>,
}

impl Plans {
    fn can_buy(&self) -> bool {
        !matches!(self.left, Left::Subscribed { .. })
    }
}

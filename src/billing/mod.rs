//! Stripe. Only two things change what somebody paid for: an event whose signature is right, and Stripe's own answer
//! to a question of ours (`docs/rules.md §5`). Both go through [`apply`].

pub mod apply;
pub mod change;
pub mod checkout;
pub mod checkout_request;
pub mod client;
pub mod customer;
mod ending;
pub mod event;
pub mod journal;
mod link;
mod open_sessions;
mod paid_meanwhile;
mod payments;
pub mod portal;
pub mod prices;
pub mod refresh;
pub mod returned;
pub mod signature;

use std::sync::Arc;

use self::client::Client;
pub use self::{client::CallError, prices::Prices, returned::Questions};
use crate::{
    clock::Clock,
    domain::{plan::Plans, subscription::AccessPolicy},
    store::{Store, StoreError},
};

/// Why something with Stripe could not be done.
#[derive(Debug, thiserror::Error)]
pub enum BillingError {
    /// Stripe did not help.
    #[error(transparent)]
    Call(#[from] CallError),
    /// Stripe's answer lacks what it must have.
    #[error("Stripe answered {0}")]
    NoAnswer(&'static str),
    /// The database did not help.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The person has a subscription that runs.
    #[error("the person has a live subscription")]
    AlreadySubscribed,
    /// The person has paid in this checkout session, and no message had come of it yet.
    #[error("the person has paid already, in {0}")]
    PaidMeanwhile(String),
    /// This can't be had in this way.
    #[error("not offered")]
    NotOffered,
}

/// What has to be known to apply Stripe's word.
#[derive(Clone, Debug)]
pub struct Rules {
    /// What can be bought; other prices open nothing.
    pub plans: Arc<Plans>,
    /// Whether our key is a live one.
    pub livemode: bool,
    /// What the operator decided about access.
    pub policy: AccessPolicy,
}

/// All that we do with Stripe.
#[derive(Clone)]
pub struct Billing {
    /// Where our word is kept.
    pub store: Store,
    /// Our calls.
    pub client: Client,
    /// What can be bought.
    pub plans: Arc<Plans>,
    /// What it costs.
    pub prices: Prices,
    /// How often Stripe was asked for whom.
    pub questions: Questions,
    /// What the operator decided about access.
    pub policy: AccessPolicy,
    /// How long the payloads of events are kept (`docs/rules.md §10`).
    pub journal_retention: chrono::TimeDelta,
    /// The time.
    pub clock: Clock,
    /// Whether our key is a live one.
    pub livemode: bool,
    /// Our address as people reach it, without a slash at the end.
    pub public_url: String,
}

impl Billing {
    fn rules(&self) -> Rules {
        Rules { plans: Arc::clone(&self.plans), livemode: self.livemode, policy: self.policy }
    }

    fn our_page(&self, path: &str) -> String {
        format!("{}{path}", self.public_url)
    }
}

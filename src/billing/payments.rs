//! Payments: what Stripe tells of money that moved, or did not (`docs/rules.md §6`).
//!
//! Everything here runs inside the transaction of an event, and every order of the events of one payment ends the same.
//! A payment's row begins with an event that tells what was bought and by whom: a checkout session in mode `payment`, or
//! an invoice. What comes before that waits in the journal. Of all payments only prepaid ones open anything.

mod charge;
mod invoice;
mod ledger;
mod owner;
mod session;

use chrono::{DateTime, Utc};

pub(super) use self::{
    charge::{charge, dispute, invoice_payment},
    invoice::invoice,
    session::session,
};
use super::{Rules, event::Event};
use crate::domain::notice::Amount;

/// An event at work.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    /// What has to be known to apply it.
    pub(super) rules: &'a Rules,
    /// What came.
    pub(super) event: &'a Event,
    /// The time.
    pub(super) now: DateTime<Utc>,
}

fn amount(minor: i64, currency: Option<crate::domain::money::Currency>) -> Option<Amount> {
    Some(Amount { minor, currency: currency?.as_str().to_owned() })
}

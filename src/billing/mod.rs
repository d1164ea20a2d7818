//! Stripe.

pub mod event;
pub mod signature;

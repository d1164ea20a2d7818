//! The whole sandbox over HTTP, with an endpoint that records what it is sent.

mod api;
mod changes;
mod checkout;
mod control;
mod delivery;
mod invoice_payments;
mod life;
mod money;
mod nonsense;
mod pages;
mod pausing;
mod support;
mod typed;

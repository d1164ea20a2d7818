//! One file for each URL, or each thing that holds for many of them.

mod account;
mod checkout;
mod cross_site;
mod errors;
mod health;
mod login;
mod payments;
mod premium;
mod premium_spellings;
mod prepaid;
mod prepaid_order;
mod sessions;
mod signup;
mod signup_input;
mod subscription_life;
mod webhook_effects;
mod webhook_ends;
mod webhook_events;
mod webhook_order;
mod webhook_periods;
mod webhook_refresh;
mod webhook_shapes;
mod webhook_signature;
mod webhook_starts;
mod webhook_statuses;

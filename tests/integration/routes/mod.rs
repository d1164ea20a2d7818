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
mod webhook_order;
mod webhook_refresh;
mod webhook_signature;

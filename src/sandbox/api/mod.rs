//! Stripe's API under `/v1`: questions in, answers out.

mod auth;
mod billing_portal;
mod call;
mod checkout_sessions;
mod customers;
mod disputes;
mod error;
mod events;
pub mod idempotency;
mod invoice_payments;
mod invoices;
pub mod params;
mod payments;
mod prices;
mod products;
mod refunds;
mod routes;
mod server;
mod subscription_update;
mod subscriptions;
mod webhook_endpoints;

pub use call::Call;
pub use error::ApiError;
pub use server::answer;

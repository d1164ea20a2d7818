//! Stripe's official client libraries, from the package registries, against the sandbox and against our webhook route.

mod alone;
mod beside;
mod signature;

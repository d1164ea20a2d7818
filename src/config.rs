//! The settings.

mod secret;

pub use secret::Secret;

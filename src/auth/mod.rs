//! Who somebody is, and what keeps others from pretending.

pub mod origin;
pub mod password;
pub mod rate_limit;

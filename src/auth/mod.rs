//! Who somebody is, and what they may do.

pub mod guard;
pub mod next;
pub mod refusal;
pub mod session;
pub mod token;

//! What the program decides, without I/O, clock or framework.

pub mod email;
pub mod money;
pub mod plan;
pub mod text;
pub mod user;

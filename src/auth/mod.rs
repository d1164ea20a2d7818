//! Who somebody is, and what they may do.

pub mod api_token;
pub mod deletion;
pub mod device;
pub mod email;
pub mod guard;
pub mod new_password;
pub mod next;
pub mod origin;
pub mod password;
pub mod rate_limit;
pub mod refusal;
pub mod second_factor;
pub mod session;
pub mod sign_up;
pub mod token;

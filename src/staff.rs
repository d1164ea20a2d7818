//! What staff do for people: each action with a reason, an entry in the log, and the functions that people's own actions use
//! too.

mod action;
mod perform;
mod roles;
mod tokens;

pub use self::{
    action::{Action, Asked},
    perform::{Outcome, Services, given_span, perform},
    roles::{RoleChange, set_role},
    tokens::{By, MAKE_TOKEN, REVOKE_TOKEN, make_token, revoke_token},
};

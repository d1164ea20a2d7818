//! What people see: one file for each resource, with its Askama struct (the page's contract) and its handlers.
//!
//! [`frame`], [`form`], [`moment`] and [`status`] are shared by the pages.

pub mod account;
pub mod account_deletion;
pub mod account_email;
pub mod account_password;
pub mod account_profile;
pub mod admin;
pub mod api;
pub mod cards;
pub mod checkout;
pub mod checkout_return;
pub mod denied;
pub mod email_confirmation;
pub mod error_page;
pub mod form;
pub mod frame;
pub mod gate;
pub mod health;
pub mod home;
pub mod login;
pub mod login_code;
pub mod moment;
mod own_password;
pub mod password_reset;
pub mod payments;
mod person;
pub mod plans;
pub mod posted;
pub mod premium;
pub mod problem;
pub mod second_factor;
pub mod secret_address;
pub mod sessions;
pub mod signup;
pub mod site;
pub mod static_files;
pub mod status;
pub mod subscription;
pub mod way_back;
pub mod webhook;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

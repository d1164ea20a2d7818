//! The rules of the product as pure functions and types: no I/O, no clock, no framework.

pub mod access;
pub mod browser;
pub mod calendar;
pub mod carry_over;
pub mod email;
pub mod figures;
pub mod full_name;
pub mod gate;
pub mod history;
pub mod input;
pub mod local_time;
pub mod money;
pub mod notice;
pub mod payment;
pub mod plan;
pub mod prepaid;
pub mod provider;
pub mod standing;
pub mod subscription;
pub mod text;
pub mod user;

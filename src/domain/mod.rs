//! The rules of the product as pure functions and types: no I/O, no clock, no framework.

pub mod access;
pub mod calendar;
pub mod provider;
pub mod subscription;

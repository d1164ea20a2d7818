//! Turnpike puts a gate in front of paid pages.
//!
//! Who may import whom (a test keeps these arrows):
//!
//! - [`clock`] nothing of ours
//! - [`domain`] nothing of ours: no I/O, no clock, no framework
//! - [`store`] → `domain`, `clock`: the only Diesel
//! - [`billing`], [`auth`], [`jobs`] → `store`, `domain`, `clock`, `config`
//! - [`pages`] → those and [`error`]
//! - [`routes`] → `pages`
//! - [`startup`] → all
//! - [`sandbox`] → `clock` and its own files only

pub mod assets;
pub mod billing;
pub mod clock;
pub mod config;
pub mod content;
pub mod domain;
pub mod pages;
pub mod store;

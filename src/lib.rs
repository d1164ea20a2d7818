//! Turnpike puts a gate in front of paid pages.
//!
//! Who may import whom (a test keeps these arrows):
//!
//! - [`clock`] nothing of ours
//! - [`domain`] nothing of ours: no I/O, no clock, no framework
//! - [`store`] → `domain`, `clock`: the only Diesel
//! - [`config`] → `domain`; [`words`] → `domain`; [`content`] and [`assets`] nothing; [`telemetry`] → `config`, `clock`
//! - [`billing`], [`auth`], [`mail`] → `store`, `domain`, `clock`, `config`, `words`; `mail` → `auth` too; [`jobs`] → those,
//!   `billing` and `mail`
//! - [`staff`] → `billing`, `auth`, `store`, `domain`, `clock`
//! - [`error`] → those; [`pages`] → those and `error`
//! - [`routes`] → `pages`
//! - [`startup`] and the command line → all
//! - [`sandbox`] → `clock` and its own files only

pub mod assets;
pub mod auth;
pub mod billing;
pub mod clock;
pub mod config;
pub mod content;
pub mod domain;
pub mod error;
pub mod jobs;
pub mod mail;
pub mod pages;
pub mod routes;
pub mod sandbox;
pub mod staff;
pub mod startup;
pub mod store;
pub mod telemetry;
pub mod words;

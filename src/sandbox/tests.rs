//! The whole sandbox over HTTP.

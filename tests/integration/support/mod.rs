//! What the tests stand on.

pub mod app;
pub mod browser;
pub mod case;
pub mod client;
pub mod database;
pub mod device;
pub mod letters;
pub mod mail_server;
pub mod member;
pub mod official;
pub mod order;
pub mod outbox;
pub mod payment;
pub mod postgres;
pub mod process;
pub mod program;
pub mod raw;
pub mod sandbox;
pub mod scripted;
pub mod smtp;
pub mod source;
pub mod staff;
pub mod stripe;

/// The page to which a redirect to log-in will come back, decoded.
pub fn next_of(answer: &client::Answer) -> Option<String> {
    let target = answer.location()?;
    let query = target.strip_prefix("/login?")?;
    serde_urlencoded::from_str::<Vec<(String, String)>>(query)
        .ok()?
        .into_iter()
        .find(|(name, _)| name == "next")
        .map(|(_, value)| value)
}

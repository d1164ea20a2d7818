//! Mail: what people are told, and how it reaches them.
//!
//! A mail is a row, queued in the transaction of its cause (`store::mails`). [`Mailer`] takes the rows that are due,
//! writes each mail with what is known of the person at that moment, hands it over, and marks it as sent only then: a
//! mail may be handed over twice after a crash, under the same name and the same Message-ID, but it is never lost.
//!
//! Secrets in links are made when a mail is written, not when it is queued ([`errand`]): the database never holds one.

mod email_letters;
mod envelope;
mod errand;
mod farewell;
mod greeting;
mod message;
mod outbox;
mod password_letters;
mod pauses;
mod payment_letters;
mod security_letters;
mod sender;
mod smtp;
mod transport;

pub use self::{
    message::{Letter, Reader},
    sender::{Mailer, Round},
    transport::{Transport, TransportError},
};

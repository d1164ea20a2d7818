//! Mail: what people are told, and how it reaches them.
//!
//! A mail is a row, queued in the transaction of its cause (`store::mails`). [`Mailer`] takes the rows that are due,
//! writes each mail with what is known of the person at that moment, hands it over, and marks it as sent only then: a
//! mail may be handed over twice after a crash, under the same name and the same Message-ID, but it is never lost.

mod envelope;
mod greeting;
mod message;
mod outbox;
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

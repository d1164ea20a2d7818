//! A letter in its envelope: RFC 5322 headers around text and HTML.

use std::time::SystemTime;

use chrono::{DateTime, Utc};
use lettre::{
    Address, Message,
    message::{
        Mailbox, MultiPart, MultiPartKind, SinglePart,
        header::{Header, HeaderName, HeaderValue},
    },
};

use super::message::Letter;
use crate::domain::email::Email;

/// What names a mail for ever: the number of its row, and when it was queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) id: i64,
    pub(super) queued_at: DateTime<Utc>,
}

impl Mark {
    /// In order of time, and the same at every try.
    pub(super) fn name(self) -> String {
        format!("{}-{}", self.queued_at.format("%Y%m%dT%H%M%S%6fZ"), self.id)
    }
}

/// Why a mail can't be put into an envelope.
#[derive(Debug, thiserror::Error)]
pub(super) enum EnvelopeError {
    #[error("the person's address can't be written to")]
    Recipient,
    #[error("a template failed: {0}")]
    Template(#[from] askama::Error),
    #[error("the mail can't be put together: {0}")]
    Message(#[from] lettre::error::Error),
}

/// The whole mail. Only the date differs from one try to the next.
pub(super) fn seal(
    letter: &Letter,
    from: &Mailbox,
    to: &str,
    mark: Mark,
    now: DateTime<Utc>,
) -> Result<Message, EnvelopeError> {
    let domain = from.email.domain();
    let boundary = format!("=_turnpike_{}", mark.name());
    // The address alone: a name beside it would be one more place for what a stranger typed.
    let message = Message::builder()
        .from(from.clone())
        .to(Mailbox::new(None, recipient(to)?))
        .subject(letter.subject.as_str())
        .date(SystemTime::from(now))
        .message_id(Some(format!("<{}@{domain}>", mark.name())))
        .header(AutoSubmitted)
        .multipart(
            MultiPart::builder()
                .kind(MultiPartKind::Alternative)
                .boundary(boundary)
                .singlepart(SinglePart::plain(letter.text()?))
                .singlepart(SinglePart::html(letter.html()?)),
        );
    Ok(message?)
}

/// The domain in ASCII, because few servers take another; the part before the @ as its owner writes it.
fn recipient(to: &str) -> Result<Address, EnvelopeError> {
    let email = Email::parse(to).map_err(|_| EnvelopeError::Recipient)?;
    let (local, _) = email.as_str().split_once('@').ok_or(EnvelopeError::Recipient)?;
    let (_, domain) = email.canonical().split_once('@').ok_or(EnvelopeError::Recipient)?;
    Address::new(local, domain).map_err(|_| EnvelopeError::Recipient)
}

/// RFC 3834: no machine shall answer.
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

#[cfg(test)]
mod tests;

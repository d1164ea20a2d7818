//! Where mails are handed over.

use std::path::Path;

use lettre::{Address, Message, message::Mailbox};
use url::Url;

use super::{outbox::Outbox, smtp::Server};
use crate::config::{self, Mail};

/// The settings for mail can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// `TURNPIKE_MAIL`.
    #[error("TURNPIKE_MAIL names no mail server that can be used; set it to smtps://user:password@host")]
    Server,
    /// `TURNPIKE_MAIL_CA`.
    #[error("TURNPIKE_MAIL_CA names no file with certificates; set it to a file in PEM format")]
    Certificates,
    /// `TURNPIKE_MAIL_FROM`.
    #[error("TURNPIKE_MAIL_FROM is no address to send from; set it to Name <address>")]
    Sender,
}

/// From whom mails are, and where they are handed over.
#[derive(Clone, Debug)]
pub struct Transport {
    pub(super) from: Mailbox,
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    Folder(Outbox),
    Server(Server),
}

/// Why a mail was not taken, without addresses and secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) reason: String,
    /// Of this mail alone, and hardly different at the next try.
    pub(super) refused: bool,
}

impl Failure {
    pub(super) fn passing(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), refused: false }
    }

    pub(super) fn refused(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), refused: true }
    }
}

impl Transport {
    /// What the settings name, for the site at `public_url`. The mail server's certificate comes from a public authority,
    /// or from one of the file `authorities`.
    ///
    /// # Errors
    /// The URL of the mail server, the certificates or the sender can't be used.
    pub fn new(
        mail: &Mail,
        authorities: Option<&Path>,
        from: &config::Mailbox,
        public_url: &Url,
    ) -> Result<Self, TransportError> {
        let address: Address = from.address.parse().map_err(|_| TransportError::Sender)?;
        let name = Some(from.name.clone()).filter(|name| !name.is_empty());
        let way = match mail {
            Mail::Dir(folder) => Way::Folder(Outbox::new(folder.clone())),
            Mail::Smtp(url) => {
                Way::Server(Server::new(url, authorities, public_url.host_str().unwrap_or("localhost"))?)
            }
        };
        Ok(Self { from: Mailbox::new(name, address), way })
    }

    /// Hands a mail over. The same name is the same mail.
    pub(super) async fn send(&self, name: &str, message: Message) -> Result<(), Failure> {
        match &self.way {
            Way::Folder(outbox) => {
                let written = outbox.put(name, message.formatted()).await;
                written.map_err(|error| Failure::passing(format!("the outbox can't be written: {}", error.kind())))
            }
            Way::Server(server) => server.send(message).await,
        }
    }
}

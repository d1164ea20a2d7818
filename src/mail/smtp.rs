//! A mail server, by SMTP.

use std::{error::Error, io, time::Duration};

use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    transport::smtp::{self, extension::ClientId},
};
use url::Url;

use super::transport::{Failure, TransportError};
use crate::config::Secret;

/// How long the server may take for each of its answers.
const ANSWER: Duration = Duration::from_secs(10);
/// How long it may take for a whole mail.
const WHOLE: Duration = Duration::from_secs(60);
/// The server wants other credentials or more encryption: the operator's matter, not the person's.
const ABOUT_US: [u16; 4] = [530, 534, 535, 538];

/// One connection for each mail.
#[derive(Clone, Debug)]
pub(super) struct Server(AsyncSmtpTransport<Tokio1Executor>);

impl Server {
    /// The server of an `smtp://` or `smtps://` URL, greeted by the name of our site unless the URL's path says another.
    pub(super) fn new(url: &Secret, our_name: &str) -> Result<Self, TransportError> {
        let parsed = Url::parse(url.expose()).map_err(|_| TransportError::Server)?;
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.expose())
            .map_err(|_| TransportError::Server)?
            .timeout(Some(ANSWER));
        if parsed.path().trim_matches('/').is_empty() {
            builder = builder.hello_name(ClientId::Domain(our_name.to_owned()));
        }
        Ok(Self(builder.build()))
    }

    pub(super) async fn send(&self, message: Message) -> Result<(), Failure> {
        match tokio::time::timeout(WHOLE, self.0.send(message)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(failure(&error)),
            Err(_) => Err(Failure::passing("the mail server is too slow")),
        }
    }
}

/// In our own words: a server's often repeat the address.
fn failure(error: &smtp::Error) -> Failure {
    if let Some(code) = error.status() {
        let number = code.to_string();
        let about_us = ABOUT_US.iter().any(|ours| number == ours.to_string());
        let reason = format!("the mail server answered {number}");
        return if error.is_permanent() && !about_us { Failure::lasting(reason) } else { Failure::passing(reason) };
    }
    if error.is_timeout() {
        return Failure::passing("the mail server does not answer");
    }
    if error.is_tls() {
        return Failure::passing("the connection to the mail server can't be encrypted");
    }
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(inner) = cause {
        if let Some(system) = inner.downcast_ref::<io::Error>() {
            return Failure::passing(format!("the mail server can't be reached: {}", system.kind()));
        }
        cause = inner.source();
    }
    Failure::passing("the mail server can't be spoken to")
}

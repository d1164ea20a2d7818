//! A mail server, by SMTP.

use std::{error::Error, fs, io, path::Path, time::Duration};

use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    transport::smtp::{
        self,
        client::{Certificate, Tls, TlsParameters},
        extension::ClientId,
    },
};
use url::Url;

use super::transport::{Failure, TransportError};
use crate::config::Secret;

/// How long it may take until there is a connection.
const CONNECTING: Duration = Duration::from_secs(10);
/// How long it may take in all. The library bounds nothing but the connecting.
const PATIENCE: Duration = Duration::from_secs(30);
const UNENCRYPTED: &str = "the connection to the mail server can't be encrypted";
/// The server wants other credentials or more encryption: the operator's matter, not the person's.
const ABOUT_US: [u16; 4] = [530, 534, 535, 538];

/// One connection for each mail.
#[derive(Clone, Debug)]
pub(super) struct Server {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    patience: Duration,
}

impl Server {
    /// The server of an `smtp://` or `smtps://` URL, greeted by the name of our site unless the URL's path says another.
    pub(super) fn new(url: &Secret, authorities: Option<&Path>, our_name: &str) -> Result<Self, TransportError> {
        let parsed = Url::parse(url.expose()).map_err(|_| TransportError::Server)?;
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.expose())
            .map_err(|_| TransportError::Server)?
            .timeout(Some(CONNECTING));
        if parsed.path().trim_matches('/').is_empty() {
            builder = builder.hello_name(ClientId::Domain(our_name.to_owned()));
        }
        if let Some(tls) = tls(&parsed, authorities)? {
            builder = builder.tls(tls);
        }
        Ok(Self { transport: builder.build(), patience: PATIENCE })
    }

    pub(super) async fn send(&self, message: Message) -> Result<(), Failure> {
        match tokio::time::timeout(self.patience, self.transport.send(message)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(failure(&error)),
            Err(_) => Err(Failure::passing("the mail server does not answer")),
        }
    }
}

/// The encryption that the URL asks for, where other authorities than the public ones are believed too.
fn tls(url: &Url, authorities: Option<&Path>) -> Result<Option<Tls>, TransportError> {
    let Some(file) = authorities else { return Ok(None) };
    let pem = fs::read(file).map_err(|_| TransportError::Certificates)?;
    if !pem.windows(BEGINS.len()).any(|bytes| bytes == BEGINS) {
        return Err(TransportError::Certificates);
    }
    let certificates = Certificate::from_pem(&pem).map_err(|_| TransportError::Certificates)?;
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let parameters = TlsParameters::builder(host).add_root_certificate(certificates).build_rustls();
    let parameters = parameters.map_err(|_| TransportError::Certificates)?;
    let required = url.query_pairs().any(|(name, value)| name == "tls" && value == "required");
    Ok(match url.scheme() {
        "smtps" => Some(Tls::Wrapper(parameters)),
        _ if required => Some(Tls::Required(parameters)),
        _ if url.query().is_some() => Some(Tls::Opportunistic(parameters)),
        _ => None,
    })
}

/// The library takes a file without any certificate for one with none too many.
const BEGINS: &[u8] = b"-----BEGIN CERTIFICATE-----";

/// In our own words: a server's often repeat the address.
fn failure(error: &smtp::Error) -> Failure {
    if let Some(code) = error.status() {
        let number = code.to_string();
        let about_us = ABOUT_US.iter().any(|ours| number == ours.to_string());
        let reason = format!("the mail server answered {number}");
        return if error.is_permanent() && !about_us { Failure::refused(reason) } else { Failure::passing(reason) };
    }
    if error.is_timeout() {
        return Failure::passing("the mail server does not answer");
    }
    if error.is_tls() {
        return Failure::passing(UNENCRYPTED);
    }
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(inner) = cause {
        if let Some(system) = inner.downcast_ref::<io::Error>() {
            return Failure::passing(match system.kind() {
                // What a certificate that is not believed comes to.
                io::ErrorKind::InvalidData => UNENCRYPTED.to_owned(),
                kind => format!("the mail server can't be reached: {kind}"),
            });
        }
        cause = inner.source();
    }
    Failure::passing("the mail server can't be spoken to")
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn certificates_that_can_not_be_read_are_refused_at_the_start() {
        let (folder, url) = (tempfile::tempdir().unwrap(), Secret::new("smtps://mail.example.com"));
        let file = folder.path().join("authority.pem");
        for text in [
            None,
            Some(""),
            Some("not a certificate"),
            Some("-----BEGIN CERTIFICATE-----\n???\n-----END CERTIFICATE-----"),
        ] {
            if let Some(text) = text {
                fs::write(&file, text).unwrap();
            }
            let refused = Server::new(&url, Some(&file), "localhost").unwrap_err();
            assert!(matches!(refused, TransportError::Certificates), "{text:?}: {refused}");
        }
    }

    #[tokio::test]
    async fn a_server_that_connects_and_says_nothing_is_not_waited_for() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = Secret::new(format!("smtp://{}", silent.local_addr().unwrap()));
        let server = Server { patience: Duration::from_millis(200), ..Server::new(&url, None, "localhost").unwrap() };
        let message = Message::builder().from("a@localhost".parse().unwrap()).to("b@localhost".parse().unwrap());
        let failure = server.send(message.body(String::new()).unwrap()).await.unwrap_err();
        assert_eq!(failure, Failure::passing("the mail server does not answer"));
    }
}

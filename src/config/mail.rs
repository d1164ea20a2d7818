//! Where mail goes, and from whom it is.

use std::{
    fmt,
    net::IpAddr,
    path::{Path, PathBuf},
};

use url::Url;

use super::{secret::Secret, value::Parsed};
use crate::domain::email::Email;

/// Where mail goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mail {
    /// Into a folder, one file for each mail.
    Dir(PathBuf),
    /// To a server: an `smtp://` or `smtps://` URL, which may hold a password.
    Smtp(Secret),
}

impl Mail {
    pub(super) fn parse(text: &str, cwd: &Path) -> Parsed<Self> {
        const SHAPE: &str = "must be dir:FOLDER, smtps://user:password@host or smtp://user:password@host?tls=required";
        if let Some(folder) = text.strip_prefix("dir:").filter(|folder| !folder.is_empty()) {
            return Ok(Self::Dir(cwd.join(folder)));
        }
        let url = Url::parse(text).map_err(|_| SHAPE)?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(SHAPE)?;
        let parameters: Vec<_> = url.query_pairs().collect();
        let tls = parameters.iter().map(|(name, value)| (name.as_ref(), value.as_ref())).collect::<Vec<_>>();
        let encrypted = match (url.scheme(), tls.as_slice()) {
            ("smtps", []) | ("smtp", [("tls", "required")]) => true,
            ("smtp", [] | [("tls", "opportunistic")]) => false,
            _ => return Err(SHAPE.into()),
        };
        let password = url.password().is_some();
        if password == url.username().is_empty() {
            return Err("needs both user and password, or neither".into());
        }
        let local =
            host == "localhost" || host.trim_matches(['[', ']']).parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
        if password && !encrypted && !local {
            return Err("would send the password in clear; start it with smtps:// or add ?tls=required".into());
        }
        Ok(Self::Smtp(Secret::new(text)))
    }
}

/// A sender: `Name <address>` or an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailbox {
    /// The name, perhaps empty.
    pub name: String,
    /// The address.
    pub address: String,
}

impl Mailbox {
    pub(super) fn parse(text: &str) -> Parsed<Self> {
        let (name, address) = match text.strip_suffix('>').and_then(|text| text.split_once('<')) {
            Some((name, address)) => (name.trim(), address.trim()),
            None => ("", text.trim()),
        };
        // A machine without a domain can still send to its own outbox.
        let local = address.strip_suffix("@localhost").map(|local| format!("{local}@localhost.localdomain"));
        Email::parse(local.as_deref().unwrap_or(address)).map_err(|_| "must be an address or Name <address>")?;
        if name.chars().any(|c| c.is_control() || "<>\"@".contains(c)) {
            return Err("the name before the address must not contain < > @ or quotes".into());
        }
        Ok(Self { name: name.to_owned(), address: address.to_owned() })
    }
}

impl fmt::Display for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.as_str() {
            "" => f.write_str(&self.address),
            name => write!(f, "{name} <{}>", self.address),
        }
    }
}

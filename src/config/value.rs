//! What each setting's text may be. The errors say what is wrong and go behind the setting's name; those of secrets
//! never repeat the text.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    ops::RangeInclusive,
    path::{Path, PathBuf},
    time::Duration,
};

use ipnet::IpNet;
use tracing::metadata::LevelFilter;
use tracing_subscriber::EnvFilter;
use url::{Host, Url};

use super::secret::Secret;

pub(super) type Parsed<T> = Result<T, String>;

/// Where the data is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// A file.
    Sqlite(PathBuf),
    /// A `postgres://` URL, which may hold a password.
    Postgres(Secret),
}

impl DatabaseUrl {
    pub(super) fn parse(text: &str, cwd: &Path) -> Parsed<Self> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(Secret::new(text)));
        }
        let path = match text.strip_prefix("sqlite:") {
            Some(rest) => rest.strip_prefix("//").unwrap_or(rest),
            None => match text.split_once("://") {
                Some((scheme, _)) => {
                    return Err(format!("{scheme}:// is not supported; use an SQLite file or postgres://…"));
                }
                None => text,
            },
        };
        if path.contains(":memory:") {
            return Err("a database in memory would be lost and can't be shared; name a file".into());
        }
        if path.is_empty() || path.ends_with('/') || path.starts_with("file:") || path.contains('\0') {
            return Err("must name a file, such as data/turnpike.db, or start with postgres://".into());
        }
        Ok(Self::Sqlite(cwd.join(path)))
    }

    /// The folder for what is kept beside the database.
    pub(super) fn folder(&self, cwd: &Path) -> PathBuf {
        match self {
            Self::Sqlite(file) => match file.parent() {
                Some(parent) if parent != Path::new("") => parent.to_owned(),
                _ => PathBuf::from("."),
            },
            Self::Postgres(_) => cwd.join("data"),
        }
    }
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object on each line.
    Json,
}

impl LogFormat {
    pub(super) fn parse(text: &str) -> Parsed<Self> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(format!("\"{text}\" must be text or json")),
        }
    }
}

pub(super) fn socket_address(text: &str) -> Parsed<SocketAddr> {
    text.parse().map_err(|_| format!("\"{text}\" must be an IP address and a port, such as 127.0.0.1:8080"))
}

pub(super) fn loopback_address(text: &str) -> Parsed<SocketAddr> {
    let address = socket_address(text)?;
    let local = address.ip().to_canonical().is_loopback();
    if local { Ok(address) } else { Err(format!("\"{text}\" must be on this machine, such as 127.0.0.1:8081")) }
}

/// `http://` with the listening port; a wildcard address is reached through 127.0.0.1.
pub(super) fn url_of(listen: SocketAddr) -> Result<Url, super::ConfigError> {
    let ip = if listen.ip().is_loopback() { listen.ip() } else { Ipv4Addr::LOCALHOST.into() };
    let text = format!("http://{}", SocketAddr::new(ip, listen.port()));
    Url::parse(&text).map_err(|error| super::ConfigError::new(format!("TURNPIKE_LISTEN: {error}")))
}

pub(super) fn public_url(text: &str) -> Parsed<Url> {
    let url = web_url(text)?;
    if url.path() != "/" {
        return Err(format!("\"{text}\" must be without a path, such as https://members.example.com"));
    }
    Ok(url)
}

/// Hosts as browsers write them: in small letters, with a port only where it is not the usual one of the scheme.
pub(super) fn hosts(text: &str) -> Parsed<Vec<String>> {
    text.split(',').map(|host| host_and_port(host.trim())).collect()
}

fn host_and_port(text: &str) -> Parsed<String> {
    let wrong = || format!("\"{text}\" must be a host such as wiki.example.com, or with a port, wiki.example.com:8443");
    let url = Url::parse(&format!("https://{text}/")).map_err(|_| wrong())?;
    let host = url.host_str().filter(|_| url.path() == "/" && url.query().is_none() && !text.contains(['/', '@', '#']));
    let host = host.ok_or_else(wrong)?;
    Ok(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// A domain with at least one dot in it: a cookie for all of `com` would be refused by browsers.
pub(super) fn domain(text: &str) -> Parsed<String> {
    let name = text.trim_start_matches('.');
    match Host::parse(name) {
        Ok(Host::Domain(domain)) if domain.contains('.') && !domain.ends_with('.') => Ok(domain),
        _ => Err(format!("\"{text}\" must be a domain such as example.com")),
    }
}

pub(super) fn api_base(text: &str) -> Parsed<Url> {
    let mut url = web_url(text)?;
    if url.scheme() != "https" && !is_loopback(&url) {
        return Err(format!("\"{text}\" must start with https://, or the key would travel in clear"));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    if path.ends_with("/v1") {
        return Err(format!("\"{text}\" must be without /v1"));
    }
    url.set_path(&format!("{path}/"));
    Ok(url)
}

fn web_url(text: &str) -> Parsed<Url> {
    let refused = || format!("\"{text}\" must be an address such as https://members.example.com");
    let url = Url::parse(text).map_err(|_| refused())?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must be without user and password".into());
    }
    let plain =
        matches!(url.scheme(), "http" | "https") && url.has_host() && url.query().is_none() && url.fragment().is_none();
    if plain { Ok(url) } else { Err(refused()) }
}

/// Whether only this machine can mean that address.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip).to_canonical().is_loopback(),
        None => false,
    }
}

pub(super) fn cookie_secret(text: &str) -> Parsed<Secret> {
    if text.len() < 16 {
        return Err("must have at least 16 random characters; make one with: openssl rand -hex 32".into());
    }
    Ok(Secret::new(text))
}

pub(super) fn stripe_key(text: &str) -> Parsed<Secret> {
    if text.starts_with("pk_") || text.starts_with("whsec_") {
        return Err("must be the secret key (sk_… or rk_…), not the publishable key or the webhook's secret".into());
    }
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("must be one word, as Stripe's dashboard shows it".into());
    }
    Ok(Secret::new(text))
}

pub(super) fn webhook_secrets(text: &str) -> Parsed<Vec<Secret>> {
    let secrets: Vec<&str> = text.split(',').map(str::trim).collect();
    let words = secrets.iter().all(|secret| !secret.is_empty() && secret.bytes().all(|byte| byte.is_ascii_graphic()));
    if !words || secrets.len() > 2 {
        return Err("must be one secret (whsec_…), or two separated by a comma while rolling".into());
    }
    if secrets.iter().any(|secret| secret.starts_with("sk_") || secret.starts_with("pk_") || secret.starts_with("rk_"))
    {
        return Err("must be the webhook endpoint's signing secret (whsec_…), not a key".into());
    }
    Ok(secrets.into_iter().map(Secret::new).collect())
}

pub(super) fn yes_or_no(text: &str) -> Parsed<bool> {
    text.parse().map_err(|_| format!("\"{text}\" must be true or false"))
}

pub(super) fn number(text: &str, range: RangeInclusive<u32>) -> Parsed<u32> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("\"{text}\" must be a whole number from {} to {}", range.start(), range.end()))
}

pub(super) fn interval(text: &str) -> Parsed<Option<Duration>> {
    let seconds = number(text, 0..=86_400)?;
    Ok((seconds > 0).then(|| Duration::from_secs(seconds.into())))
}

pub(super) fn networks(text: &str) -> Parsed<Vec<IpNet>> {
    text.split(',').map(|one| network(one.trim())).collect()
}

fn network(text: &str) -> Parsed<IpNet> {
    let network = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network
        .map(|network| network.trunc())
        .map_err(|_| format!("\"{text}\" must be an IP address or a network such as 10.0.0.0/8"))
}

/// A bare word that is no level would be read as the name of a module, and silence everything else.
pub(super) fn log_filter(text: &str) -> Parsed<String> {
    let is_level = |part: &str| !part.is_empty() && part.parse::<LevelFilter>().is_ok();
    let is_plain = |part: &str| part.contains('=') || is_level(part.trim());
    if !text.split(',').all(is_plain) || EnvFilter::try_new(text).is_err() {
        return Err(format!("\"{text}\" must be a level such as info, or a filter such as info,turnpike=debug"));
    }
    Ok(text.to_owned())
}

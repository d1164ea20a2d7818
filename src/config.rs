//! The settings: `turnpike.toml` and `TURNPIKE_…` variables become one [`Config`], or one sentence says what to set.
//!
//! [`SETTINGS`] is the list of all of them. A value is taken from the first of: the variable, the file that the
//! variable with `_FILE` names (secrets only), the settings file, the default.

mod checks;
mod error;
mod gates;
mod mail;
mod masked;
mod plans;
mod secret;
mod settings;
mod source;
mod value;

use std::{
    ffi::OsString,
    net::SocketAddr,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    time::Duration,
};

use ipnet::IpNet;
use url::Url;

use crate::domain::{gate::Gates, plan::Plans};
pub use error::ConfigError;
pub use mail::{Mail, Mailbox};
pub use secret::Secret;
pub use settings::{SETTINGS, Setting};
use source::Sources;
pub use value::{DatabaseUrl, LogFormat};

/// Stripe sends an event again for three days; until then its text may be needed.
const JOURNAL_DAYS: RangeInclusive<u32> = 3..=3_660;

/// Everything that an operator can choose, checked.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the app listens. Port 0 means any.
    pub listen: SocketAddr,
    /// Where people reach it, without a path. Follows `listen` when it was not given (see [`Config::bound_to`]).
    pub public_url: Url,
    public_url_is_given: bool,
    /// Where the data is.
    pub database_url: DatabaseUrl,
    /// The folder of the SQLite file; `data` with PostgreSQL.
    pub data_dir: PathBuf,
    /// Keys what is stored in cookies and the hashes of addresses.
    pub cookie_secret: Option<Secret>,
    /// The folder with the premium pages.
    pub content_dir: PathBuf,
    /// Where mail goes.
    pub mail: Mail,
    /// A file with certificates (PEM) of an authority of the operator's own, whose mail server is believed.
    pub mail_ca: Option<PathBuf>,
    /// Who it is from.
    pub mail_from: Mailbox,
    /// How to reach Stripe.
    pub stripe: StripeSettings,
    /// Where the sandbox listens; always loopback.
    pub sandbox_listen: SocketAddr,
    /// Whether admins and support must have a second factor.
    pub require_admin_second_factor: bool,
    /// How long an unpaid renewal still gives access (`docs/rules.md` §3), in days.
    pub past_due_grace_days: u32,
    /// Whether only those whose address is confirmed may read (`docs/rules.md` §3).
    pub require_confirmed_email: bool,
    /// For how many days the payloads of Stripe's events are kept.
    pub journal_days: u32,
    /// Where `/metrics` is served, if it is.
    pub metrics_listen: Option<SocketAddr>,
    /// Whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// How often background work runs in the server; `None` is never.
    pub jobs_interval: Option<Duration>,
    /// Which log lines are written, in the syntax of `tracing`'s `EnvFilter`.
    pub log: String,
    /// How they look.
    pub log_format: LogFormat,
    /// What can be bought.
    pub plans: Plans,
    /// What opens which gate.
    pub gates: Gates,
    /// Where people may be sent back to from a gate: hosts, with a port that is not the usual one.
    pub gate_hosts: Vec<String>,
    /// The domain whose hosts all get the session's cookie; this host alone when not set.
    pub cookie_domain: Option<String>,
}

/// How to reach Stripe.
#[derive(Clone, Debug)]
pub struct StripeSettings {
    /// The secret (or restricted) key.
    pub secret_key: Option<Secret>,
    /// What webhooks are signed with: one, or two while one is being rolled.
    pub webhook_secrets: Vec<Secret>,
    /// Where the API is when not at Stripe, without `/v1`.
    pub api_base: Option<Url>,
}

impl Config {
    /// Reads the settings of this process, paths relative to its folder.
    pub fn from_process() -> Result<Self, ConfigError> {
        Self::load(std::env::vars_os(), Path::new(""))
    }

    /// Reads the settings from `env` and the settings file; relative paths start at `cwd`.
    pub fn load(env: impl IntoIterator<Item = (OsString, OsString)>, cwd: &Path) -> Result<Self, ConfigError> {
        Self::assemble(&Sources::read(env, cwd)?, cwd)
    }

    /// The defaults, on any free ports, with all data under `data_dir`.
    pub fn local(data_dir: &Path) -> Result<Self, ConfigError> {
        let defaults = Self::assemble(&Sources::default(), Path::new(""))?;
        let mut listen = defaults.listen;
        listen.set_port(0);
        let mut config = Self {
            database_url: DatabaseUrl::Sqlite(data_dir.join("turnpike.db")),
            data_dir: data_dir.to_owned(),
            mail: Mail::Dir(data_dir.join("outbox")),
            listen,
            sandbox_listen: listen,
            ..defaults
        };
        config.bound_to(listen);
        Ok(config)
    }

    fn assemble(sources: &Sources, cwd: &Path) -> Result<Self, ConfigError> {
        let listen = sources.require("TURNPIKE_LISTEN", value::socket_address)?;
        let public_url = sources.read_one("TURNPIKE_PUBLIC_URL", value::public_url)?;
        let database_url = sources.require("TURNPIKE_DATABASE_URL", |text| DatabaseUrl::parse(text, cwd))?;
        let mut config = Self {
            listen,
            public_url_is_given: public_url.is_some(),
            public_url: public_url.map_or_else(|| value::url_of(listen), Ok)?,
            data_dir: database_url.folder(cwd),
            database_url,
            cookie_secret: sources.read_one("TURNPIKE_COOKIE_SECRET", value::cookie_secret)?,
            content_dir: sources.require("TURNPIKE_CONTENT_DIR", |text| Ok(cwd.join(text)))?,
            mail: sources.require("TURNPIKE_MAIL", |text| Mail::parse(text, cwd))?,
            mail_ca: sources.read_one("TURNPIKE_MAIL_CA", |text| Ok(cwd.join(text)))?,
            mail_from: sources.require("TURNPIKE_MAIL_FROM", Mailbox::parse)?,
            stripe: StripeSettings {
                secret_key: sources.read_one("TURNPIKE_STRIPE_SECRET_KEY", value::stripe_key)?,
                webhook_secrets: sources
                    .read_one("TURNPIKE_STRIPE_WEBHOOK_SECRET", value::webhook_secrets)?
                    .unwrap_or_default(),
                api_base: sources.read_one("TURNPIKE_STRIPE_API_BASE", value::api_base)?,
            },
            sandbox_listen: sources.require("TURNPIKE_SANDBOX_LISTEN", value::loopback_address)?,
            require_admin_second_factor: sources.require("TURNPIKE_REQUIRE_ADMIN_SECOND_FACTOR", value::yes_or_no)?,
            past_due_grace_days: sources
                .require("TURNPIKE_PAST_DUE_GRACE_DAYS", |text| value::number(text, 0..=366))?,
            require_confirmed_email: sources.require("TURNPIKE_REQUIRE_CONFIRMED_EMAIL", value::yes_or_no)?,
            journal_days: sources.require("TURNPIKE_JOURNAL_DAYS", |text| value::number(text, JOURNAL_DAYS))?,
            metrics_listen: sources.read_one("TURNPIKE_METRICS_LISTEN", value::socket_address)?,
            trusted_proxies: sources.read_one("TURNPIKE_TRUSTED_PROXIES", value::networks)?.unwrap_or_default(),
            jobs_interval: sources.require("TURNPIKE_JOBS_INTERVAL_SECONDS", value::interval)?,
            log: sources.require("TURNPIKE_LOG", value::log_filter)?,
            log_format: sources.require("TURNPIKE_LOG_FORMAT", LogFormat::parse)?,
            plans: sources.plans()?,
            gates: Gates::default(),
            gate_hosts: sources.read_one("TURNPIKE_GATE_HOSTS", value::hosts)?.unwrap_or_default(),
            cookie_domain: sources.read_one("TURNPIKE_COOKIE_DOMAIN", value::domain)?,
        };
        if config.plans.is_empty() && config.speaks_to_a_sandbox() {
            config.plans = plans::of_the_sandbox()?;
        }
        config.gates = sources.gates(&config.plans)?;
        checks::may_start(&config)?;
        Ok(config)
    }

    /// Whether the server brings its own Stripe look-alike: there is no key, and only this machine is served.
    pub fn uses_sandbox(&self) -> bool {
        self.stripe.secret_key.is_none() && value::is_loopback(&self.public_url)
    }

    /// Notes the address that was really bound, for a public URL that was not given.
    pub fn bound_to(&mut self, address: SocketAddr) {
        self.listen = address;
        if !self.public_url_is_given
            && let Ok(url) = value::url_of(address)
        {
            self.public_url = url;
        }
    }

    /// What is in force, in the form of the settings file, secrets masked.
    pub fn masked(&self) -> String {
        masked::listing(self)
    }

    /// Whether `turnpike sandbox` may run with these settings.
    ///
    /// # Errors
    /// There is a live key, or a public site: a sentence that says what to unset.
    pub fn may_run_a_sandbox(&self) -> Result<(), ConfigError> {
        checks::may_run_a_sandbox(self)
    }

    /// Whether Stripe is a sandbox: the server's own, or one that runs beside it.
    pub fn speaks_to_a_sandbox(&self) -> bool {
        self.uses_sandbox() || self.stripe.api_base.as_ref().is_some_and(value::is_loopback)
    }
}

impl StripeSettings {
    /// Whether the key moves real money.
    pub fn is_live(&self) -> bool {
        let live = |key: &Secret| key.expose().starts_with("sk_live_") || key.expose().starts_with("rk_live_");
        self.secret_key.as_ref().is_some_and(live)
    }
}

#[cfg(test)]
mod tests;

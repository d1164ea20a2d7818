//! Puts everything together: `Application::build(config, clock)` makes a server that is bound and ready, `run` serves.

mod headers;
mod keys;
mod server;
mod work;

use std::{net::TcpListener, sync::Arc};

use actix_web::dev::{Server, ServerHandle};
use chrono::TimeDelta;

use crate::{
    auth::{
        device::Devices,
        password::Hasher,
        rate_limit::{Allowance, FailureLimit},
        second_factor::SealingKey,
    },
    billing::{Billing, CallError, Prices, Questions, client::Client},
    clock::{Clock, Entropy},
    config::{Config, DatabaseUrl, Secret},
    content::Library,
    domain::subscription::AccessPolicy,
    jobs,
    mail::{Mailer, TransportError},
    pages::site::Site,
    sandbox,
    store::{Location, Store, StoreError, roster},
    telemetry::Metrics,
};

pub use work::open_work;

/// How many passwords are hashed at once: each takes a core for some 20 ms and 19 MiB.
const HASHING: usize = 2;
/// How many log-ins wait for that at most.
const HASHING_QUEUE: usize = 64;

/// Why the program can't start, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum StartupError {
    /// The address is taken or not ours.
    #[error("can't listen on {address}: {source}; set {setting} to another address")]
    Listen {
        /// What was asked for.
        address: std::net::SocketAddr,
        /// By which setting.
        setting: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The data folder or a file in it.
    #[error("can't use the data folder {folder}: {source}")]
    DataFolder {
        /// Which.
        folder: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The database.
    #[error("can't use the database: {0}")]
    Store(#[from] StoreError),
    /// The Stripe look-alike.
    #[error("can't start the Stripe sandbox: {0}")]
    Sandbox(std::io::Error),
    /// The premium pages.
    #[error(transparent)]
    Content(#[from] crate::content::LibraryError),
    /// The client for Stripe.
    #[error("can't make a client for Stripe: {0}")]
    Stripe(#[from] CallError),
    /// Where mail goes.
    #[error(transparent)]
    Mail(#[from] TransportError),
    /// The server.
    #[error("the server failed: {0}")]
    Server(#[from] std::io::Error),
}

/// A server that is bound and ready.
pub struct Application {
    config: Config,
    store: Store,
    billing: Billing,
    mailer: Mailer,
    sandbox: Option<sandbox::Running>,
    server: Server,
    metrics: Option<Server>,
}

/// Stops a running [`Application`] from anywhere.
#[derive(Clone, Debug)]
pub struct StopHandle(Vec<ServerHandle>);

impl StopHandle {
    /// Stops accepting, finishes what is under way, and returns.
    pub async fn stop(&self) {
        for server in &self.0 {
            server.stop(true).await;
        }
    }
}

impl Application {
    /// Opens the database, starts the sandbox if one is needed, and binds the address.
    ///
    /// # Errors
    /// See [`StartupError`]: each says in one sentence what to mend.
    pub async fn build(mut config: Config, clock: Clock) -> Result<Self, StartupError> {
        // Whichever was installed first serves as well.
        drop(rustls::crypto::ring::default_provider().install_default());
        let listener = listen(config.listen, "TURNPIKE_LISTEN")?;
        warn_of_a_hidden_proxy(&config);
        config.bound_to(listener.local_addr()?);
        let keys = keys::Keys::of(&config, Entropy)?;
        let store = open_store(&config).await?;
        let sandbox = start_sandbox(&config, &keys, &clock)?;
        let billing = billing(&config, &store, sandbox.as_ref(), clock.clone())?;
        let mailer = work::mailer(&config, &billing)?;
        let metrics = Arc::new(Metrics::default());
        let site = Site {
            store: store.clone(),
            billing: billing.clone(),
            hasher: Hasher::new(HASHING, HASHING_QUEUE, Entropy),
            log_ins: FailureLimit::new(Allowance::ADDRESS, Allowance::ACCOUNT, &clock),
            devices: Devices::new(&keys.cookie, config.public_url.scheme() == "https"),
            wishes: FailureLimit::new(Allowance::ADDRESS, Allowance::MAILS, &clock),
            resets: FailureLimit::new(Allowance::ADDRESS, Allowance::ACCOUNT, &clock),
            codes: FailureLimit::new(Allowance::ADDRESS, Allowance::CODE, &clock),
            second_factors: SealingKey::of(&keys.cookie),
            staff_needs_second_factor: config.require_admin_second_factor,
            trusted_proxies: config.trusted_proxies.clone(),
            library: Library::open(&config.content_dir)?,
            policy: billing.policy,
            webhook_secrets: keys.webhook.clone(),
            trial_key: keys.cookie.clone(),
            sandbox: sandbox.as_ref().map(|running| format!("http://{}", running.address)),
            metrics: Arc::clone(&metrics),
            entropy: Entropy,
            clock,
        };
        let own_metrics = match config.metrics_listen {
            Some(address) => Some(server::metrics(listen(address, "TURNPIKE_METRICS_LISTEN")?, metrics)?),
            None => None,
        };
        let server = server::serve(listener, &config, site, &keys.cookie)?;
        Ok(Self { config, store, billing, mailer, sandbox, server, metrics: own_metrics })
    }

    /// Where it listens.
    pub fn address(&self) -> std::net::SocketAddr {
        self.config.listen
    }

    /// Where people find it.
    pub fn public_url(&self) -> &url::Url {
        &self.config.public_url
    }

    /// Where the Stripe look-alike listens, if it runs.
    pub fn sandbox_address(&self) -> Option<std::net::SocketAddr> {
        self.sandbox.as_ref().map(|running| running.address)
    }

    /// The database.
    pub fn store(&self) -> Store {
        self.store.clone()
    }

    /// Stops it from anywhere.
    pub fn stop_handle(&self) -> StopHandle {
        let servers = [Some(&self.server), self.metrics.as_ref()];
        StopHandle(servers.into_iter().flatten().map(Server::handle).collect())
    }

    /// Serves until it is stopped; then ends the background work and the sandbox.
    ///
    /// # Errors
    /// The server failed.
    pub async fn run(self) -> Result<(), StartupError> {
        let jobs = |interval| jobs::run_forever(self.billing.clone(), self.mailer.clone(), interval);
        let work = self.config.jobs_interval.map(|interval| actix_web::rt::spawn(jobs(interval)));
        let mails = actix_web::rt::spawn(self.mailer.clone().run());
        let prices = self.billing.clone();
        actix_web::rt::spawn(async move { prices.load_prices().await });
        // After a migration, or with another policy, that is everybody.
        let (store, policy, now) = (self.store.clone(), self.billing.policy, self.billing.clock.now());
        actix_web::rt::spawn(async move {
            if let Err(error) = roster::bring_up_to_date(&store, policy, now).await {
                tracing::error!(%error, "the list of subscribers was not brought up to date");
            }
        });
        let metrics = self.metrics.map(actix_web::rt::spawn);
        self.server.await?;
        self.mailer.stop().await;
        mails.abort();
        for task in [work.map(|task| task.abort_handle()), metrics.map(|task| task.abort_handle())] {
            task.iter().for_each(tokio::task::AbortHandle::abort);
        }
        if let Some(sandbox) = self.sandbox {
            sandbox.stop().await;
        }
        Ok(())
    }
}

/// Where the database is, by the settings.
pub fn location(config: &Config) -> Location {
    match &config.database_url {
        DatabaseUrl::Sqlite(path) => Location::Sqlite(path.clone()),
        DatabaseUrl::Postgres(url) => Location::Postgres(url.expose().to_owned()),
    }
}

/// The clock by the settings: with a sandbox of its own the server can move it, beside another one it follows.
///
/// # Errors
/// The file in the data folder can't be read.
pub fn clock(config: &Config) -> Result<Clock, StartupError> {
    if config.uses_sandbox() {
        return sandbox_clock(config);
    }
    Ok(if config.speaks_to_a_sandbox() { Clock::following(config.data_dir.join(CLOCK)) } else { Clock::system() })
}

/// The clock of a sandbox: what it was moved by is kept in the data folder.
///
/// # Errors
/// The file there can't be read.
pub fn sandbox_clock(config: &Config) -> Result<Clock, StartupError> {
    let folder_failed = |source| StartupError::DataFolder { folder: config.data_dir.display().to_string(), source };
    Clock::kept_in(config.data_dir.join(CLOCK)).map_err(folder_failed)
}

/// By how many seconds the sandbox's clock is ahead.
const CLOCK: &str = "sandbox-clock";

/// With what the sandbox signs by the settings, or by the data folder.
///
/// # Errors
/// The data folder can't be used.
pub fn webhook_secret(config: &Config) -> Result<String, StartupError> {
    let keys = keys::Keys::of(config, Entropy)?;
    Ok(keys.webhook.first().map_or_else(String::new, |secret| secret.expose().to_owned()))
}

fn listen(address: std::net::SocketAddr, setting: &'static str) -> Result<TcpListener, StartupError> {
    TcpListener::bind(address).map_err(|source| StartupError::Listen { address, setting, source })
}

/// The program speaks no TLS, so whoever is reached by https stands behind a proxy.
fn warn_of_a_hidden_proxy(config: &Config) {
    if config.public_url.scheme() == "https" && config.trusted_proxies.is_empty() {
        tracing::warn!(
            "people come by https, so through a proxy, and TURNPIKE_TRUSTED_PROXIES names none: everybody shares the \
             limits of one address. Set it to the addresses of the proxy"
        );
    }
}

async fn open_store(config: &Config) -> Result<Store, StartupError> {
    let location = location(config);
    let workers = u32::try_from(server::workers()).unwrap_or(2);
    let opened = actix_web::rt::task::spawn_blocking(move || Store::open(location, workers)).await;
    let store = opened.unwrap_or_else(|_| Err(StoreError::Unavailable("the opening was given up".to_owned())))?;
    let policy = access_policy(config);
    store.write(move |conn| roster::keep_policy(conn, &policy)).await?;
    Ok(store)
}

fn access_policy(config: &Config) -> AccessPolicy {
    AccessPolicy {
        past_due_grace: TimeDelta::days(config.past_due_grace_days.into()),
        confirmed_email_only: config.require_confirmed_email,
        opens: config.gates.premium(),
    }
}

fn start_sandbox(config: &Config, keys: &keys::Keys, clock: &Clock) -> Result<Option<sandbox::Running>, StartupError> {
    let Some(secret) = keys.webhook.first().filter(|_| config.uses_sandbox()) else { return Ok(None) };
    let options = sandbox::Options {
        listen: config.sandbox_listen,
        data_dir: config.data_dir.clone(),
        webhook_url: Some(format!("http://{}/webhooks/stripe", config.listen)),
        webhook_secret: secret.expose().to_owned(),
        clock: clock.clone(),
    };
    sandbox::start(options).map(Some).map_err(StartupError::Sandbox)
}

fn billing(
    config: &Config,
    store: &Store,
    sandbox: Option<&sandbox::Running>,
    clock: Clock,
) -> Result<Billing, StartupError> {
    let sandbox = sandbox.map(|running| running.address).or(config.uses_sandbox().then_some(config.sandbox_listen));
    let base = match (&config.stripe.api_base, sandbox) {
        (Some(base), _) => Some(base.to_string()),
        (None, Some(address)) => Some(format!("http://{address}")),
        (None, None) => None,
    };
    let sandbox_key = Secret::new("sk_test_sandbox");
    let key = config.stripe.secret_key.as_ref().unwrap_or(&sandbox_key);
    Ok(Billing {
        store: store.clone(),
        client: Client::new(key, base.as_deref(), Entropy)?,
        plans: Arc::new(config.plans.clone()),
        prices: Prices::default(),
        questions: Questions::default(),
        policy: access_policy(config),
        journal_retention: TimeDelta::days(config.journal_days.into()),
        clock,
        livemode: config.stripe.is_live(),
        public_url: config.public_url.as_str().trim_end_matches('/').to_owned(),
    })
}

//! A look-alike of Stripe for a machine without a Stripe account: the API that Turnpike calls, a checkout page, a
//! billing portal, signed webhooks, and a clock that can be moved. No money moves here.
//!
//! It imports nothing of ours but [`crate::clock`], and listens on loopback only.
//!
//! - `world`: what happens at Stripe, without HTTP
//! - `json`: how things look in answers and events
//! - `api`: `/v1/…`
//! - `delivery`: events on their way to the webhook endpoints
//! - `control`: `/_sandbox/…`, for scripts and tests
//! - `pages`: what a person sees

mod api;
mod calendar;
mod control;
mod delivery;
mod file;
mod ids;
mod json;
mod pages;
mod routes;
mod shared;
#[cfg(test)]
mod tests;
mod world;

use std::{
    fmt, io,
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use actix_web::{App, HttpServer, dev::ServerHandle, middleware::from_fn, web::Data};
use tokio::task::JoinHandle;

use crate::clock::Clock;
use shared::Sandbox;

/// How the sandbox is started.
pub struct Options {
    /// A loopback address; port 0 takes any free port.
    pub listen: SocketAddr,
    /// Where `sandbox.json` is kept.
    pub data_dir: PathBuf,
    /// The full address of the webhook route, if it is known already.
    pub webhook_url: Option<String>,
    /// What events are signed with.
    pub webhook_secret: String,
    /// The time, shared with the app: moving it here moves it there.
    pub clock: Clock,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("listen", &self.listen)
            .field("data_dir", &self.data_dir)
            .field("webhook_url", &self.webhook_url)
            .finish_non_exhaustive()
    }
}

/// A sandbox that answers until it is stopped.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    sandbox: Arc<Sandbox>,
    server: ServerHandle,
    tasks: Vec<JoinHandle<()>>,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Starts the sandbox in the Tokio runtime that this is called from.
///
/// # Errors
/// The address is not a loopback one or is in use, or what is kept in the data folder can't be read.
pub fn start(options: Options) -> io::Result<Running> {
    let Options { listen, data_dir, webhook_url, webhook_secret, clock } = options;
    if !listen.ip().is_loopback() {
        let message = format!("the sandbox listens on this machine only: {listen} is not a loopback address");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let listener = TcpListener::bind(listen)
        .map_err(|error| io::Error::new(error.kind(), format!("the sandbox can't listen on {listen}: {error}")))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let sandbox = Arc::new(Sandbox::open(&data_dir, &format!("http://{address}"), clock)?);
    sandbox.set_app_endpoint(webhook_url, Some(webhook_secret));

    let data = Data::from(Arc::clone(&sandbox));
    let server = HttpServer::new(move || {
        App::new().wrap(from_fn(routes::guard)).app_data(data.clone()).configure(routes::configure)
    })
    .workers(1)
    .disable_signals()
    .shutdown_timeout(1)
    .listen(listener)?
    .run();
    let client = delivery::client().map_err(io::Error::other)?;
    let handle = server.handle();
    let tasks = vec![
        tokio::spawn(async move {
            if let Err(error) = server.await {
                tracing::error!(%error, "the sandbox stopped");
            }
        }),
        tokio::spawn(delivery::run(Arc::clone(&sandbox), client)),
        tokio::spawn(tick(Arc::clone(&sandbox))),
    ];
    Ok(Running { address, sandbox, server: handle, tasks })
}

/// Real time passes too.
async fn tick(sandbox: Arc<Sandbox>) {
    let mut second = tokio::time::interval(Duration::from_secs(1));
    loop {
        second.tick().await;
        sandbox.look(|_| ());
        sandbox.keep_rest();
    }
}

impl Running {
    /// Where events go from now on: the full address of the webhook route.
    pub fn set_webhook_url(&self, url: &str) {
        self.sandbox.set_app_endpoint(Some(url.to_owned()), None);
    }

    /// Stops answering and sending. What waits to be sent is kept for the next start.
    pub async fn stop(mut self) {
        self.server.stop(true).await;
        let tasks = std::mem::take(&mut self.tasks);
        for task in tasks {
            task.abort();
            // Aborted or done: both are the end.
            let _ = task.await;
        }
        self.sandbox.keep_rest();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

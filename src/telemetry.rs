//! What the server tells its operator: log lines, a span for each request, counters.

mod metrics;
mod request;

use std::io::{IsTerminal, stderr};

use tracing_subscriber::{EnvFilter, fmt};

use crate::config::LogFormat;
pub use metrics::Metrics;
pub use request::{RequestId, SECRET_PATHS, observe};

/// Why nothing can be logged.
#[derive(Debug, thiserror::Error)]
#[error("TURNPIKE_LOG: {0}")]
pub struct LogError(String);

/// Sends log lines to stderr from now on. Once for a process.
pub fn init(filter: &str, format: LogFormat) -> Result<(), LogError> {
    let refused = |error: &dyn std::fmt::Display| LogError(error.to_string());
    let filter = EnvFilter::try_new(filter).map_err(|error| refused(&error))?;
    // A log that nobody reads any more must not stop the server: telling stderr of it would panic.
    let lines = fmt().with_env_filter(filter).with_writer(stderr).log_internal_errors(false);
    match format {
        LogFormat::Text => lines.with_ansi(stderr().is_terminal()).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    }
    .map_err(|error| refused(&error))
}

//! What the operator can ask for. Each failure is one sentence on stderr and an exit code that is not zero.

mod admin;
mod serve;

use std::{
    fmt::Display,
    io::{self, Write},
    process::ExitCode,
};

use clap::{Parser, Subcommand};
use turnpike::{
    config::{Config, ConfigError},
    jobs,
    startup::{self, StartupError},
    store::{Store, StoreError},
    telemetry::{self, LogError},
};

/// A gate in front of paid pages: sign-up, trial, Stripe, and access exactly as long as it may be.
#[derive(Debug, Parser)]
#[command(version, about, after_help = "Settings: turnpike.toml and TURNPIKE_… variables; see `turnpike config`.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the site (this is also what happens without a command).
    #[command(after_help = "Example: TURNPIKE_LISTEN=127.0.0.1:9000 turnpike serve")]
    Serve,
    /// Bring the database's tables up to date.
    #[command(after_help = "Example: TURNPIKE_DATABASE_URL=postgres://turnpike@db/turnpike turnpike migrate")]
    Migrate,
    /// Say who is an admin.
    #[command(subcommand)]
    Admin(admin::Admin),
    /// Background work.
    #[command(subcommand)]
    Jobs(Jobs),
    /// Show the settings in force, secrets masked.
    #[command(after_help = "Example: turnpike config")]
    Config,
    /// Run the Stripe look-alike alone.
    #[command(after_help = "Example: TURNPIKE_SANDBOX_LISTEN=127.0.0.1:9081 turnpike sandbox")]
    Sandbox,
}

#[derive(Debug, Subcommand)]
enum Jobs {
    /// Do everything that is due now, once: for cron.
    #[command(after_help = "Example: turnpike jobs run")]
    Run,
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Startup(#[from] StartupError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error("{0}")]
    Refused(String),
    #[error("can't write: {0}")]
    Io(#[from] io::Error),
}

/// Runs a command to its end.
pub(crate) fn run(cli: Cli) -> ExitCode {
    let done = Config::from_process().map_err(Failure::from).and_then(|config| {
        actix_web::rt::System::new().block_on(dispatch(cli.command.unwrap_or(Command::Serve), config))
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            drop(writeln!(io::stderr(), "turnpike: {failure}"));
            ExitCode::FAILURE
        }
    }
}

async fn dispatch(command: Command, config: Config) -> Result<(), Failure> {
    match command {
        Command::Serve => serve::serve(config).await,
        Command::Sandbox => serve::sandbox(config).await,
        Command::Migrate => migrate(&config),
        Command::Admin(admin) => admin::run(admin, &config).await,
        Command::Jobs(Jobs::Run) => jobs_run(&config).await,
        Command::Config => say(config.masked().trim_end()),
    }
}

fn migrate(config: &Config) -> Result<(), Failure> {
    let done = Store::migrate(&startup::location(config))?;
    if done.is_empty() {
        return say("The tables are up to date.");
    }
    say(format!("Done: {}.", done.join(", ")))
}

async fn jobs_run(config: &Config) -> Result<(), Failure> {
    telemetry::init(&config.log, config.log_format)?;
    let (billing, mailer) = startup::open_work(config, startup::clock(config)?).await?;
    let report = jobs::run_once(&billing, &mailer).await?;
    say(format!(
        "{} subscriptions expired, {} refreshed, {} failed events applied, {} old events cut, {} old sessions removed, \
         {} mails sent, {} waiting.",
        report.expired,
        report.refreshed,
        report.retried,
        report.payloads_dropped,
        report.sessions_removed,
        report.mails_sent,
        report.mails_waiting
    ))
}

fn say(text: impl Display) -> Result<(), Failure> {
    Ok(writeln!(io::stdout(), "{text}")?)
}

//! `turnpike serve` and `turnpike sandbox`.

use tokio::signal::unix::{SignalKind, signal};
use turnpike::{
    config::Config,
    sandbox,
    startup::{self, Application, StartupError},
    telemetry,
};

use super::{Failure, say};

pub(super) async fn serve(config: Config) -> Result<(), Failure> {
    telemetry::init(&config.log, config.log_format)?;
    let clock = startup::clock(&config)?;
    let application = Application::build(config, clock).await?;
    greet(&application)?;
    let stop = application.stop_handle();
    actix_web::rt::spawn(async move {
        asked_to_stop().await;
        tracing::info!("stopping");
        stop.stop().await;
    });
    Ok(application.run().await?)
}

fn greet(application: &Application) -> Result<(), Failure> {
    let address = application.address();
    tracing::info!(%address, "listening");
    say(format!("Turnpike         {}", application.public_url()))?;
    if let Some(sandbox) = application.sandbox_address() {
        tracing::info!(address = %sandbox, "the Stripe sandbox is listening");
        say(format!("Stripe sandbox   http://{sandbox}/   (no real money moves)"))?;
    }
    say("Sign up in a browser, then make yourself an admin:\n  cargo run --release -- admin grant YOUR-EMAIL")
}

/// The sandbox alone, for another app or another machine's port forwarding.
pub(super) async fn sandbox(config: Config) -> Result<(), Failure> {
    config.may_run_a_sandbox()?;
    telemetry::init(&config.log, config.log_format)?;
    let options = sandbox::Options {
        listen: config.sandbox_listen,
        data_dir: config.data_dir.clone(),
        webhook_url: Some(format!("http://{}/webhooks/stripe", config.listen)),
        webhook_secret: startup::webhook_secret(&config)?,
        clock: startup::sandbox_clock(&config)?,
    };
    let running = sandbox::start(options).map_err(StartupError::Sandbox)?;
    say(format!("Stripe sandbox   http://{}/   (no real money moves)", running.address))?;
    asked_to_stop().await;
    running.stop().await;
    Ok(())
}

/// Ctrl-C, or SIGTERM from whoever runs the service.
async fn asked_to_stop() {
    let terminated = async {
        match signal(SignalKind::terminate()) {
            Ok(mut stream) => drop(stream.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminated => {}
    }
}

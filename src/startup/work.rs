//! What works in the background, beside a server or without one.

use std::sync::Arc;

use super::StartupError;
use crate::{
    billing::Billing,
    clock::{Clock, Entropy},
    config::Config,
    mail::{Mailer, Transport},
};

/// What `jobs run` needs beside the server: the database, Stripe and mail, but no address of its own.
///
/// # Errors
/// As [`Application::build`].
pub async fn open_work(config: &Config, clock: Clock) -> Result<(Billing, Mailer), StartupError> {
    drop(rustls::crypto::ring::default_provider().install_default());
    let store = super::open_store(config).await?;
    let billing = super::billing(config, &store, None, clock)?;
    let mailer = mailer(config, &billing)?;
    Ok((billing, mailer))
}

pub(super) fn mailer(config: &Config, billing: &Billing) -> Result<Mailer, StartupError> {
    Ok(Mailer::new(
        billing.store.clone(),
        billing.clock.clone(),
        Entropy,
        Arc::clone(&billing.plans),
        billing.policy,
        &billing.public_url,
        Transport::new(&config.mail, config.mail_ca.as_deref(), &config.mail_from, &config.public_url)?,
    ))
}

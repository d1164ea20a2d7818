//! Settings that are each right and together must not start.

use super::{Config, error::ConfigError, value};

pub(super) fn may_start(config: &Config) -> Result<(), ConfigError> {
    if !value::is_loopback(&config.public_url) {
        public_site(config)?;
    }
    if config.stripe.is_live() && config.stripe.api_base.as_ref().is_some_and(value::is_loopback) {
        return Err(ConfigError::new(
            "TURNPIKE_STRIPE_SECRET_KEY is a live key but TURNPIKE_STRIPE_API_BASE is a sandbox; set a test key or unset the base",
        ));
    }
    cookies_reach_the_gates(config)?;
    // Without it people would pay and never be let in: every webhook would be refused.
    if config.stripe.secret_key.is_some() && config.stripe.webhook_secrets.is_empty() {
        return Err(ConfigError::new(
            "TURNPIKE_STRIPE_SECRET_KEY needs TURNPIKE_STRIPE_WEBHOOK_SECRET; set it to the signing secret of your webhook endpoint",
        ));
    }
    Ok(())
}

/// Whoever is sent back to a host that does not get the session's cookie is sent to log-in again, and so for ever.
fn cookies_reach_the_gates(config: &Config) -> Result<(), ConfigError> {
    let here = config.public_url.host_str().unwrap_or_default();
    let is_below =
        |host: &str, domain: &str| host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
    if let Some(domain) = config.cookie_domain.as_deref().filter(|domain| !is_below(here, domain)) {
        return Err(ConfigError::new(format!(
            "TURNPIKE_COOKIE_DOMAIN is {domain}, which {here} does not belong to; set it to a domain of TURNPIKE_PUBLIC_URL"
        )));
    }
    for host in &config.gate_hosts {
        let name = host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name);
        let reaches = config.cookie_domain.as_deref().map_or(name == here, |domain| is_below(name, domain));
        if !reaches {
            return Err(ConfigError::new(format!(
                "TURNPIKE_GATE_HOSTS names {host}, which does not get the cookie of {here}; set TURNPIKE_COOKIE_DOMAIN to a domain of both"
            )));
        }
    }
    Ok(())
}

/// The sandbox alone is for this machine and for tests: nobody must take it for Stripe.
pub(super) fn may_run_a_sandbox(config: &Config) -> Result<(), ConfigError> {
    if config.stripe.is_live() {
        return Err(ConfigError::new(
            "TURNPIKE_STRIPE_SECRET_KEY is a live key: the sandbox does not run beside one; unset it",
        ));
    }
    if !value::is_loopback(&config.public_url) {
        let url = config.public_url.as_str();
        return Err(ConfigError::new(format!(
            "TURNPIKE_PUBLIC_URL is {url}: the sandbox does not run beside a public site; unset it"
        )));
    }
    Ok(())
}

fn public_site(config: &Config) -> Result<(), ConfigError> {
    let url = config.public_url.as_str();
    if config.public_url.scheme() != "https" {
        return Err(ConfigError::new(format!(
            "TURNPIKE_PUBLIC_URL is {url}: a public site needs https; set it to an address that starts with https://"
        )));
    }
    if config.stripe.secret_key.is_none() {
        return Err(ConfigError::new(format!(
            "TURNPIKE_PUBLIC_URL is {url}: a public site needs TURNPIKE_STRIPE_SECRET_KEY; set it to your Stripe secret key"
        )));
    }
    if config.cookie_secret.is_none() {
        return Err(ConfigError::new(format!(
            "TURNPIKE_PUBLIC_URL is {url}: a public site needs TURNPIKE_COOKIE_SECRET; set it to what this prints: openssl rand -hex 32"
        )));
    }
    Ok(())
}

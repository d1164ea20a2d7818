//! The secrets of a server that was given none: made once, and kept in the data folder for its owner alone.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use super::StartupError;
use crate::{
    auth::token::random_token,
    clock::Entropy,
    config::{Config, Secret},
};

/// What this server signs with.
pub(super) struct Keys {
    /// Session cookies, and the hashes against second trials.
    pub(super) cookie: Secret,
    /// Webhooks: one, or two while one is being rolled.
    pub(super) webhook: Vec<Secret>,
}

impl Keys {
    /// The settings' own, else those in the data folder. The settings have made sure that a server in public has its own.
    pub(super) fn of(config: &Config, entropy: Entropy) -> Result<Self, StartupError> {
        let folder = &config.data_dir;
        let failed = |source| StartupError::DataFolder { folder: folder.display().to_string(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        let cookie = match &config.cookie_secret {
            Some(secret) => secret.clone(),
            None => kept(&folder.join("cookie-secret"), "", entropy).map_err(failed)?,
        };
        let webhook = match config.stripe.webhook_secrets.as_slice() {
            [] if config.uses_sandbox() => {
                vec![kept(&folder.join("webhook-secret"), "whsec_", entropy).map_err(failed)?]
            }
            given => given.to_vec(),
        };
        Ok(Self { cookie, webhook })
    }
}

fn kept(file: &Path, prefix: &str, entropy: Entropy) -> io::Result<Secret> {
    match fs::read_to_string(file) {
        Ok(text) if text.trim().len() >= 32 => return Ok(Secret::new(text.trim())),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let secret = format!("{prefix}{}", random_token(entropy));
    let mut out = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?;
    out.write_all(secret.as_bytes())?;
    out.sync_all()?;
    Ok(Secret::new(secret.as_str()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_secret_is_made_once_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        let first = kept(&file, "whsec_", Entropy).unwrap();
        assert!(first.expose().starts_with("whsec_"));
        assert_eq!(kept(&file, "whsec_", Entropy).unwrap().expose(), first.expose());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

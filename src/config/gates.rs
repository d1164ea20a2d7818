//! The `[[gates]]` of the settings file.

use serde::Deserialize;
use toml::Value;

use super::error::ConfigError;
use crate::domain::{
    gate::{Gate, Gates, Opens},
    plan::Plans,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    key: String,
    plans: Option<Vec<String>>,
    trial: Option<bool>,
}

pub(super) fn read(value: &Value, plans: &Plans) -> Result<Gates, ConfigError> {
    let written: Vec<Written> = value
        .clone()
        .try_into()
        .map_err(|error: toml::de::Error| ConfigError::new(format!("gates: {}", error.message())))?;
    let gates: Vec<Gate> = written.into_iter().map(|one| gate(one, plans)).collect::<Result<_, _>>()?;
    Gates::new(gates).map_err(|error| ConfigError::new(format!("gates: {error}")))
}

fn gate(written: Written, plans: &Plans) -> Result<Gate, ConfigError> {
    let Written { key, plans: keys, trial } = written;
    if let Some(unknown) = keys.iter().flatten().find(|plan| plans.by_key(plan).is_none()) {
        return Err(ConfigError::new(format!("gates: \"{key}\" names the plan \"{unknown}\", which there is not")));
    }
    // Settings are read once and live as long as the program.
    let keys = keys.map(|keys| &*keys.leak());
    Ok(Gate { key, opens: Opens { plans: keys, trial: trial.unwrap_or(true) } })
}

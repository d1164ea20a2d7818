//! The `[[plans]]` of the settings file.

use serde::Deserialize;
use toml::Value;

use super::error::ConfigError;
use crate::domain::plan::{Plan, PlanKind, Plans};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    key: String,
    name: String,
    price: String,
    kind: Kind,
    months: Option<u32>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Recurring,
    Prepaid,
}

pub(super) fn read(value: &Value) -> Result<Plans, ConfigError> {
    let written: Vec<Written> = value
        .clone()
        .try_into()
        .map_err(|error: toml::de::Error| ConfigError::new(format!("plans: {}", error.message())))?;
    together(written.into_iter().map(plan).collect::<Result<_, _>>()?)
}

/// What the sandbox sells when the settings file names no plan.
pub(super) fn of_the_sandbox() -> Result<Plans, ConfigError> {
    let plan = |key: &str, name: &str, price: &str, kind| Plan {
        key: key.into(),
        name: name.into(),
        price: price.into(),
        kind,
    };
    together(vec![
        plan("monthly", "Monthly", "price_monthly", PlanKind::Recurring),
        plan("yearly", "Yearly", "price_yearly", PlanKind::Recurring),
        plan("half-year", "Six months, paid once", "price_half_year", PlanKind::Prepaid { months: 6 }),
    ])
}

fn together(plans: Vec<Plan>) -> Result<Plans, ConfigError> {
    Plans::new(plans).map_err(|error| ConfigError::new(format!("plans: {error}")))
}

fn plan(written: Written) -> Result<Plan, ConfigError> {
    let kind = match (written.kind, written.months) {
        (Kind::Recurring, None) => PlanKind::Recurring,
        (Kind::Prepaid, Some(months)) => PlanKind::Prepaid { months },
        (Kind::Recurring, Some(_)) => {
            return Err(ConfigError::new(format!(
                "plans: \"{}\" is recurring and can't have months; remove them",
                written.key
            )));
        }
        (Kind::Prepaid, None) => {
            return Err(ConfigError::new(format!(
                "plans: \"{}\" is prepaid and needs months, such as months = 6",
                written.key
            )));
        }
    };
    Ok(Plan { key: written.key, name: written.name, price: written.price, kind })
}

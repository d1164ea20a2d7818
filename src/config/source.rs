//! Where the text of each setting comes from.

use std::{collections::BTreeMap, ffi::OsString, fs, io, path::Path};

use toml::{Table, Value};

use super::{
    error::ConfigError,
    gates, plans,
    settings::{CONFIG, CONFIG_DEFAULT, PREFIX, SETTINGS, Setting},
};
use crate::domain::{gate::Gates, plan::Plans};

const FROM_FILE: &str = "_FILE";

/// What was given, by the name of the setting.
#[derive(Default)]
pub(super) struct Sources {
    given: BTreeMap<&'static str, Given>,
    plans: Option<Value>,
    gates: Option<Value>,
}

struct Given {
    text: String,
    /// What the operator would change: the variable, or the key and its file.
    place: String,
}

impl Sources {
    pub(super) fn read(env: impl IntoIterator<Item = (OsString, OsString)>, cwd: &Path) -> Result<Self, ConfigError> {
        let variables = our_variables(env)?;
        let mut sources = Self::default();
        if let Some((file, text)) = settings_file(&variables, cwd)? {
            sources.add_file(&file, &text, cwd)?;
        }
        sources.add_variables(&variables, cwd)?;
        Ok(sources)
    }

    /// The value that was given, if any.
    pub(super) fn read_one<T>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(given) = self.given.get(name) else { return Ok(None) };
        let refused = |why| ConfigError::new(format!("{}: {why}", given.place));
        parse(&given.text).map(Some).map_err(refused)
    }

    /// The value that was given, else the default.
    pub(super) fn require<T>(&self, name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<T, ConfigError> {
        if let Some(value) = self.read_one(name, &parse)? {
            return Ok(value);
        }
        let default = SETTINGS.iter().find(|setting| setting.name == name).map_or("", |setting| setting.default);
        parse(default).map_err(|why| ConfigError::new(format!("{name}: {why}")))
    }

    pub(super) fn plans(&self) -> Result<Plans, ConfigError> {
        self.plans.as_ref().map_or_else(|| Ok(Plans::default()), plans::read)
    }

    /// The gates, of which each may name some of these plans.
    pub(super) fn gates(&self, plans: &Plans) -> Result<Gates, ConfigError> {
        self.gates.as_ref().map_or_else(|| Ok(Gates::default()), |value| gates::read(value, plans))
    }

    fn add_file(&mut self, file: &str, text: &str, cwd: &Path) -> Result<(), ConfigError> {
        let table: Table = text.parse().map_err(|error| not_toml(file, text, &error))?;
        for (key, value) in table {
            let place = format!("{key} in {file}");
            if key == "plans" {
                self.plans = Some(value);
            } else if key == "gates" {
                self.gates = Some(value);
            } else if let Some(setting) = SETTINGS.iter().find(|setting| setting.name != CONFIG && setting.key() == key)
            {
                self.add_once(setting, &place, flat(&value).ok_or_else(|| wrong_kind(&place))?)?;
            } else if let Some(setting) =
                secret_with_file(&key.to_ascii_uppercase()).filter(|_| !key.contains(char::is_uppercase))
            {
                let path = flat(&value).ok_or_else(|| wrong_kind(&place))?;
                self.add_once(setting, &place, contents(&place, &cwd.join(path))?)?;
            } else {
                return Err(ConfigError::new(format!(
                    "{file} has an unknown key \"{key}\"; remove it or correct its spelling"
                )));
            }
        }
        Ok(())
    }

    fn add_once(&mut self, setting: &Setting, place: &str, text: String) -> Result<(), ConfigError> {
        match self.given.insert(setting.name, Given { text, place: place.to_owned() }) {
            Some(other) => Err(ConfigError::new(format!("{} and {place} are both set; remove one", other.place))),
            None => Ok(()),
        }
    }

    fn add_variables(&mut self, variables: &BTreeMap<String, String>, cwd: &Path) -> Result<(), ConfigError> {
        for setting in SETTINGS {
            let with_file = format!("{}{FROM_FILE}", setting.name);
            let (text, place) = match (variables.get(setting.name), variables.get(&with_file)) {
                (None, None) => continue,
                (Some(_), Some(_)) => {
                    return Err(ConfigError::new(format!("{} and {with_file} are both set; remove one", setting.name)));
                }
                (Some(text), None) => (text.clone(), setting.name.to_owned()),
                (None, Some(path)) => (contents(&with_file, &cwd.join(path))?, with_file),
            };
            self.given.insert(setting.name, Given { text, place });
        }
        Ok(())
    }
}

/// The `TURNPIKE_…` variables that are not empty. A stranger among them is refused: it would be a typing error.
fn our_variables(env: impl IntoIterator<Item = (OsString, OsString)>) -> Result<BTreeMap<String, String>, ConfigError> {
    let mut ours = BTreeMap::new();
    for (name, value) in env {
        let name = name.to_string_lossy().into_owned();
        let Some(rest) = name.strip_prefix(PREFIX) else { continue };
        if !SETTINGS.iter().any(|setting| setting.name == name) && secret_with_file(rest).is_none() {
            return Err(ConfigError::new(format!("{name} is not a setting; unset it or correct its spelling")));
        }
        let value = value.into_string().map_err(|_| ConfigError::new(format!("{name}: must be UTF-8 text")))?;
        if !value.trim().is_empty() {
            ours.insert(name, value.trim().to_owned());
        }
    }
    Ok(ours)
}

/// The secret whose name, without prefix but with `_FILE`, that is.
fn secret_with_file(rest: &str) -> Option<&'static Setting> {
    let stem = rest.strip_suffix(FROM_FILE)?;
    SETTINGS.iter().find(|setting| setting.secret && setting.name.strip_prefix(PREFIX) == Some(stem))
}

/// Name and text of the settings file. One that was named must exist.
fn settings_file(variables: &BTreeMap<String, String>, cwd: &Path) -> Result<Option<(String, String)>, ConfigError> {
    let named = variables.get(CONFIG);
    let file = named.map_or(CONFIG_DEFAULT, String::as_str);
    match fs::read(cwd.join(file)) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some((file.to_owned(), text))),
            Err(_) => Err(ConfigError::new(format!("{file} must be UTF-8 text"))),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound && named.is_none() => Ok(None),
        Err(error) => Err(ConfigError::new(format!("{CONFIG}: can't read {file}: {error}"))),
    }
}

/// The parser's own message would show the line, and with it perhaps a secret.
fn not_toml(file: &str, text: &str, error: &toml::de::Error) -> ConfigError {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    ConfigError::new(format!("{file}, line {line}: {}", error.message()))
}

/// A text, a whole number, true or false, or a list of texts as variables write it.
fn flat(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(yes) => Some(yes.to_string()),
        Value::Array(items) => items.iter().map(Value::as_str).collect::<Option<Vec<_>>>().map(|items| items.join(",")),
        _ => None,
    }
}

fn wrong_kind(place: &str) -> ConfigError {
    ConfigError::new(format!("{place}: must be a text in quotes, a whole number, true, false or a list of texts"))
}

/// A secret from its file, without the white space around it.
fn contents(place: &str, path: &Path) -> Result<String, ConfigError> {
    let refused =
        |why: &dyn std::fmt::Display| ConfigError::new(format!("{place}: can't use {}: {why}", path.display()));
    let bytes = fs::read(path).map_err(|error| refused(&error))?;
    let text = str::from_utf8(&bytes).map_err(|_| refused(&"it is not UTF-8 text"))?.trim();
    if text.is_empty() {
        return Err(refused(&"it is empty"));
    }
    Ok(text.to_owned())
}

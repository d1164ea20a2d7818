use chrono::{DateTime, Utc};
use serde_json::Value;

use super::Metadata;
use crate::domain::money::Currency;

/// Longest id that is stored.
const ID_MAX: usize = 255;
/// Longest other text that is kept.
const TEXT_MAX: usize = 5_000;

/// The fields of a JSON object; of anything else, none.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a Value);

impl Fields<'_> {
    /// The object in that field.
    pub(super) fn inner(self, key: &str) -> Self {
        Self(self.0.get(key).unwrap_or(&Value::Null))
    }

    /// The objects of one of Stripe's lists: `{"data": […]}`.
    pub(super) fn list(self, key: &str) -> impl Iterator<Item = Self> {
        self.inner(key).inner("data").0.as_array().into_iter().flatten().map(Self)
    }

    /// An id or another word by which something is found.
    pub(super) fn id(self, key: &str) -> Option<String> {
        self.text(key).filter(|id| !id.is_empty() && id.chars().nth(ID_MAX).is_none())
    }

    /// The id of another object, standing alone or inside that object.
    pub(super) fn reference(self, key: &str) -> Option<String> {
        self.id(key).or_else(|| self.inner(key).id("id"))
    }

    pub(super) fn text(self, key: &str) -> Option<String> {
        text(self.inner(key).0)
    }

    /// An address that a page may link to.
    pub(super) fn link(self, key: &str) -> Option<String> {
        self.text(key).filter(|link| link.starts_with("https://") || link.starts_with("http://"))
    }

    pub(super) fn number(self, key: &str) -> Option<i64> {
        self.inner(key).0.as_i64()
    }

    /// A switch; off unless it is plainly on.
    pub(super) fn flag(self, key: &str) -> bool {
        self.inner(key).0.as_bool().unwrap_or(false)
    }

    /// Seconds since 1970.
    pub(super) fn instant(self, key: &str) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(self.number(key)?, 0)
    }

    pub(super) fn currency(self, key: &str) -> Option<Currency> {
        Currency::parse(self.inner(key).0.as_str()?)
    }

    /// The entries that are texts; null or anything else is no entry.
    pub(super) fn metadata(self, key: &str) -> Metadata {
        let entries = self.inner(key).0.as_object().into_iter().flatten();
        entries
            .filter(|(name, _)| !name.contains('\0'))
            .filter_map(|(name, value)| Some((name.clone(), text(value)?)))
            .collect()
    }
}

/// PostgreSQL stores no NUL, and nothing that Stripe means contains one.
fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| text.len() <= TEXT_MAX && !text.contains('\0')).map(str::to_owned)
}

//! The switches of delivery: late, twice, shuffled, held back, in the old shape.

use serde::{Deserialize, Serialize};

use crate::sandbox::json::shape::Shape;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    #[default]
    AsIs,
    Reversed,
    Shuffled,
}

impl Order {
    pub fn word(self) -> &'static str {
        match self {
            Self::AsIs => "as_is",
            Self::Reversed => "reversed",
            Self::Shuffled => "shuffled",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub shape: Shape,
    /// In which order the events that wait are sent.
    pub order: Order,
    /// How often each event is sent.
    pub copies: u32,
    pub delay_ms: u64,
    /// Nothing is sent while it is set.
    pub hold: bool,
    /// How many are under way at once.
    pub parallel: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { shape: Shape::Items, order: Order::AsIs, copies: 1, delay_ms: 0, hold: false, parallel: 1 }
    }
}

/// A change of some of the switches.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SettingsPatch {
    shape: Option<Shape>,
    order: Option<Order>,
    copies: Option<u32>,
    delay_ms: Option<u64>,
    hold: Option<bool>,
    parallel: Option<usize>,
}

impl Settings {
    /// The settings after the change.
    ///
    /// # Errors
    /// A number is out of range: a sentence that says which.
    pub fn patched(&self, patch: &SettingsPatch) -> Result<Self, String> {
        let new = Self {
            shape: patch.shape.unwrap_or(self.shape),
            order: patch.order.unwrap_or(self.order),
            copies: patch.copies.unwrap_or(self.copies),
            delay_ms: patch.delay_ms.unwrap_or(self.delay_ms),
            hold: patch.hold.unwrap_or(self.hold),
            parallel: patch.parallel.unwrap_or(self.parallel),
        };
        if !(1..=100).contains(&new.copies) {
            return Err("copies has to be between 1 and 100".to_owned());
        }
        if new.delay_ms > 86_400_000 {
            return Err("delay_ms has to be at most a day".to_owned());
        }
        if !(1..=64).contains(&new.parallel) {
            return Err("parallel has to be between 1 and 64".to_owned());
        }
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_changes() {
        let patch: SettingsPatch =
            serde_json::from_str(r#"{"shape": "subscription", "order": "as_is", "copies": 3}"#).unwrap();
        let new = Settings { hold: true, ..Settings::default() }.patched(&patch).unwrap();
        assert_eq!(new, Settings { shape: Shape::Subscription, copies: 3, hold: true, ..Settings::default() });
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [r#"{"copies": 0}"#, r#"{"copies": 101}"#, r#"{"parallel": 0}"#, r#"{"delay_ms": 86400001}"#] {
            let patch: SettingsPatch = serde_json::from_str(text).unwrap();
            assert!(Settings::default().patched(&patch).is_err(), "{text}");
        }
        for text in [r#"{"order": "random"}"#, r#"{"holt": true}"#, r#"{"shape": "new"}"#] {
            assert!(serde_json::from_str::<SettingsPatch>(text).is_err(), "{text}");
        }
    }
}

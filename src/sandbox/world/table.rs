//! Rows of one kind, in the order in which they were made.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::State;

/// A thing with a name of its own that the API shows.
pub trait Object: Sized {
    /// What Stripe calls it in "No such …".
    const NOUN: &'static str;

    fn id(&self) -> &str;
    fn created(&self) -> i64;
    fn table(state: &State) -> &Table<Self>;
    fn table_mut(state: &mut State) -> &mut Table<Self>;

    /// The object as the newest API version shows it. A field `_legacy` holds what versions before 2025-03-31 showed
    /// beside it (see [`crate::sandbox::json::shape`]).
    fn json(&self, state: &State) -> Value;
}

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct Table<T>(Vec<T>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Table<T> {
    pub fn add(&mut self, row: T) {
        self.0.push(row);
    }

    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.0.retain(keep);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl<T: Object> Table<T> {
    pub fn get(&self, id: &str) -> Option<&T> {
        self.0.iter().rev().find(|row| row.id() == id)
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut T> {
        self.0.iter_mut().rev().find(|row| row.id() == id)
    }
}

/// Says of a type which rows it belongs to and which function shows it.
macro_rules! object {
    ($type:ty, $noun:literal, $rows:ident, $json:path) => {
        impl crate::sandbox::world::Object for $type {
            const NOUN: &'static str = $noun;

            fn id(&self) -> &str {
                &self.id
            }

            fn created(&self) -> i64 {
                self.created
            }

            fn table(state: &crate::sandbox::world::State) -> &crate::sandbox::world::Table<Self> {
                &state.$rows
            }

            fn table_mut(state: &mut crate::sandbox::world::State) -> &mut crate::sandbox::world::Table<Self> {
                &mut state.$rows
            }

            fn json(&self, state: &crate::sandbox::world::State) -> serde_json::Value {
                $json(self, state)
            }
        }
    };
}

pub(super) use object;

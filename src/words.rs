//! Every text that a person reads, in their language (`locales/`, Fluent files).
//!
//! A key is written as a literal where it is used, so that a test can hold the files against the code: no key is missing
//! and none is left over.

mod accept;
mod catalog;
mod message;

pub use self::{
    accept::preferred,
    message::{Html, Message, Value},
};
use crate::domain::user::Language;

/// The words of one language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Words(Language);

impl Words {
    /// In this language.
    pub fn of(language: Language) -> Self {
        Self(language)
    }

    /// Which language it is.
    pub fn language(self) -> Language {
        self.0
    }

    /// A text. Shown on a page it is escaped, as any text is.
    pub fn say(self, key: &'static str) -> Message {
        Message::new(self.0, key)
    }

    /// A text with markup of its own. What is put into it is escaped, unless it is markup of ours.
    pub fn html(self, key: &'static str) -> Html {
        Html::new(self.0, key)
    }
}

#[cfg(test)]
mod tests;

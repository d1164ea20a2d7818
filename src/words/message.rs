//! A text with what is put into it.

use std::fmt;

use askama::filters::{Html as HtmlEscaper, HtmlSafe, escape};
use fluent_bundle::{FluentArgs, FluentValue};

use super::catalog;
use crate::domain::user::Language;

/// What can be put into a text.
pub trait Value {
    /// As Fluent takes it: numbers choose between singular and plural.
    fn value(&self) -> FluentValue<'static>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Value for $number {
            fn value(&self) -> FluentValue<'static> {
                FluentValue::from(*self)
            }
        }
    )*};
}
numbers!(u8, u16, u32, u64, usize, i32, i64);

impl Value for str {
    fn value(&self) -> FluentValue<'static> {
        FluentValue::from(self.to_owned())
    }
}

impl Value for String {
    fn value(&self) -> FluentValue<'static> {
        self.as_str().value()
    }
}

impl Value for Message {
    fn value(&self) -> FluentValue<'static> {
        self.to_string().as_str().value()
    }
}

impl<T: Value + ?Sized> Value for &T {
    fn value(&self) -> FluentValue<'static> {
        (**self).value()
    }
}

/// A text without markup.
#[derive(Debug)]
pub struct Message {
    language: Language,
    key: &'static str,
    arguments: FluentArgs<'static>,
}

impl Message {
    pub(super) fn new(language: Language, key: &'static str) -> Self {
        Self { language, key, arguments: FluentArgs::new() }
    }

    /// The same text with `value` where it says `{ $name }`.
    pub fn with(mut self, name: &'static str, value: impl Value) -> Self {
        self.arguments.set(name, value.value());
        self
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&catalog::text(self.language, self.key, &self.arguments))
    }
}

impl From<Message> for String {
    fn from(message: Message) -> Self {
        message.to_string()
    }
}

/// A text whose markup stands in our files.
#[derive(Debug)]
pub struct Html {
    language: Language,
    key: &'static str,
    arguments: FluentArgs<'static>,
}

impl Html {
    pub(super) fn new(language: Language, key: &'static str) -> Self {
        Self { language, key, arguments: FluentArgs::new() }
    }

    /// The same text with `value`, escaped, where it says `{ $name }`.
    pub fn with(mut self, name: &'static str, value: impl Value) -> Self {
        let value = match value.value() {
            FluentValue::String(text) => FluentValue::from(escaped(&text)),
            other => other,
        };
        self.arguments.set(name, value);
        self
    }

    /// The same text with markup of ours where it says `{ $name }`.
    pub fn with_markup(mut self, name: &'static str, markup: impl HtmlSafe) -> Self {
        self.arguments.set(name, FluentValue::from(markup.to_string()));
        self
    }
}

impl fmt::Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&catalog::text(self.language, self.key, &self.arguments))
    }
}

// The markup stands in our files, and `with` escapes the rest.
impl HtmlSafe for Html {}

fn escaped(text: &str) -> String {
    escape(text, HtmlEscaper).map_or_else(|_| String::new(), |safe| safe.to_string())
}

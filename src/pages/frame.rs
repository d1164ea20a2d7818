//! What every page has around it.

use crate::{
    assets,
    domain::user::Language,
    words::{Html, Message, Words},
};

/// The person who looks at the page, as the navigation needs them.
#[derive(Clone, Debug)]
pub struct Viewer {
    /// First and last name.
    pub name: String,
    /// The address of the account.
    pub email: String,
    /// Whether the way to the pages of staff is shown.
    pub staff: bool,
    /// Whether the way to what only admins may see is shown too.
    pub admin: bool,
}

/// The values of `layout.html`.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The language of the page.
    pub words: Words,
    /// The name of this site.
    pub site: &'static str,
    /// Nobody when there is no session.
    pub viewer: Option<Viewer>,
    /// The address of the Stripe look-alike, where it takes the place of Stripe.
    pub sandbox: Option<String>,
    /// The path that was asked for.
    pub path: String,
}

impl Frame {
    /// The frame of the page at `path` for a stranger.
    pub fn new(path: impl Into<String>) -> Self {
        Self { words: Words::default(), site: "Turnpike", viewer: None, sandbox: None, path: path.into() }
    }

    /// The same frame in this language.
    pub fn in_language(mut self, language: Language) -> Self {
        self.words = Words::of(language);
        self
    }

    /// The same frame for this person.
    pub fn with_viewer(mut self, viewer: Viewer) -> Self {
        self.viewer = Some(viewer);
        self
    }

    /// The same frame with the banner that says that no real money moves.
    pub fn with_sandbox(mut self, url: Option<String>) -> Self {
        self.sandbox = url;
        self
    }

    /// The tag of the language, for `<html lang>`.
    pub fn language(&self) -> &'static str {
        self.words.language().as_str()
    }

    /// Whether the way to what only admins may see is shown.
    pub fn is_for_admin(&self) -> bool {
        self.viewer.as_ref().is_some_and(|viewer| viewer.admin)
    }

    /// Whether people are asked for their family name first.
    pub fn family_name_first(&self) -> bool {
        self.words.language() == Language::ZhHans
    }

    /// A text in the language of the page.
    pub fn say(&self, key: &'static str) -> Message {
        self.words.say(key)
    }

    /// A text with markup in the language of the page.
    pub fn html(&self, key: &'static str) -> Html {
        self.words.html(key)
    }

    /// Whether the page is this one or below it, for the mark in the navigation.
    pub fn is_at(&self, path: &str) -> bool {
        self.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The address of the stylesheet.
    pub fn style(&self) -> &'static str {
        &assets::style().path
    }

    /// The address of the script.
    pub fn script(&self) -> &'static str {
        &assets::script().path
    }

    /// The address of the icon.
    pub fn icon(&self) -> &'static str {
        &assets::icon().path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_navigation_marks_a_page_and_what_is_below_it() {
        let frame = Frame::new("/premium/welcome");
        assert!(frame.is_at("/premium"));
        assert!(!frame.is_at("/prem"));
        assert!(!frame.is_at("/account"));
    }
}

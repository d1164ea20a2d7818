//! What a person sees when something is wrong: what it is, and a way on.

use askama::Template;

use super::frame::Frame;

/// A way on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// A path of ours.
    pub href: String,
    /// What happens there.
    pub label: String,
}

impl Link {
    /// A link to `href`.
    pub fn new(href: impl Into<String>, label: impl Into<String>) -> Self {
        Self { href: href.into(), label: label.into() }
    }
}

/// The page for every error.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/error.html")]
pub struct ErrorPage {
    /// Around the page.
    pub frame: Frame,
    /// The HTTP status.
    pub status: u16,
    /// What is wrong, in a few words.
    pub title: String,
    /// What it means and what to do.
    pub message: String,
    /// A way on.
    pub link: Link,
    /// The id under which the log knows this request, for a person who asks for help.
    pub request_id: Option<String>,
}

impl ErrorPage {
    /// The page with the usual words for this status.
    pub fn new(frame: Frame, status: u16) -> Self {
        let (title, message, href, label) = words(status);
        Self {
            frame,
            status,
            title: title.to_owned(),
            message: message.to_owned(),
            link: Link::new(href, label),
            request_id: None,
        }
    }

    /// The same page with another title.
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The same page with another way on.
    pub fn with_link(mut self, href: impl Into<String>, label: impl Into<String>) -> Self {
        self.link = Link::new(href, label);
        self
    }

    /// The same page with another message.
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }
}

fn words(status: u16) -> (&'static str, &'static str, &'static str, &'static str) {
    const HOME: (&str, &str) = ("/", "To the first page");
    let (title, message, (href, label)) = match status {
        400 => (
            "That did not make sense to us",
            "Something in the request was not in the form that we expect. Go back, reload the page and try again.",
            HOME,
        ),
        401 => ("Please log in", "This page belongs to an account, and your session has ended.", ("/login", "Log in")),
        403 => (
            "That came from another site",
            "The request did not start on a page of this site, so nothing was done. Open the page here and try again.",
            HOME,
        ),
        404 => ("There is no such page", "The address may have been mistyped, or the page has moved.", HOME),
        405 => (
            "That does not work here",
            "This address can't be used in that way. Start from the page that links to it.",
            HOME,
        ),
        408 => ("That took too long", "The request did not arrive in time. Check your connection and try again.", HOME),
        413 => ("That is too much at once", "What was sent is larger than we accept. Send less, and try again.", HOME),
        415 => ("We can't read that", "The request came in a format that this page does not understand.", HOME),
        429 => (
            "Too many tries",
            "To keep accounts safe we slow down after several failures. Wait a few minutes, then try again.",
            ("/login", "Back to log-in"),
        ),
        503 => (
            "Back in a moment",
            "Something that we depend on does not answer just now. Nothing was lost. Try again in a minute.",
            HOME,
        ),
        _ if status >= 500 => (
            "Something went wrong on our side",
            "It is not your fault, and it has been written down. Try again in a minute.",
            HOME,
        ),
        _ => ("That did not work", "Go back and try again.", HOME),
    };
    (title, message, href, label)
}

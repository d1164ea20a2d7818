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
        let usual = usual(status);
        let (title, message) = (frame.say(usual.title).into(), frame.say(usual.message).into());
        let link = Link::new(usual.href, frame.say(usual.label));
        Self { frame, status, title, message, link, request_id: None }
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

/// The keys of the usual words, and where the link leads.
struct Usual {
    title: &'static str,
    message: &'static str,
    href: &'static str,
    label: &'static str,
}

fn usual(status: u16) -> Usual {
    const HOME: (&str, &str) = ("/", "errors-to-home");
    let (title, message, (href, label)) = match status {
        400 => ("errors-400-title", "errors-400", HOME),
        401 => ("errors-401-title", "errors-401", ("/login", "errors-to-log-in")),
        403 => ("errors-403-title", "errors-403", HOME),
        404 => ("errors-404-title", "errors-404", HOME),
        405 => ("errors-405-title", "errors-405", HOME),
        408 => ("errors-408-title", "errors-408", HOME),
        413 => ("errors-413-title", "errors-413", HOME),
        415 => ("errors-415-title", "errors-415", HOME),
        429 => ("errors-429-title", "errors-429", ("/login", "errors-back-to-log-in")),
        503 => ("errors-503-title", "errors-503", HOME),
        _ if status >= 500 => ("errors-500-title", "errors-500", HOME),
        _ => ("errors-other-title", "errors-other", HOME),
    };
    Usual { title, message, href, label }
}

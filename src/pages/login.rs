//! `/login`: back into an account.

use askama::Template;

use super::{form::FieldErrors, frame::Frame};

/// What was typed, to be shown again. The password is never shown again.
#[derive(Clone, Debug, Default)]
pub struct LoginForm {
    /// As typed.
    pub email: String,
    /// Where to go afterwards: a path of ours, or empty.
    pub next: String,
    /// What was wrong. Names: `email`, `password`.
    pub errors: FieldErrors,
}

/// The page with the form.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/login.html")]
pub struct Login {
    /// Around the page.
    pub frame: Frame,
    /// The form.
    pub form: LoginForm,
    /// Why the person is here ("Log in to read this page."), if there is more to say than the title.
    pub notice: Option<String>,
}

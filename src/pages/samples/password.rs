//! The pages about the password of an account.

use super::{NASTY, Sample, ada, sample, say, stranger};
use crate::pages::{
    account_password::AccountPassword,
    form::FieldErrors,
    password_reset::{PasswordNew, PasswordReset},
};

pub fn all() -> Vec<Sample> {
    [change(), ask(), set()].into_iter().flatten().collect()
}

fn change() -> Vec<Sample> {
    let page =
        |errors| AccountPassword { frame: ada("/account/password"), email: "ada@example.com".to_owned(), errors };
    let mut errors = FieldErrors::new();
    errors.add("current_password", say("password-current-wrong"));
    errors.add("password", say("forms-password-common"));
    let template = "pages/account_password.html";
    vec![sample(template, "empty", &page(FieldErrors::new())), sample(template, "refused", &page(errors))]
}

fn ask() -> Vec<Sample> {
    let page = |email: &str, sent, errors| PasswordReset {
        frame: stranger("/password/reset"),
        email: email.to_owned(),
        sent,
        errors,
    };
    let mut errors = FieldErrors::new();
    errors.add("email", say("forms-email-at"));
    let template = "pages/password_reset.html";
    vec![
        sample(template, "empty", &page("", false, FieldErrors::new())),
        sample(template, "refused", &page(NASTY, false, errors)),
        sample(template, "sent", &page("ada@example.com", true, FieldErrors::new())),
    ]
}

fn set() -> Vec<Sample> {
    let page = |email: Option<&str>, errors| PasswordNew {
        frame: stranger("/password/reset"),
        email: email.map(str::to_owned),
        errors,
    };
    let mut errors = FieldErrors::new();
    errors.add("password", say("forms-password-too-short"));
    let template = "pages/password_new.html";
    vec![
        sample(template, "empty", &page(Some("ada@example.com"), FieldErrors::new())),
        sample(template, "refused", &page(Some("ada@example.com"), errors)),
        sample(template, "gone", &page(None, FieldErrors::new())),
    ]
}

//! The pages about the address of an account.

use super::{NASTY, Sample, ada, sample, say, stranger};
use crate::pages::{
    account_email::AccountEmail,
    email_confirmation::{EmailConfirmation, Step},
    form::FieldErrors,
};

pub fn all() -> Vec<Sample> {
    [confirmation(), change()].into_iter().flatten().collect()
}

fn confirmation() -> Vec<Sample> {
    let path = "/email/confirmation";
    let page = |frame, step| EmailConfirmation { frame, step };
    let ask = |email: &str, is_new| Step::Ask { email: email.to_owned(), is_new };
    let template = "pages/email_confirmation.html";
    vec![
        sample(template, "ask", &page(stranger(path), ask("ada@example.com", false))),
        sample(template, "ask-new", &page(ada(path), ask("ada@example.com", true))),
        sample(template, "nasty", &page(stranger(path), ask(NASTY, true))),
        sample(template, "confirmed", &page(stranger(path), Step::Confirmed)),
        sample(template, "changed", &page(stranger(path), Step::Changed)),
        sample(template, "taken", &page(ada(path), Step::Taken)),
        sample(template, "gone", &page(stranger(path), Step::Gone)),
    ]
}

fn change() -> Vec<Sample> {
    let page = |email: &str, errors| AccountEmail {
        frame: ada("/account/email"),
        present: "ada@example.com".to_owned(),
        email: email.to_owned(),
        errors,
    };
    let mut errors = FieldErrors::new();
    errors.add("email", say("forms-email-at"));
    errors.add("password", say("email-password-wrong"));
    let template = "pages/account_email.html";
    vec![sample(template, "empty", &page("", FieldErrors::new())), sample(template, "refused", &page(NASTY, errors))]
}

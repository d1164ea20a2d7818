//! The pages about what is kept of a person, and about its end.

use super::{NASTY, Sample, ada, moment, sample, say, stranger};
use crate::pages::{
    account_deletion::{AccountDeleted, AccountDeletion},
    account_profile::AccountProfile,
    form::FieldErrors,
};

pub fn all() -> Vec<Sample> {
    let profile = |text: &str, errors| AccountProfile {
        frame: ada("/account/profile"),
        title: "Dr".to_owned(),
        first_name: text.to_owned(),
        last_name: text.to_owned(),
        phone: "+44 20 7946 0958".to_owned(),
        time_zone: "Europe/Paris".to_owned(),
        language: "en".to_owned(),
        errors,
    };
    let deletion = |subscribed, errors| AccountDeletion {
        frame: ada("/account/deletion"),
        email: "ada@example.com".to_owned(),
        until: Some(moment()),
        subscribed,
        errors,
    };
    let mut wrong = FieldErrors::new();
    wrong.add("first_name", say("forms-name-empty"));
    wrong.add("language", say("forms-language-unknown"));
    let mut refused = FieldErrors::new();
    refused.add("password", say("email-password-wrong"));
    vec![
        sample("pages/account_profile.html", "known", &profile("Ada", FieldErrors::new())),
        sample("pages/account_profile.html", "refused", &profile(NASTY, wrong)),
        sample("pages/account_deletion.html", "trial", &deletion(false, FieldErrors::new())),
        sample("pages/account_deletion.html", "refused", &deletion(true, refused)),
        sample("pages/account_deleted.html", "done", &AccountDeleted { frame: stranger("/account/deletion") }),
    ]
}

//! What people are told about their second factor. Whoever did not do it learns what to do.

use super::message::{Letter, Reader};

pub(super) fn turned_on(reader: &Reader<'_>) -> Letter {
    let paragraphs = ["security-mail-on", "security-mail-on-not-you"].map(|key| reader.say(key).into());
    let action = reader.say("security-mail-account");
    reader.letter(reader.say("security-mail-on-subject"), paragraphs.into(), action, "/account")
}

pub(super) fn turned_off(reader: &Reader<'_>) -> Letter {
    let paragraphs = ["security-mail-off", "security-mail-off-not-you"].map(|key| reader.say(key).into());
    let action = reader.say("security-mail-account");
    reader.letter(reader.say("security-mail-off-subject"), paragraphs.into(), action, "/account")
}

pub(super) fn recovery_codes_new(reader: &Reader<'_>) -> Letter {
    let paragraphs = ["security-mail-new-codes", "security-mail-new-codes-not-you"].map(|key| reader.say(key).into());
    let action = reader.say("security-mail-second-factor");
    reader.letter(reader.say("security-mail-new-codes-subject"), paragraphs.into(), action, "/account/second-factor")
}

pub(super) fn recovery_code_used(reader: &Reader<'_>) -> Letter {
    let paragraphs = ["security-mail-code", "security-mail-code-left", "security-mail-code-not-you"];
    let paragraphs = paragraphs.map(|key| reader.say(key).into());
    let action = reader.say("security-mail-second-factor");
    reader.letter(reader.say("security-mail-code-subject"), paragraphs.into(), action, "/account/second-factor")
}

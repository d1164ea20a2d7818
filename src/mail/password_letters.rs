//! Letters about the password of an account.

use super::message::{Letter, Reader};

/// The link to set a new one.
pub(super) fn reset(reader: &Reader<'_>) -> Letter {
    let paragraphs = ["password-mail-reset", "password-mail-valid", "password-mail-reset-stranger"];
    let page = reader.token_page("/password/reset");
    let (subject, action) = (reader.say("password-mail-reset-subject"), reader.say("password-mail-reset-action"));
    reader.letter(subject, paragraphs.map(|key| reader.say(key).into()).into(), action, &page)
}

/// It was changed. Whoever did not do it learns what to do.
pub(super) fn changed(reader: &Reader<'_>) -> Letter {
    let paragraphs = ["password-mail-changed", "password-mail-changed-stranger"];
    let (subject, action) = (reader.say("password-mail-changed-subject"), reader.say("password-mail-changed-action"));
    reader.letter(subject, paragraphs.map(|key| reader.say(key).into()).into(), action, "/password/reset")
}

//! The last letter: the account is gone.

use super::message::{Letter, Reader};

/// Tells that the account was deleted.
pub(super) fn letter(reader: &Reader<'_>) -> Letter {
    let paragraphs = ["profile-mail-deleted", "profile-mail-deleted-charges", "profile-mail-deleted-stranger"];
    let (subject, action) = (reader.say("profile-mail-deleted-subject"), reader.say("profile-mail-deleted-action"));
    let letter = reader.letter(subject, paragraphs.map(|key| reader.say(key).into()).into(), action, "/");
    Letter { to_account: false, ..letter }
}

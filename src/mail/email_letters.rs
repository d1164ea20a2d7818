//! Letters about the address of an account.

use super::message::{Letter, Reader};

/// Where the links lead.
const CONFIRMATION: &str = "/email/confirmation";

/// Asks whether the address of a new account is its owner's.
pub(super) fn confirm(reader: &Reader<'_>) -> Letter {
    let paragraphs =
        [reader.say("email-mail-confirm"), reader.say("email-mail-valid"), reader.say("email-mail-confirm-stranger")];
    let page = reader.token_page(CONFIRMATION);
    let paragraphs = paragraphs.map(String::from).into();
    reader.letter(reader.say("email-mail-confirm-subject"), paragraphs, reader.say("email-mail-confirm-action"), &page)
}

/// Asks whether an address is that of somebody who wants it for their account.
pub(super) fn confirm_new(reader: &Reader<'_>) -> Letter {
    let paragraphs =
        [reader.say("email-mail-new"), reader.say("email-mail-valid"), reader.say("email-mail-new-stranger")];
    let page = reader.token_page(CONFIRMATION);
    let (subject, action) = (reader.say("email-mail-confirm-subject"), reader.say("email-mail-confirm-action"));
    let letter = reader.letter(subject, paragraphs.map(String::from).into(), action, &page);
    Letter { to_account: false, ..letter }
}

/// Tells the present address that another is wanted in its place, while that can still be kept from happening. The new one
/// is not named: whoever reads this mailbox need not be the person.
pub(super) fn change_asked(reader: &Reader<'_>) -> Letter {
    let paragraphs = [reader.say("email-mail-asked"), reader.say("email-mail-asked-stranger")];
    let (subject, action) = (reader.say("email-mail-asked-subject"), reader.say("email-mail-asked-action"));
    reader.letter(subject, paragraphs.map(String::from).into(), action, "/account/password")
}

/// Tells the old address that it is the account's no more. The new one is not named: whoever reads the old mailbox need
/// not be the person.
pub(super) fn changed(reader: &Reader<'_>) -> Letter {
    let paragraphs = [reader.say("email-mail-changed"), reader.say("email-mail-changed-stranger")];
    let (subject, action) = (reader.say("email-mail-changed-subject"), reader.say("email-mail-changed-action"));
    let letter = reader.letter(subject, paragraphs.map(String::from).into(), action, "/login");
    Letter { to_account: false, ..letter }
}

/// Tells the owner of an address that somebody wanted it for another account.
pub(super) fn wanted(reader: &Reader<'_>) -> Letter {
    let paragraphs = [reader.say("email-mail-wanted"), reader.say("email-mail-wanted-next")];
    let (subject, action) = (reader.say("email-mail-wanted-subject"), reader.say("email-mail-wanted-action"));
    reader.letter(subject, paragraphs.map(String::from).into(), action, "/account")
}

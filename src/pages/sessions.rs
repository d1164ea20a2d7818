//! The sessions of a person: where they are signed in, and how they end it.

use actix_session::Session;
use actix_web::{HttpResponse, web};

use super::{
    moment::Moment,
    site::{Site, see_other},
};
use crate::{
    auth::{guard::CurrentUser, session},
    domain::browser::Browser,
    error::Error,
    store::sessions::{self, Listed, SignedIn},
    words::Words,
};

/// One of them.
#[derive(Clone, Debug)]
pub struct SessionLine {
    /// By what the form names it.
    pub id: String,
    /// "Firefox on Linux".
    pub browser: String,
    /// When it began.
    pub since: Moment,
    /// It is the one that looks at the page.
    pub is_this_one: bool,
}

/// Where the person is signed in: this session first, then the newest.
///
/// # Errors
/// The database failed.
pub(super) async fn sessions_of(site: &Site, session: &Session, person: &SignedIn) -> Result<Vec<SessionLine>, Error> {
    let (user_id, here, now) = (person.user.id, session::current_hash(session), site.clock.now());
    let mut all = site.store.read(move |conn| sessions::of_user(conn, user_id, here.as_deref(), now)).await?;
    all.sort_by_key(|one| !one.is_this_one);
    let words = Words::of(person.user.language());
    let line = |one: Listed| SessionLine {
        browser: browser(words, &one.user_agent),
        since: site.moment(one.created_at, &person.user),
        id: one.public_id,
        is_this_one: one.is_this_one,
    };
    Ok(all.into_iter().map(line).collect())
}

fn browser(words: Words, user_agent: &str) -> String {
    let Browser { name, system } = Browser::of(user_agent);
    let text = match (name, system) {
        (Some(name), Some(system)) => words.say("security-browser-on").with("browser", name).with("system", system),
        (Some(name), None) => return name.to_owned(),
        (None, Some(system)) => words.say("security-browser-some").with("system", system),
        (None, None) => words.say("security-browser-unknown"),
    };
    text.into()
}

/// Ends one of the person's own sessions.
///
/// # Errors
/// The person has no session of this name, or the database failed.
pub async fn end(
    site: web::Data<Site>,
    CurrentUser(person): CurrentUser,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let (user_id, id) = (person.user.id, id.into_inner());
    // PostgreSQL takes no NUL, and a name that is none need not be looked for.
    if !id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(Error::NotFound);
    }
    if !site.store.write(move |conn| sessions::end_one(conn, user_id, &id)).await? {
        return Err(Error::NotFound);
    }
    tracing::info!(user = %person.user.public_id, "ended a session");
    Ok(see_other("/account?session-ended"))
}

/// Ends all of the person's sessions but this one.
///
/// # Errors
/// The database failed; all go on then.
pub async fn end_others(
    site: web::Data<Site>,
    session: Session,
    CurrentUser(person): CurrentUser,
) -> Result<HttpResponse, Error> {
    let (user_id, here) = (person.user.id, session::current_hash(&session));
    let ended = site.store.write(move |conn| sessions::end_all(conn, user_id, here.as_deref())).await?;
    tracing::info!(user = %person.user.public_id, ended, "ended the other sessions");
    Ok(see_other("/account?sessions-ended"))
}

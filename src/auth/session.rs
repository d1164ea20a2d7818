//! Sessions on our own database: the cookie holds a random token, the row its hash, and one joined query loads the
//! person with all subscriptions. A row that is gone is a session that is over, at once and everywhere.

use std::collections::HashMap;

use actix_session::{
    Session, SessionExt, SessionMiddleware,
    config::{CookieContentSecurity, PersistentSession, TtlExtensionPolicy},
    storage::{LoadError, SaveError, SessionKey, SessionStore, UpdateError},
};
use actix_web::{
    HttpRequest,
    cookie::{CookieJar, Key, SameSite, time},
    http::header,
};
use chrono::TimeDelta;
use sha2::{Digest, Sha512};

use super::{
    refusal::Refusal,
    token::{random_id, random_token, token_hash},
};
use crate::{
    clock::{Clock, Entropy},
    config::Secret,
    store::{Conn, Store, StoreError, sessions, sessions::SignedIn},
};

/// How long a session lasts.
pub const LASTS_DAYS: i64 = 30;

const PERSON: &str = "person";
const TOKEN: &str = "token";
const TOKEN_HASH: &str = "token_hash";
const UNAVAILABLE: &str = "unavailable";

/// The sessions as `actix-session` sees them. Rows are written by [`begin`] and [`end`], inside the handlers, where a
/// failure becomes a page and a sign-up can take one transaction; this side only reads.
pub struct DatabaseSessions {
    store: Store,
    clock: Clock,
}

/// How the cookie is called, signed, and who gets it.
#[derive(Clone)]
pub struct SessionCookie {
    key: Key,
    name: &'static str,
    https: bool,
    domain: Option<String>,
}

impl SessionCookie {
    /// Of this host alone, which browsers hold it to by its name over https; or of a whole domain. Each has a name of its own,
    /// so that one that is left over is never taken for the other (`docs/gate.md`).
    pub fn new(secret: &Secret, https: bool, domain: Option<&str>) -> Self {
        let name = match (https, domain) {
            (true, None) => "__Host-turnpike",
            (true, Some(_)) => "__Secure-turnpike",
            (false, None) => "turnpike",
            (false, Some(_)) => "turnpike-domain",
        };
        let key = Key::from(&Sha512::digest(format!("turnpike session cookie {}", secret.expose())));
        Self { key, name, https, domain: domain.map(str::to_owned) }
    }

    /// What is kept of the token that a request comes with, if we signed it.
    fn hash(&self, request: &HttpRequest) -> Option<String> {
        let cookie = request.cookie(self.name)?;
        let mut jar = CookieJar::new();
        jar.add_original(cookie);
        jar.signed(&self.key).get(self.name).map(|cookie| token_hash(cookie.value()))
    }
}

/// Who sends a request, for what stands outside the middleware: one look at the cookie, and one at the database.
///
/// # Errors
/// [`Refusal::Unavailable`] when the database could not tell.
pub async fn person_by_cookie(
    cookie: &SessionCookie,
    store: &Store,
    clock: &Clock,
    request: &HttpRequest,
) -> Result<Option<SignedIn>, Refusal> {
    let Some(hash) = cookie.hash(request) else { return Ok(None) };
    store.signed_in(hash, clock.now()).await.map_err(|error| {
        tracing::error!(%error, "a session could not be read");
        Refusal::Unavailable
    })
}

/// The middleware that reads and sets the cookie.
pub fn middleware(store: Store, clock: Clock, cookie: &SessionCookie) -> SessionMiddleware<DatabaseSessions> {
    let SessionCookie { key, name, https, domain } = cookie.clone();
    let lasts = PersistentSession::default()
        .session_ttl(time::Duration::days(LASTS_DAYS))
        .session_ttl_extension_policy(TtlExtensionPolicy::OnStateChanges);
    SessionMiddleware::builder(DatabaseSessions { store, clock }, key)
        .cookie_name(name.to_owned())
        .cookie_domain(domain)
        .cookie_secure(https)
        .cookie_http_only(true)
        .cookie_same_site(SameSite::Lax)
        .cookie_path("/".to_owned())
        .cookie_content_security(CookieContentSecurity::Signed)
        .session_lifecycle(lasts)
        .build()
}

impl SessionStore for DatabaseSessions {
    /// A database that fails is told to the guard as such: it must neither sign the person out nor let anyone in.
    async fn load(&self, key: &SessionKey) -> Result<Option<HashMap<String, String>>, LoadError> {
        let hash = token_hash(key.as_ref());
        let found = self.store.signed_in(hash.clone(), self.clock.now()).await;
        let state = |key: &str, value: String| HashMap::from([(key.to_owned(), value)]);
        match found {
            Ok(None) => Ok(None),
            Ok(Some(person)) => {
                let person = serde_json::to_string(&person).map_err(|error| LoadError::Other(error.into()))?;
                let mut state = state(PERSON, person);
                state.insert(TOKEN_HASH.to_owned(), format!("\"{hash}\""));
                Ok(Some(state))
            }
            Err(error) => {
                tracing::error!(%error, "a session could not be read");
                Ok(Some(state(UNAVAILABLE, "true".to_owned())))
            }
        }
    }

    /// Hands the token that [`begin`] made to the cookie.
    async fn save(&self, state: HashMap<String, String>, _: &time::Duration) -> Result<SessionKey, SaveError> {
        let token = state.get(TOKEN).map(|json| json.trim_matches('"').to_owned()).unwrap_or_default();
        token.try_into().map_err(|_| SaveError::Other(StoreError::Refused("no token".to_owned()).into()))
    }

    async fn update(
        &self,
        key: SessionKey,
        _: HashMap<String, String>,
        _: &time::Duration,
    ) -> Result<SessionKey, UpdateError> {
        Ok(key)
    }

    async fn update_ttl(&self, _: &SessionKey, _: &time::Duration) -> Result<(), anyhow::Error> {
        Ok(())
    }

    async fn delete(&self, _: &SessionKey) -> Result<(), anyhow::Error> {
        Ok(())
    }
}

/// Who sends this request, if anybody is signed in.
///
/// # Errors
/// [`Refusal::Unavailable`] when the database could not tell.
pub fn person(request: &HttpRequest) -> Result<Option<SignedIn>, Refusal> {
    let session = request.get_session();
    if session.get::<bool>(UNAVAILABLE).ok().flatten().is_some() {
        return Err(Refusal::Unavailable);
    }
    session.get(PERSON).map_err(|error| {
        tracing::error!(%error, "a session holds what can't be read");
        Refusal::Unavailable
    })
}

/// A session about to begin: its row is written by [`NewSession::insert`], its cookie is set by [`NewSession::hand_out`].
pub struct NewSession {
    token: String,
    public_id: String,
    replaces: Option<String>,
    user_agent: String,
}

/// A new session with a new id for whoever sends this request, in the place of the one that it comes with.
pub fn begin(request: &HttpRequest, entropy: Entropy) -> NewSession {
    let agent = request.headers().get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    NewSession {
        token: random_token(entropy),
        public_id: random_id("ses", entropy),
        replaces: request.get_session().get(TOKEN_HASH).ok().flatten(),
        user_agent: agent.chars().take(300).collect(),
    }
}

impl NewSession {
    /// Writes the row, and ends the session that it replaces. Belongs into a write transaction.
    ///
    /// # Errors
    /// The database failed.
    pub fn insert(&self, conn: &mut Conn, user_id: i64, now: chrono::DateTime<chrono::Utc>) -> Result<(), StoreError> {
        if let Some(old) = &self.replaces {
            sessions::delete(conn, old)?;
        }
        let expires_at = now + TimeDelta::days(LASTS_DAYS);
        sessions::insert(conn, &token_hash(&self.token), &self.public_id, user_id, &self.user_agent, now, expires_at)
    }

    /// Sets the cookie. Only after the row was committed.
    pub fn hand_out(self, session: &Session) {
        session.clear();
        session.renew();
        if let Err(error) = session.insert(TOKEN, &self.token) {
            tracing::error!(%error, "a session's cookie could not be set");
        }
    }
}

/// The hash under which the session of this request is kept.
pub fn current_hash(session: &Session) -> Option<String> {
    session.get(TOKEN_HASH).ok().flatten()
}

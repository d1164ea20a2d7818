//! Tokens with which programs read the list of subscribers: an admin makes and revokes them, each time with a reason and an
//! entry in the log.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::store::{
    Conn, StoreError,
    api_tokens::{self, ApiToken, NewApiToken},
    audit::{self, AuditEntry, AuditOutcome},
};

/// The word for making a token in the log.
pub const MAKE_TOKEN: &str = "token";
/// The word for revoking one.
pub const REVOKE_TOKEN: &str = "token-revocation";

/// Who does it, from where, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    /// The public id of the admin.
    pub actor: String,
    /// The address of the browser.
    pub origin: String,
    /// In their words.
    pub reason: String,
}

/// Keeps a token, and writes it down. Belongs into a write transaction.
///
/// # Errors
/// The database failed.
pub fn make_token(conn: &mut Conn, new: &NewApiToken, by: By, now: DateTime<Utc>) -> Result<(), StoreError> {
    api_tokens::insert(conn, new, now)?;
    let expires = new.expires_at.map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true));
    let detail = json!({ "token": new.public_id, "name": new.name, "expires_at": expires });
    audit::insert(conn, &entry(by, MAKE_TOKEN, AuditOutcome::Made, &detail), now)
}

/// Ends a token, and writes it down; `false` where somebody did before. Belongs into a write transaction.
///
/// # Errors
/// The database failed.
pub fn revoke_token(conn: &mut Conn, token: &ApiToken, by: By, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let is_done = api_tokens::revoke(conn, &token.public_id, now)?;
    let outcome = if is_done { AuditOutcome::Made } else { AuditOutcome::Refused };
    let detail = json!({ "token": token.public_id, "name": token.name });
    audit::insert(conn, &entry(by, REVOKE_TOKEN, outcome, &detail), now)?;
    Ok(is_done)
}

fn entry(by: By, action: &str, outcome: AuditOutcome, detail: &Value) -> AuditEntry {
    AuditEntry {
        actor: by.actor,
        origin: by.origin,
        action: action.to_owned(),
        subject: None,
        reason: by.reason,
        outcome,
        detail: Some(detail.to_string()),
    }
}

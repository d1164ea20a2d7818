//! Who belongs to the staff. It is decided on the command line alone.

use chrono::{DateTime, Utc};
use serde_json::json;

use crate::{
    domain::{email::Email, user::Role},
    store::{
        Conn, StoreError,
        audit::{self, AuditEntry, AuditOutcome},
        users,
    },
};

/// What became of a change of role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleChange {
    /// The person has the role now.
    Set,
    /// Nobody has an account with the address.
    Nobody,
    /// It would have left nobody who can do everything.
    LastAdmin,
}

/// Gives the person with this address a role, and writes it down. It counts from the person's next request. Belongs into a
/// write transaction.
///
/// # Errors
/// The database failed.
pub fn set_role(conn: &mut Conn, email: &Email, role: Role, now: DateTime<Utc>) -> Result<RoleChange, StoreError> {
    // Two who take the role from each other in the same moment take turns.
    for (id, ..) in users::staff(conn)? {
        users::lock(conn, id)?;
    }
    let Some(user) = users::by_email(conn, email.canonical())? else { return Ok(RoleChange::Nobody) };
    let mut others = users::staff(conn)?.into_iter().filter(|(id, _, role)| *id != user.id && *role == Role::Admin);
    let is_last = user.role == Role::Admin && role != Role::Admin && others.next().is_none();
    let outcome = if is_last { AuditOutcome::Refused } else { AuditOutcome::Made };
    if !is_last {
        users::set_role(conn, email.canonical(), role, now)?;
    }
    let entry = AuditEntry {
        actor: "command line".to_owned(),
        origin: "this machine".to_owned(),
        action: "role".to_owned(),
        subject: Some(user.public_id),
        reason: String::new(),
        outcome,
        detail: Some(json!({ "before": user.role.as_str(), "after": role.as_str() }).to_string()),
    };
    audit::insert(conn, &entry, now)?;
    Ok(if is_last { RoleChange::LastAdmin } else { RoleChange::Set })
}

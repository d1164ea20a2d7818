//! Billing portal sessions.

use serde::{Deserialize, Serialize};

use super::table::object;

#[derive(Clone, Serialize, Deserialize)]
pub struct PortalSession {
    pub id: String,
    pub created: i64,
    pub customer: String,
    pub return_url: Option<String>,
    pub locale: Option<String>,
}

object!(PortalSession, "billing_portal.session", portal_sessions, crate::sandbox::json::portal::portal_session);

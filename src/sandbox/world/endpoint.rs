//! Where events are sent to.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Metadata, table::object};
use crate::sandbox::json::shape::Shape;

/// The name of the endpoint that the sandbox is started with: the app's own.
pub const APP_ENDPOINT: &str = "we_turnpike";

#[derive(Clone, Serialize, Deserialize)]
pub struct WebhookEndpoint {
    pub id: String,
    pub created: i64,
    /// Not known before the app has bound its port.
    pub url: Option<String>,
    pub secret: String,
    pub enabled: bool,
    pub enabled_events: Vec<String>,
    pub api_version: Option<String>,
    pub description: Option<String>,
    pub metadata: Metadata,
}

impl WebhookEndpoint {
    /// The shape of what it is sent: that of its version, or else of the account's.
    pub fn shape(&self, account: Shape) -> Shape {
        self.api_version.as_deref().map_or(account, Shape::of_version)
    }
}

impl fmt::Debug for WebhookEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookEndpoint").field("id", &self.id).field("url", &self.url).finish_non_exhaustive()
    }
}

object!(WebhookEndpoint, "webhook endpoint", webhook_endpoints, crate::sandbox::json::endpoint::webhook_endpoint);

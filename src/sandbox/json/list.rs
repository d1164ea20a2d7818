//! Lists: a page of objects.

use serde_json::{Value, json};

/// A page in Stripe's form.
pub fn page(url: &str, data: &[Value], has_more: bool) -> Value {
    json!({"object": "list", "url": url, "has_more": has_more, "data": data})
}

/// A list that is always whole.
pub fn whole(url: &str, data: &[Value]) -> Value {
    page(url, data, false)
}

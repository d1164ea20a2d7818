//! `/v1/events`.

use serde_json::Value;

use super::{ApiError, Call};
use crate::sandbox::world::{Event, World};

pub fn list(world: &World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&["created", "delivery_success", "ending_before", "limit", "starting_after", "type", "types"])?;
    let types = call.params.list("types");
    let fits = |wanted: &str, kind: &str| match wanted.strip_suffix('*') {
        Some(start) => kind.starts_with(start),
        None => kind == wanted,
    };
    let success = call.params.boolean("delivery_success")?;
    call.page::<Event>(world, |event| {
        call.params.filled("type").is_none_or(|wanted| fits(wanted, &event.kind))
            && (types.is_empty() || types.iter().any(|wanted| fits(wanted, &event.kind)))
            && success.is_none_or(|success| (world.state.deliveries.pending_for(&event.id) == 0) == success)
    })
}

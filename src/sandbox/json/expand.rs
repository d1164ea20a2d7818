//! `expand`: the whole object in place of its name.

use serde_json::Value;

use crate::sandbox::world::{Invoice, Object, Session, State};

/// Puts the object that `path` (such as `data.customer`) names in place of its id.
///
/// # Errors
/// Nothing there can be expanded: the offending path.
pub fn expand(value: &mut Value, path: &str, state: &State) -> Result<(), String> {
    let steps: Vec<&str> = path.split('.').collect();
    if steps.len() > 4 {
        return Err(path.to_owned());
    }
    walk(value, &steps, state).map_err(|()| path.to_owned())
}

fn walk(value: &mut Value, steps: &[&str], state: &State) -> Result<(), ()> {
    let Some((step, rest)) = steps.split_first() else { return Ok(()) };
    if let Value::Array(rows) = value {
        return rows.iter_mut().try_for_each(|row| walk(row, steps, state));
    }
    let Value::Object(fields) = value else { return Ok(()) };
    if *step == "line_items" && !fields.contains_key("line_items") {
        let session = fields.get("id").and_then(Value::as_str).and_then(|id| Session::table(state).get(id)).ok_or(())?;
        fields.insert("line_items".to_owned(), super::session::line_items(session, state));
    }
    if *step == "payments" && !fields.contains_key("payments") {
        let invoice = fields.get("id").and_then(Value::as_str).and_then(|id| Invoice::table(state).get(id)).ok_or(())?;
        fields.insert("payments".to_owned(), super::invoice_payment::payments(invoice, state));
    }
    let child = fields.get_mut(*step).ok_or(())?;
    if let Value::String(id) = child {
        *child = state.object(id).ok_or(())?;
    } else if rest.is_empty() && !(child.is_null() || child.is_object()) {
        return Err(());
    }
    walk(child, rest, state)
}

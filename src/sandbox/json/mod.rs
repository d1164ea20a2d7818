//! How each thing looks in an answer or an event. Every object is held against Stripe's published description in the tests.

pub mod catalog;
pub mod customer;
pub mod dispute;
pub mod endpoint;
pub mod event;
pub mod expand;
pub mod invoice;
pub mod invoice_payment;
pub mod list;
pub mod payment;
pub mod portal;
pub mod session;
pub mod shape;
pub mod subscription;

use serde_json::{Map, Value};

/// One object of the fields of several.
fn join<const N: usize>(parts: [Value; N]) -> Value {
    let fields = parts.into_iter().flat_map(|part| match part {
        Value::Object(fields) => fields,
        _ => Map::new(),
    });
    Value::Object(fields.collect())
}

/// Fields that the sandbox never fills.
fn nulls(names: &[&str]) -> Value {
    Value::Object(names.iter().map(|name| ((*name).to_owned(), Value::Null)).collect())
}

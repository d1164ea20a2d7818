//! `/v1/products`.

use serde_json::Value;

use super::{ApiError, Call};
use crate::sandbox::{
    ids,
    world::{Product, World},
};

pub fn list(world: &World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&["active", "created", "ending_before", "ids", "limit", "shippable", "starting_after", "url"])?;
    let (active, ids) = (call.params.boolean("active")?, call.params.list("ids"));
    call.page::<Product>(world, |product| {
        active.is_none_or(|active| product.active == active) && (ids.is_empty() || ids.contains(&product.id.as_str()))
    })
}

pub fn create(world: &mut World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&[
        "active",
        "default_price_data",
        "description",
        "id",
        "images",
        "marketing_features",
        "metadata",
        "name",
        "shippable",
        "tax_code",
        "url",
    ])?;
    let id = call.params.filled("id").map_or_else(|| ids::new("prod_"), ToOwned::to_owned);
    if world.get::<Product>(&id).is_some() {
        return Err(ApiError {
            code: Some("resource_already_exists"),
            ..ApiError::invalid(format!("Product already exists: {id}"), "id")
        });
    }
    world.state.products.add(Product {
        id: id.clone(),
        created: world.now,
        updated: world.now,
        name: call.required("name")?.to_owned(),
        description: call.params.filled("description").map(ToOwned::to_owned),
        active: call.params.boolean("active")?.unwrap_or(true),
        default_price: None,
        metadata: call.params.metadata("metadata"),
    });
    world.tell::<Product>("product.created", &id);
    Ok(world.json::<Product>(&id))
}

pub fn update(world: &mut World, call: &Call, id: &str) -> Result<Value, ApiError> {
    call.allow(&["active", "default_price", "description", "images", "metadata", "name", "tax_code", "url"])?;
    let mut row = world.get::<Product>(id).ok_or_else(|| ApiError::no_such(404, "product", id, "id"))?.clone();
    row.active = call.params.boolean("active")?.unwrap_or(row.active);
    if call.params.filled("default_price").is_some() {
        row.default_price = Some(call.price(world, "default_price")?.id.clone());
    }
    if let Some(name) = call.params.filled("name") {
        name.clone_into(&mut row.name);
    }
    if call.params.text("description").is_some() {
        row.description = call.params.filled("description").map(ToOwned::to_owned);
    }
    call.params.merge_metadata("metadata", &mut row.metadata);
    row.updated = world.now;
    world.update::<Product>(id, "product.updated", |product| *product = row);
    Ok(world.json::<Product>(id))
}

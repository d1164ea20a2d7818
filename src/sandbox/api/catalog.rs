//! `/v1/products` and `/v1/prices`.

use serde_json::Value;

use super::{ApiError, Call};
use crate::sandbox::{
    calendar::{Cadence, Interval},
    ids,
    world::{Price, Product, World},
};

pub fn products(world: &World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&["active", "created", "ending_before", "ids", "limit", "shippable", "starting_after", "url"])?;
    let (active, ids) = (call.params.boolean("active")?, call.params.list("ids"));
    call.page::<Product>(world, |product| {
        active.is_none_or(|active| product.active == active) && (ids.is_empty() || ids.contains(&product.id.as_str()))
    })
}

pub fn prices(world: &World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&[
        "active",
        "created",
        "currency",
        "ending_before",
        "limit",
        "lookup_keys",
        "product",
        "recurring",
        "starting_after",
        "type",
    ])?;
    let (active, keys) = (call.params.boolean("active")?, call.params.list("lookup_keys"));
    call.page::<Price>(world, |price| {
        let kind = if price.recurring.is_some() { "recurring" } else { "one_time" };
        active.is_none_or(|active| price.active == active)
            && call.wants("type", Some(kind))
            && call.wants("product", Some(&price.product))
            && call.wants("currency", Some(&price.currency))
            && (keys.is_empty() || price.lookup_key.as_deref().is_some_and(|key| keys.contains(&key)))
    })
}

pub fn create_product(world: &mut World, call: &Call) -> Result<Value, ApiError> {
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

pub fn create_price(world: &mut World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&[
        "active",
        "billing_scheme",
        "currency",
        "lookup_key",
        "metadata",
        "nickname",
        "product",
        "recurring",
        "tax_behavior",
        "unit_amount",
    ])?;
    let product = call.required("product")?;
    if world.get::<Product>(product).is_none() {
        return Err(ApiError::no_such(400, "product", product, "product"));
    }
    let id = ids::new("price_");
    let price = Price {
        id: id.clone(),
        created: world.now,
        product: product.to_owned(),
        nickname: call.params.filled("nickname").map(ToOwned::to_owned),
        lookup_key: call.params.filled("lookup_key").map(ToOwned::to_owned),
        currency: call.required("currency")?.to_lowercase(),
        unit_amount: call.params.integer("unit_amount")?.ok_or_else(|| ApiError::missing("unit_amount"))?,
        recurring: cadence(call)?,
        active: call.params.boolean("active")?.unwrap_or(true),
        metadata: call.params.metadata("metadata"),
    };
    if !(0..=99_999_999).contains(&price.unit_amount) {
        return Err(ApiError::invalid("Invalid integer: must be from 0 to 99999999", "unit_amount"));
    }
    world.state.prices.add(price);
    world.tell::<Price>("price.created", &id);
    Ok(world.json::<Price>(&id))
}

fn cadence(call: &Call) -> Result<Option<Cadence>, ApiError> {
    if !call.params.has("recurring") {
        return Ok(None);
    }
    let word = call.required("recurring[interval]")?;
    let interval = Interval::parse(word).ok_or_else(|| {
        ApiError::invalid("Invalid interval: must be one of day, week, month, year", "recurring[interval]")
    })?;
    let count = call.params.integer("recurring[interval_count]")?.unwrap_or(1);
    let three_years = match interval {
        Interval::Day => 1_095,
        Interval::Week => 156,
        Interval::Month => 36,
        Interval::Year => 3,
    };
    let count = u32::try_from(count).ok().filter(|count| (1..=three_years).contains(count));
    let count = count.ok_or_else(|| ApiError::invalid("Invalid interval_count", "recurring[interval_count]"))?;
    Ok(Some(Cadence { interval, count }))
}

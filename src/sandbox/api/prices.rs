//! `/v1/prices`, and prices that are made on the spot.

use serde_json::Value;

use super::{ApiError, Call};
use crate::sandbox::{
    calendar::{Cadence, Interval},
    ids,
    world::{Metadata, Price, Product, World},
};

pub fn list(world: &World, call: &Call) -> Result<Value, ApiError> {
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

pub fn create(world: &mut World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&[
        "active",
        "billing_scheme",
        "currency",
        "lookup_key",
        "metadata",
        "nickname",
        "product",
        "product_data",
        "recurring",
        "tax_behavior",
        "unit_amount",
    ])?;
    let price = read(world, call, "")?;
    let id = price.id.clone();
    world.state.prices.add(Price {
        nickname: call.params.filled("nickname").map(ToOwned::to_owned),
        lookup_key: call.params.filled("lookup_key").map(ToOwned::to_owned),
        active: call.params.boolean("active")?.unwrap_or(true),
        metadata: call.params.metadata("metadata"),
        ..price
    });
    world.tell::<Price>("price.created", &id);
    Ok(world.json::<Price>(&id))
}

pub fn update(world: &mut World, call: &Call, id: &str) -> Result<Value, ApiError> {
    call.allow(&["active", "lookup_key", "metadata", "nickname", "tax_behavior", "transfer_lookup_key"])?;
    let mut row = world.get::<Price>(id).ok_or_else(|| ApiError::no_such(404, "price", id, "id"))?.clone();
    row.active = call.params.boolean("active")?.unwrap_or(row.active);
    for (name, field) in [("lookup_key", &mut row.lookup_key), ("nickname", &mut row.nickname)] {
        if call.params.text(name).is_some() {
            *field = call.params.filled(name).map(ToOwned::to_owned);
        }
    }
    call.params.merge_metadata("metadata", &mut row.metadata);
    world.update::<Price>(id, "price.updated", |price| *price = row);
    Ok(world.json::<Price>(id))
}

/// Makes the price that stands at `prefix[price_data]` of another call; its id. It can't be used a second time.
pub fn on_the_spot(world: &mut World, call: &Call, prefix: &str) -> Result<String, ApiError> {
    let price = read(world, call, prefix)?;
    let id = price.id.clone();
    world.state.prices.add(price);
    Ok(id)
}

/// The price that the fields below `prefix` describe: not yet active, and with a product of its own if they ask for one.
fn read(world: &mut World, call: &Call, prefix: &str) -> Result<Price, ApiError> {
    let amount_name = below(prefix, "unit_amount");
    let unit_amount = call.params.integer(&amount_name)?.ok_or_else(|| ApiError::missing(&amount_name))?;
    if !(0..=99_999_999).contains(&unit_amount) {
        return Err(ApiError::invalid("Invalid integer: must be from 0 to 99999999", &amount_name));
    }
    let (currency, recurring) = (call.required(&below(prefix, "currency"))?.to_lowercase(), cadence(call, prefix)?);
    Ok(Price {
        id: ids::new("price_"),
        created: world.now,
        product: product(world, call, prefix)?,
        nickname: None,
        lookup_key: None,
        currency,
        unit_amount,
        recurring,
        active: false,
        metadata: Metadata::new(),
    })
}

fn product(world: &mut World, call: &Call, prefix: &str) -> Result<String, ApiError> {
    let (name, data) = (below(prefix, "product"), below(prefix, "product_data"));
    if !call.params.has(&data) {
        let id = call.required(&name)?;
        let known = world.get::<Product>(id).is_some();
        return if known { Ok(id.to_owned()) } else { Err(ApiError::no_such(400, "product", id, &name)) };
    }
    let row = Product {
        id: ids::new("prod_"),
        created: world.now,
        updated: world.now,
        name: call.required(&format!("{data}[name]"))?.to_owned(),
        description: call.params.filled(&format!("{data}[description]")).map(ToOwned::to_owned),
        active: true,
        default_price: None,
        metadata: call.params.metadata(&format!("{data}[metadata]")),
    };
    let id = row.id.clone();
    world.state.products.add(row);
    world.tell::<Product>("product.created", &id);
    Ok(id)
}

fn cadence(call: &Call, prefix: &str) -> Result<Option<Cadence>, ApiError> {
    let recurring = below(prefix, "recurring");
    if !call.params.has(&recurring) {
        return Ok(None);
    }
    let (interval_name, count_name) = (format!("{recurring}[interval]"), format!("{recurring}[interval_count]"));
    let interval = Interval::parse(call.required(&interval_name)?)
        .ok_or_else(|| ApiError::invalid("Invalid interval: must be one of day, week, month, year", &interval_name))?;
    let count = call.params.integer(&count_name)?.unwrap_or(1);
    let three_years = match interval {
        Interval::Day => 1_095,
        Interval::Week => 156,
        Interval::Month => 36,
        Interval::Year => 3,
    };
    let count = u32::try_from(count).ok().filter(|count| (1..=three_years).contains(count));
    Ok(Some(Cadence {
        interval,
        count: count.ok_or_else(|| ApiError::invalid("Invalid interval_count", &count_name))?,
    }))
}

/// The name of a field below another: `a[b][field]`, or `field` at the top.
fn below(prefix: &str, field: &str) -> String {
    if prefix.is_empty() { field.to_owned() } else { format!("{prefix}[{field}]") }
}

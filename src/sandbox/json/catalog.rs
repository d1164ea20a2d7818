//! Products and prices.

use serde_json::{Value, json};

use crate::sandbox::world::{Price, Product, State};

pub fn product(product: &Product, _: &State) -> Value {
    json!({
        "id": product.id,
        "object": "product",
        "active": product.active,
        "created": product.created,
        "default_price": product.default_price,
        "description": product.description,
        "images": [],
        "livemode": false,
        "marketing_features": [],
        "metadata": product.metadata,
        "name": product.name,
        "package_dimensions": null,
        "shippable": null,
        "statement_descriptor": null,
        "tax_code": null,
        "unit_label": null,
        "updated": product.updated,
        "url": null,
        "type": "service",
    })
}

pub fn price(price: &Price, _: &State) -> Value {
    let recurring = price.recurring.map(|cadence| {
        json!({
            "interval": cadence.interval.word(),
            "interval_count": cadence.count,
            "meter": null,
            "usage_type": "licensed",
            "_legacy": {"trial_period_days": null},
        })
    });
    json!({
        "id": price.id,
        "object": "price",
        "active": price.active,
        "billing_scheme": "per_unit",
        "created": price.created,
        "currency": price.currency,
        "custom_unit_amount": null,
        "livemode": false,
        "lookup_key": price.lookup_key,
        "metadata": price.metadata,
        "nickname": price.nickname,
        "product": price.product,
        "recurring": recurring,
        "tax_behavior": "unspecified",
        "tiers_mode": null,
        "transform_quantity": null,
        "type": if price.recurring.is_some() { "recurring" } else { "one_time" },
        "unit_amount": price.unit_amount,
        "unit_amount_decimal": price.unit_amount.to_string(),
    })
}

/// What was called a plan before there were prices; older versions still show it.
pub fn plan(price: &Price) -> Value {
    price.recurring.map_or(Value::Null, |cadence| {
        json!({
            "id": price.id,
            "object": "plan",
            "active": price.active,
            "amount": price.unit_amount,
            "amount_decimal": price.unit_amount.to_string(),
            "billing_scheme": "per_unit",
            "created": price.created,
            "currency": price.currency,
            "interval": cadence.interval.word(),
            "interval_count": cadence.count,
            "livemode": false,
            "metadata": price.metadata,
            "meter": null,
            "nickname": price.nickname,
            "product": price.product,
            "tiers_mode": null,
            "transform_usage": null,
            "trial_period_days": null,
            "usage_type": "licensed",
        })
    })
}

//! `/v1/subscriptions`.

use serde_json::Value;

use super::{ApiError, Call, subscription_update};
use crate::sandbox::{
    calendar::DAY,
    world::{Begin, Customer, Metadata, MissingCard, Status, Subscription, World},
};

pub use subscription_update::update;

const CREATABLE: [&str; 22] = [
    "automatic_tax",
    "billing_mode",
    "cancel_at_period_end",
    "collection_method",
    "currency",
    "customer",
    "default_payment_method",
    "description",
    "discounts",
    "invoice_settings",
    "items",
    "metadata",
    "off_session",
    "payment_behavior",
    "payment_settings",
    "proration_behavior",
    "trial_end",
    "trial_from_plan",
    "trial_period_days",
    "trial_settings",
    "billing_cycle_anchor",
    "add_invoice_items",
];

pub fn create(world: &mut World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&CREATABLE)?;
    let customer = call.customer(world, "customer")?;
    let mut items = Vec::new();
    for place in call.params.children("items") {
        let price = call.price(world, &format!("items[{place}][price]"))?;
        if price.recurring.is_none() {
            return Err(ApiError::invalid(
                "The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.",
                &format!("items[{place}]"),
            ));
        }
        items.push((price.id.clone(), call.quantity(&format!("items[{place}][quantity]"))?.unwrap_or(1)));
    }
    if items.is_empty() {
        return Err(ApiError::missing("items"));
    }
    let days = call.params.integer("trial_period_days")?.map(|days| world.now + days.clamp(0, 730) * DAY);
    let trial_end =
        if call.params.filled("trial_end") == Some("now") { None } else { call.params.integer("trial_end")?.or(days) };
    let wanted = match call.params.filled("default_payment_method") {
        None => None,
        Some(name) => {
            let method = world.payment_method_named(name, &customer);
            Some(method.ok_or_else(|| ApiError::no_such(400, "PaymentMethod", name, "default_payment_method"))?)
        }
    };
    let payment_method = world.card_of(&customer, wanted.as_deref());
    if payment_method.is_none() && trial_end.is_none() {
        return Err(ApiError {
            code: Some("resource_missing"),
            ..ApiError::refused(
                "This customer has no attached payment source or default payment method. Please consider adding a default payment method.",
            )
        });
    }
    let behavior = call.params.filled("trial_settings[end_behavior][missing_payment_method]");
    let id = world.begin_subscription(Begin {
        customer,
        items,
        trial_end,
        metadata: call.params.metadata("metadata"),
        description: call.params.filled("description").map(ToOwned::to_owned),
        payment_method: payment_method.filter(|_| wanted.is_some() || trial_end.is_none()),
        missing_card: behavior.and_then(MissingCard::parse).unwrap_or_default(),
        delayed: false,
        present: false,
    });
    if call.params.boolean("cancel_at_period_end")? == Some(true) {
        world.set_end_at_period_end(&id, true);
    }
    Ok(world.json::<Subscription>(&id))
}

pub fn list(world: &World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&[
        "automatic_tax",
        "collection_method",
        "created",
        "current_period_end",
        "current_period_start",
        "customer",
        "customer_account",
        "ending_before",
        "limit",
        "price",
        "starting_after",
        "status",
        "test_clock",
    ])?;
    call.known::<Customer>(world, "customer")?;
    let status = call.params.filled("status");
    call.page::<Subscription>(world, |subscription| {
        let fits = match status {
            None => subscription.status != Status::Canceled,
            Some("all") => true,
            Some("ended") => subscription.status.is_over(),
            Some(wanted) => subscription.status.word() == wanted,
        };
        let has_price = |wanted: &str| subscription.items.iter().any(|item| item.price == wanted);
        fits && call.wants("customer", Some(&subscription.customer))
            && call.params.filled("price").is_none_or(has_price)
    })
}

pub fn cancel(world: &mut World, call: &Call, id: &str) -> Result<Value, ApiError> {
    call.allow(&["cancellation_details", "invoice_now", "prorate"])?;
    live(world, id)?;
    let text = |name: &str| call.params.filled(&format!("cancellation_details[{name}]")).map(ToOwned::to_owned);
    world.edit::<Subscription>(id, |subscription| {
        subscription.cancellation.reason = Some("cancellation_requested".to_owned());
        subscription.cancellation.comment = text("comment").or(subscription.cancellation.comment.take());
        subscription.cancellation.feedback = text("feedback").or(subscription.cancellation.feedback.take());
        subscription.cancel_at_period_end = false;
    });
    world.end_subscription(id);
    Ok(world.json::<Subscription>(id))
}

pub fn pause(world: &mut World, call: &Call, id: &str) -> Result<Value, ApiError> {
    call.allow(&["bill_for", "invoicing_behavior", "type"])?;
    let subscription = live(world, id)?;
    if !subscription.flexible || !matches!(subscription.status, Status::Active | Status::Trialing) {
        return Err(ApiError::refused(
            "Only a subscription with flexible billing whose status is `active` or `trialing` can be paused.",
        ));
    }
    world.pause(id, "pause_requested");
    Ok(world.json::<Subscription>(id))
}

pub fn resume(world: &mut World, call: &Call, id: &str) -> Result<Value, ApiError> {
    call.allow(&["billing_cycle_anchor", "payment_behavior", "proration_behavior", "proration_date"])?;
    let behavior = call.word("payment_behavior", &["resume_on_payment_attempt", "resume_on_payment_success"])?;
    if live(world, id)?.status != Status::Paused {
        return Err(ApiError::refused("You can only resume a subscription whose status is `paused`."));
    }
    if behavior == Some("resume_on_payment_success") {
        world.resume_when_paid(id);
    } else {
        world.resume_paused(id);
    }
    Ok(world.json::<Subscription>(id))
}

/// The subscription unless it is over.
pub fn live<'w>(world: &'w World, id: &str) -> Result<&'w Subscription, ApiError> {
    let subscription = world.get::<Subscription>(id).ok_or_else(|| ApiError::no_such(404, "subscription", id, "id"))?;
    if subscription.status.is_over() {
        return Err(ApiError::no_such(404, "subscription", id, "id"));
    }
    Ok(subscription)
}

/// The metadata of a subscription after this call.
pub fn merged_metadata(call: &Call, subscription: &Subscription) -> Metadata {
    let mut metadata = subscription.metadata.clone();
    call.params.merge_metadata("metadata", &mut metadata);
    metadata
}

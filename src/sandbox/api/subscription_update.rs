//! `POST /v1/subscriptions/{id}`: cancel and resume, pause, another price, another trial end.

use serde_json::Value;

use super::{
    ApiError, Call,
    subscriptions::{live, merged_metadata},
};
use crate::sandbox::{
    calendar::DAY,
    world::{Item, Pause, Proration, Subscription, TrialEnd, World},
};

const WRITABLE: [&str; 24] = [
    "automatic_tax",
    "billing_cycle_anchor",
    "billing_thresholds",
    "cancel_at",
    "cancel_at_period_end",
    "cancellation_details",
    "collection_method",
    "days_until_due",
    "default_payment_method",
    "default_source",
    "default_tax_rates",
    "description",
    "discounts",
    "invoice_settings",
    "items",
    "metadata",
    "off_session",
    "pause_collection",
    "payment_behavior",
    "payment_settings",
    "proration_behavior",
    "proration_date",
    "trial_end",
    "trial_settings",
];

pub fn update(world: &mut World, call: &Call, id: &str) -> Result<Value, ApiError> {
    call.allow(&WRITABLE)?;
    let before = match live(world, id) {
        Ok(subscription) => subscription.clone(),
        // Of an ended subscription only what is written beside it can still change.
        Err(_) if world.get::<Subscription>(id).is_some() => return update_ended(world, call, id),
        Err(error) => return Err(error),
    };
    let at_period_end = call.params.boolean("cancel_at_period_end")?;
    let cancel_at = cancel_at(world, call, at_period_end)?;
    let items = items(world, call, &before)?;
    let proration = proration(call)?;
    let trial_end = trial_end(world, call)?;
    let pause = pause(world, call)?;
    let method = match call.params.filled("default_payment_method") {
        None => None,
        Some(name) => Some(
            world
                .payment_method_named(name, &before.customer)
                .ok_or_else(|| ApiError::no_such(400, "PaymentMethod", name, "default_payment_method"))?,
        ),
    };

    let metadata = merged_metadata(call, &before);
    let now = world.now;
    let cancellation = |name: &str| {
        call.params
            .text(&format!("cancellation_details[{name}]"))
            .map(|text| Some(text.to_owned()).filter(|text| !text.is_empty()))
    };
    world.update::<Subscription>(id, "customer.subscription.updated", |subscription| {
        subscription.metadata = metadata;
        if let Some(text) = call.params.text("description") {
            subscription.description = Some(text.to_owned()).filter(|text| !text.is_empty());
        }
        if let Some(wanted) = at_period_end {
            subscription.end_at_period_end(wanted, now);
        }
        match cancel_at {
            Word::Nothing => {}
            Word::Clear => subscription.end_at(None, now),
            Word::Set(at) => subscription.end_at(Some(at), now),
        }
        subscription.cancellation.comment = cancellation("comment").unwrap_or(subscription.cancellation.comment.take());
        subscription.cancellation.feedback =
            cancellation("feedback").unwrap_or(subscription.cancellation.feedback.take());
        match pause {
            Word::Nothing => {}
            Word::Clear => subscription.pause = None,
            Word::Set(pause) => subscription.pause = Some(pause),
        }
        if method.is_some() {
            subscription.default_payment_method = method;
        }
    });
    if let Some(items) = items {
        world.change_items(id, items, proration);
    }
    if let Some(end) = trial_end {
        world.move_trial_end(id, end);
    }
    Ok(world.json::<Subscription>(id))
}

fn update_ended(world: &mut World, call: &Call, id: &str) -> Result<Value, ApiError> {
    let only_notes =
        call.params.top_names().into_iter().all(|name| matches!(name, "metadata" | "cancellation_details" | "expand"));
    let Some(subscription) = world.get::<Subscription>(id).filter(|_| only_notes) else {
        return Err(ApiError::refused(
            "A canceled subscription can only update its cancellation_details and metadata.",
        ));
    };
    let metadata = merged_metadata(call, subscription);
    world.update::<Subscription>(id, "customer.subscription.updated", |subscription| subscription.metadata = metadata);
    Ok(world.json::<Subscription>(id))
}

/// What a call says about a field that can be emptied.
enum Word<T> {
    Nothing,
    Clear,
    Set(T),
}

fn cancel_at(world: &World, call: &Call, at_period_end: Option<bool>) -> Result<Word<i64>, ApiError> {
    match call.params.text("cancel_at") {
        None => Ok(Word::Nothing),
        Some("") => Ok(Word::Clear),
        Some("min_period_end" | "max_period_end") => {
            Err(ApiError::invalid("The sandbox takes cancel_at as a timestamp only.", "cancel_at"))
        }
        Some(_) if at_period_end == Some(true) => Err(ApiError::invalid(
            "You may only specify one of these parameters: cancel_at, cancel_at_period_end.",
            "cancel_at",
        )),
        Some(_) => {
            let at = call.params.integer("cancel_at")?.unwrap_or_default();
            if at <= world.now {
                return Err(ApiError::invalid("`cancel_at` must be in the future.", "cancel_at"));
            }
            Ok(Word::Set(at))
        }
    }
}

/// The items after the change; none when the call says nothing of them.
fn items(world: &World, call: &Call, before: &Subscription) -> Result<Option<Vec<Item>>, ApiError> {
    if !call.params.has("items") {
        return Ok(None);
    }
    let mut items = before.items.clone();
    for place in call.params.children("items") {
        let name = |field: &str| format!("items[{place}][{field}]");
        let price = call.params.filled(&name("price")).map(|_| call.price(world, &name("price"))).transpose()?;
        if price.is_some_and(|price| price.recurring.is_none()) {
            return Err(ApiError::invalid("This field only accepts prices with `type=recurring`.", &name("price")));
        }
        let quantity = call.quantity(&name("quantity"))?;
        match call.params.filled(&name("id")) {
            None => items.push(
                world.new_item(&price.ok_or_else(|| ApiError::missing(&name("price")))?.id, quantity.unwrap_or(1)),
            ),
            Some(id) => {
                let known = items.iter_mut().find(|item| item.id == id);
                let item = known.ok_or_else(|| ApiError::no_such(400, "subscription_item", id, &name("id")))?;
                if let Some(price) = price {
                    item.price.clone_from(&price.id);
                }
                item.quantity = quantity.unwrap_or(item.quantity);
                if call.params.boolean(&name("deleted"))? == Some(true) {
                    items.retain(|item| item.id != id);
                }
            }
        }
    }
    if items.is_empty() {
        return Err(ApiError::invalid("A subscription must have at least one active plan.", "items"));
    }
    Ok(Some(items))
}

fn proration(call: &Call) -> Result<Proration, ApiError> {
    Ok(match call.word("proration_behavior", &["none", "create_prorations", "always_invoice"])? {
        Some("none") => Proration::None,
        Some("always_invoice") => Proration::InvoiceNow,
        _ => Proration::Create,
    })
}

fn trial_end(world: &World, call: &Call) -> Result<Option<TrialEnd>, ApiError> {
    match call.params.filled("trial_end") {
        None => Ok(None),
        Some("now") => Ok(Some(TrialEnd::Now)),
        Some(_) => {
            let at = call.params.integer("trial_end")?.unwrap_or_default();
            if at <= world.now || at > world.now + 730 * DAY {
                return Err(ApiError::invalid(
                    "Invalid timestamp: must be in the future, and less than two years away.",
                    "trial_end",
                ));
            }
            Ok(Some(TrialEnd::At(at)))
        }
    }
}

fn pause(world: &World, call: &Call) -> Result<Word<Pause>, ApiError> {
    if call.params.text("pause_collection") == Some("") {
        return Ok(Word::Clear);
    }
    if !call.params.has("pause_collection") {
        return Ok(Word::Nothing);
    }
    let behavior = call.word("pause_collection[behavior]", &["keep_as_draft", "mark_uncollectible", "void"])?;
    let behavior = behavior.ok_or_else(|| ApiError::missing("pause_collection[behavior]"))?.to_owned();
    let resumes_at = call.params.integer("pause_collection[resumes_at]")?;
    if resumes_at.is_some_and(|at| at <= world.now) {
        return Err(ApiError::invalid("`resumes_at` must be in the future.", "pause_collection[resumes_at]"));
    }
    Ok(Word::Set(Pause { behavior, resumes_at }))
}

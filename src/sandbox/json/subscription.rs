//! Subscriptions and their items.

use serde_json::{Value, json};

use super::{catalog, join, list, nulls};
use crate::sandbox::world::{Item, Object, Price, State, Subscription};

pub fn subscription(subscription: &Subscription, state: &State) -> Value {
    let items: Vec<Value> = subscription.items.iter().map(|row| item(row, subscription, state)).collect();
    let first = subscription.items.first();
    let plan = first.and_then(|item| Price::table(state).get(&item.price)).map_or(Value::Null, catalog::plan);
    join([
        json!({
            "id": subscription.id,
            "object": "subscription",
            "automatic_tax": {"disabled_reason": null, "enabled": false, "liability": null},
            "billing_cycle_anchor": subscription.billing_cycle_anchor,
            "billing_mode": {
                "type": if subscription.flexible { "flexible" } else { "classic" },
                "flexible": if subscription.flexible { json!({"proration_discounts": "included"}) } else { Value::Null },
            },
            "billing_schedules": [],
            "cancel_at": subscription.cancel_at,
            "cancel_at_period_end": subscription.cancel_at_period_end,
            "canceled_at": subscription.canceled_at,
            "cancellation_details": {
                "comment": subscription.cancellation.comment,
                "feedback": subscription.cancellation.feedback,
                "reason": subscription.cancellation.reason,
            },
            "collection_method": "charge_automatically",
            "created": subscription.created,
            "currency": subscription.currency,
            "customer": subscription.customer,
            "default_payment_method": subscription.default_payment_method,
            "default_tax_rates": [],
            "description": subscription.description,
            "discounts": [],
            "ended_at": subscription.ended_at,
            "invoice_settings": {"account_tax_ids": null, "issuer": {"type": "self"}},
            "items": list::whole(&format!("/v1/subscription_items?subscription={}", subscription.id), &items),
            "latest_invoice": subscription.latest_invoice,
            "livemode": false,
            "metadata": subscription.metadata,
            "pause_collection": subscription.pause.as_ref().map(|pause| json!({"behavior": pause.behavior, "resumes_at": pause.resumes_at})),
            "payment_settings": {
                "payment_method_options": null,
                "payment_method_types": ["card"],
                "save_default_payment_method": "off",
            },
            "start_date": subscription.created,
            "status": subscription.status.word(),
            "status_details": subscription.paused.as_ref().map(|(at, reason)| json!({
                "paused": {"subscription": {"type": reason}, "transitioned_at": at, "type": "subscription"},
            })),
            "trial_end": subscription.trial_end,
            "trial_settings": {"end_behavior": {"missing_payment_method": subscription.missing_card.word()}},
            "trial_start": subscription.trial_start,
            "_legacy": {
                "current_period_start": subscription.period_start,
                "current_period_end": subscription.period_end,
                "discount": null,
                "plan": plan,
                "quantity": first.map(|item| item.quantity),
            },
        }),
        nulls(&[
            "application",
            "application_fee_percent",
            "billing_cycle_anchor_config",
            "billing_thresholds",
            "customer_account",
            "days_until_due",
            "default_source",
            "next_pending_invoice_item_invoice",
            "on_behalf_of",
            "pending_invoice_item_interval",
            "pending_setup_intent",
            "pending_update",
            "schedule",
            "test_clock",
            "transfer_data",
        ]),
    ])
}

fn item(item: &Item, subscription: &Subscription, state: &State) -> Value {
    let price = Price::table(state).get(&item.price);
    json!({
        "id": item.id,
        "object": "subscription_item",
        "billing_thresholds": null,
        "created": item.created,
        "current_period_start": subscription.period_start,
        "current_period_end": subscription.period_end,
        "discounts": [],
        "metadata": item.metadata,
        "plan": price.map(catalog::plan),
        "price": price.map(|price| price.json(state)),
        "quantity": item.quantity,
        "subscription": subscription.id,
        "tax_rates": [],
    })
}

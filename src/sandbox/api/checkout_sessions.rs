//! `/v1/checkout/sessions`.

use serde_json::Value;
use url::Url;

use super::{ApiError, Call, prices};
use crate::sandbox::{
    calendar::{DAY, HOUR},
    ids,
    json::session,
    world::{Customer, LineItem, MissingCard, Mode, Phase, Price, Session, World},
};

const PARAMS: [&str; 44] = [
    "adaptive_pricing",
    "after_expiration",
    "allow_promotion_codes",
    "automatic_tax",
    "billing_address_collection",
    "branding_settings",
    "cancel_url",
    "client_reference_id",
    "consent_collection",
    "currency",
    "custom_fields",
    "custom_text",
    "customer",
    "customer_account",
    "customer_creation",
    "customer_email",
    "customer_update",
    "discounts",
    "excluded_payment_method_types",
    "expires_at",
    "integration_identifier",
    "invoice_creation",
    "line_items",
    "locale",
    "managed_payments",
    "metadata",
    "mode",
    "name_collection",
    "optional_items",
    "origin_context",
    "payment_intent_data",
    "payment_method_collection",
    "payment_method_configuration",
    "payment_method_data",
    "payment_method_options",
    "payment_method_types",
    "permissions",
    "phone_number_collection",
    "saved_payment_method_options",
    "shipping_address_collection",
    "submit_type",
    "subscription_data",
    "success_url",
    "tax_id_collection",
];

pub fn create(world: &mut World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&PARAMS)?;
    let mode = match call.required("mode")? {
        "payment" => Mode::Payment,
        "subscription" => Mode::Subscription,
        other => {
            return Err(ApiError::invalid(
                format!("Invalid mode: the sandbox knows payment and subscription, not {other}"),
                "mode",
            ));
        }
    };
    let customer = call.params.filled("customer").map(|_| call.customer(world, "customer")).transpose()?;
    let (line_items, currency, amount) = line_items_of(world, call, mode)?;
    let data = if mode == Mode::Subscription { "subscription_data" } else { "payment_intent_data" };
    let trial = trial(world, call, mode)?;
    let has_trial = trial.0.is_some() || trial.1.is_some();
    let text = |name: &str| call.params.filled(name).map(ToOwned::to_owned);
    let id = ids::long("cs_test_");
    let row = Session {
        id: id.clone(),
        created: world.now,
        expires_at: expiry(world, call)?,
        mode,
        phase: Phase::Open,
        payment_status: "unpaid".to_owned(),
        customer,
        customer_email: text("customer_email"),
        client_reference_id: text("client_reference_id"),
        success_url: address(call, "success_url")?.ok_or_else(|| ApiError::missing("success_url"))?,
        cancel_url: address(call, "cancel_url")?,
        line_items,
        currency,
        amount_subtotal: if has_trial { 0 } else { amount },
        amount_total: if has_trial { 0 } else { amount },
        metadata: call.params.metadata("metadata"),
        locale: text("locale"),
        allow_promotion_codes: call.params.boolean("allow_promotion_codes")?,
        billing_address_collection: text("billing_address_collection"),
        payment_method_collection: call
            .word("payment_method_collection", &["always", "if_required"])?
            .unwrap_or("always")
            .to_owned(),
        customer_creation: call.word("customer_creation", &["always", "if_required"])?.map(ToOwned::to_owned),
        data_metadata: call.params.metadata(&format!("{data}[metadata]")),
        data_description: text(&format!("{data}[description]")),
        trial_end: trial.0,
        trial_period_days: trial.1,
        missing_card: missing_card(call)?,
        subscription: None,
        payment_intent: None,
        invoice: None,
        settlement: None,
    };
    world.state.sessions.add(row);
    Ok(world.json::<Session>(&id))
}

fn line_items_of(world: &mut World, call: &Call, mode: Mode) -> Result<(Vec<LineItem>, String, i64), ApiError> {
    let (mut items, mut currency, mut amount, mut recurs) = (Vec::new(), String::new(), 0_i64, false);
    for place in call.params.children("line_items") {
        let name = |field: &str| format!("line_items[{place}][{field}]");
        let on_the_spot = if call.params.has(&name("price_data")) {
            Some(prices::on_the_spot(world, call, &name("price_data"))?)
        } else {
            None
        };
        let price = match on_the_spot.as_deref().and_then(|id| world.get::<Price>(id)) {
            Some(price) => price,
            None => call.price(world, &name("price"))?,
        };
        let quantity = call.quantity(&name("quantity"))?.ok_or_else(|| ApiError::missing(&name("quantity")))?;
        if mode == Mode::Payment && price.recurring.is_some() {
            let message = "You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.";
            return Err(ApiError::invalid(message, "mode"));
        }
        recurs |= price.recurring.is_some();
        currency.clone_from(&price.currency);
        amount = amount.saturating_add(price.unit_amount.saturating_mul(quantity));
        items.push(LineItem { id: ids::new("li_"), price: price.id.clone(), quantity });
    }
    if items.is_empty() {
        return Err(ApiError::missing("line_items"));
    }
    if mode == Mode::Subscription && !recurs {
        return Err(ApiError::invalid(
            "You must provide at least one recurring price in `subscription` mode when using prices.",
            "mode",
        ));
    }
    Ok((items, currency, amount))
}

/// The trial's end as an instant, or its length in days: one of them at most.
fn trial(world: &World, call: &Call, mode: Mode) -> Result<(Option<i64>, Option<i64>), ApiError> {
    if mode == Mode::Payment && call.params.has("subscription_data") {
        return Err(ApiError::invalid("You can not pass `subscription_data` in `payment` mode.", "subscription_data"));
    }
    let (end_name, days_name) = ("subscription_data[trial_end]", "subscription_data[trial_period_days]");
    let (end, days) = (call.params.integer(end_name)?, call.params.integer(days_name)?);
    if end.is_some() && days.is_some() {
        return Err(ApiError::invalid(
            "You may only specify one of these parameters: trial_end, trial_period_days.",
            end_name,
        ));
    }
    if end.is_some_and(|end| end < world.now + 48 * HOUR) {
        return Err(ApiError::invalid("The `trial_end` date has to be at least 2 days in the future.", end_name));
    }
    if end.is_some_and(|end| end > world.now + 730 * DAY) {
        return Err(ApiError::invalid("The maximum number of trial period days is 730 (2 years).", end_name));
    }
    if days.is_some_and(|days| !(1..=730).contains(&days)) {
        return Err(ApiError::invalid(
            "The number of trial period days has to be at least 1 and at most 730.",
            days_name,
        ));
    }
    Ok((end, days))
}

fn missing_card(call: &Call) -> Result<MissingCard, ApiError> {
    let name = "subscription_data[trial_settings][end_behavior][missing_payment_method]";
    let word = call.word(name, &["cancel", "create_invoice", "pause"])?;
    Ok(word.and_then(MissingCard::parse).unwrap_or_default())
}

fn expiry(world: &World, call: &Call) -> Result<i64, ApiError> {
    let Some(at) = call.params.integer("expires_at")? else { return Ok(world.now + DAY) };
    if (world.now + HOUR / 2..=world.now + DAY).contains(&at) {
        Ok(at)
    } else {
        Err(ApiError::invalid(
            "The timestamp must be between 30 minutes and 24 hours from Checkout Session creation.",
            "expires_at",
        ))
    }
}

fn address(call: &Call, name: &str) -> Result<Option<String>, ApiError> {
    let Some(text) = call.params.filled(name) else { return Ok(None) };
    let web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    match Url::parse(text).ok().filter(web) {
        Some(_) => Ok(Some(text.to_owned())),
        None => Err(ApiError { code: Some("url_invalid"), ..ApiError::invalid("Not a valid URL", name) }),
    }
}

pub fn list(world: &World, call: &Call) -> Result<Value, ApiError> {
    call.allow(&[
        "created",
        "customer",
        "customer_details",
        "ending_before",
        "limit",
        "payment_intent",
        "starting_after",
        "status",
        "subscription",
    ])?;
    call.known::<Customer>(world, "customer")?;
    call.page::<Session>(world, |session| {
        let status = match session.phase {
            Phase::Open => "open",
            Phase::Complete => "complete",
            Phase::Expired => "expired",
        };
        call.wants("status", Some(status))
            && call.wants("customer", session.customer.as_deref())
            && call.wants("subscription", session.subscription.as_deref())
            && call.wants("payment_intent", session.payment_intent.as_deref())
    })
}

pub fn line_items(world: &World, id: &str) -> Result<Value, ApiError> {
    let row = world.get::<Session>(id).ok_or_else(|| ApiError::no_such(404, "checkout.session", id, "session"))?;
    Ok(session::line_items(row, world.state))
}

pub fn expire(world: &mut World, id: &str) -> Result<Value, ApiError> {
    let row = world.get::<Session>(id).ok_or_else(|| ApiError::no_such(404, "checkout.session", id, "session"))?;
    if row.phase != Phase::Open {
        return Err(ApiError::refused("Only Checkout Sessions with a status in [\"open\"] can be expired."));
    }
    world.expire_session(id);
    Ok(world.json::<Session>(id))
}

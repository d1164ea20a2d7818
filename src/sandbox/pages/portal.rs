//! The billing portal.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Bytes, Data, Path},
};
use askama::Template;

use super::{When, message, page, see_other};
use crate::sandbox::{
    api::params::Params,
    shared::Sandbox,
    world::{
        Card, Cause, Customer, Invoice, InvoiceStatus, PortalSession, Price, Proration, Status, Subscription, World,
        money,
    },
};

struct Choice {
    id: String,
    name: String,
}

struct SubscriptionRow {
    id: String,
    name: String,
    price: String,
    status: &'static str,
    over: bool,
    ends: Option<When>,
    renews: Option<When>,
    other_prices: Vec<Choice>,
}

struct InvoiceRow {
    id: String,
    number: String,
    amount: String,
    status: &'static str,
    at: When,
    payable: bool,
}

#[derive(Template)]
#[template(path = "sandbox/portal.html")]
struct PortalPage {
    action: String,
    customer: String,
    card: String,
    subscriptions: Vec<SubscriptionRow>,
    invoices: Vec<InvoiceRow>,
    return_url: Option<String>,
}

pub async fn show(id: Path<String>, sandbox: Data<Sandbox>) -> HttpResponse {
    sandbox.look(|world| match world.get::<PortalSession>(&id) {
        None => unknown(),
        Some(session) => page(StatusCode::OK, &portal_page(world, session), None),
    })
}

fn unknown() -> HttpResponse {
    let text = "This link is not known here. Open the portal again from your account page.";
    message(StatusCode::NOT_FOUND, "No such portal page", text, Some(("/", "To the sandbox's first page")))
}

fn portal_page(world: &World, session: &PortalSession) -> PortalPage {
    let customer = world.get::<Customer>(&session.customer);
    let mine = world.subscriptions_of(&session.customer);
    let own = mine.iter().rev().find_map(|subscription| subscription.default_payment_method.as_deref());
    let card = match world.card_of(&session.customer, own).map(|(_, card)| card) {
        None => "No card is kept.".to_owned(),
        Some(card @ Card::Works) => format!("Visa ending in {}", card.last4()),
        Some(card @ Card::Declines) => format!("Visa ending in {}: renewals will be declined", card.last4()),
        Some(card @ Card::NeedsSecondStep) => {
            format!("Visa ending in {}: renewals will ask for a second step", card.last4())
        }
    };
    let invoices = world
        .state
        .invoices
        .iter()
        .rev()
        .filter(|invoice| invoice.customer == session.customer && invoice.number.is_some());
    PortalPage {
        action: format!("/p/session/{}", session.id),
        customer: customer.and_then(|customer| customer.email.clone()).unwrap_or_else(|| session.customer.clone()),
        card,
        subscriptions: mine.iter().rev().map(|subscription| subscription_row(world, subscription)).collect(),
        invoices: invoices.map(invoice_row).collect(),
        return_url: session.return_url.clone(),
    }
}

fn subscription_row(world: &World, subscription: &Subscription) -> SubscriptionRow {
    let first = subscription.items.first();
    let price = first.and_then(|item| world.get::<Price>(&item.price));
    let product = price.and_then(|price| world.state.products.get(&price.product));
    let over = subscription.status.is_over();
    let ends = subscription.ended_at.or(subscription.cancel_at);
    let others = world.state.prices.iter().filter(|other| {
        other.active
            && other.recurring.is_some()
            && price.is_some_and(|price| other.product == price.product && other.id != price.id)
    });
    SubscriptionRow {
        id: subscription.id.clone(),
        name: product.map_or_else(|| subscription.id.clone(), |product| product.name.clone()),
        price: price.map(Price::spell).unwrap_or_default(),
        status: subscription.status.word(),
        over,
        ends: ends.map(When::from),
        renews: (ends.is_none() && !over).then(|| When::from(subscription.period_end)),
        other_prices: others.map(|price| Choice { id: price.id.clone(), name: price.spell() }).collect(),
    }
}

fn invoice_row(invoice: &Invoice) -> InvoiceRow {
    InvoiceRow {
        id: invoice.id.clone(),
        number: invoice.number.clone().unwrap_or_default(),
        amount: money(invoice.due(), &invoice.currency),
        status: invoice.status.word(),
        at: When::from(invoice.created),
        payable: matches!(invoice.status, InvoiceStatus::Open | InvoiceStatus::Uncollectible),
    }
}

pub async fn act(id: Path<String>, body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let form = Params::parse(&body);
    sandbox.change(Cause::default(), |world| {
        let Some(customer) = world.get::<PortalSession>(&id).map(|session| session.customer.clone()) else {
            return unknown();
        };
        perform(world, &customer, &form);
        see_other(&format!("/p/session/{id}"))
    })
}

fn perform(world: &mut World, customer: &str, form: &Params) {
    let named = form.filled("subscription").and_then(|id| world.get::<Subscription>(id));
    let subscription = named
        .filter(|subscription| subscription.customer == customer && !subscription.status.is_over())
        .map(|subscription| subscription.id.clone());
    match (form.text("act").unwrap_or_default(), subscription) {
        ("cancel_at_period_end", Some(id)) => world.end_by_portal(&id),
        ("resume", Some(id)) => world.keep_going(&id),
        ("cancel_now", Some(id)) => {
            world.edit::<Subscription>(&id, |subscription| {
                subscription.cancellation.reason = Some("cancellation_requested".to_owned());
            });
            world.end_subscription(&id);
        }
        ("change_plan", Some(id)) => change_plan(world, &id, form),
        ("card_works", _) => world.change_card(customer, Card::Works),
        ("card_declines", _) => world.change_card(customer, Card::Declines),
        ("card_second_step", _) => world.change_card(customer, Card::NeedsSecondStep),
        ("pay_invoice", _) => {
            let invoice = form
                .filled("invoice")
                .and_then(|id| world.get::<Invoice>(id))
                .filter(|invoice| invoice.customer == customer);
            if let Some(id) = invoice.map(|invoice| invoice.id.clone()) {
                world.collect(&id, true);
            }
        }
        _ => {}
    }
}

fn change_plan(world: &mut World, id: &str, form: &Params) {
    let price =
        form.filled("price").and_then(|price| world.get::<Price>(price)).filter(|price| price.recurring.is_some());
    let Some((price, mut items)) =
        price.zip(world.get::<Subscription>(id)).map(|(price, facts)| (price.id.clone(), facts.items.clone()))
    else {
        return;
    };
    if let Some(first) = items.first_mut() {
        first.price = price;
    }
    if world.get::<Subscription>(id).is_some_and(|subscription| subscription.status != Status::Paused) {
        world.change_items(id, items, Proration::Create);
    }
}

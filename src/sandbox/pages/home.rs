//! The sandbox's first page: the clock, the customers, the switches.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Bytes, Data},
};
use askama::Template;

use super::{When, message, page, see_other};
use crate::sandbox::{
    api::params::Params,
    calendar::{DAY, HOUR},
    control::clock::FARTHEST,
    delivery::{Order, Settings},
    json::shape::{NEWEST, Shape},
    shared::Sandbox,
    world::{APP_ENDPOINT, Cause, Customer, Price, WebhookEndpoint, World},
};

struct CustomerRow {
    id: String,
    name: String,
    subscriptions: Vec<String>,
}

#[derive(Template)]
#[template(path = "sandbox/home.html")]
struct HomePage {
    now: When,
    next_period_end: Option<When>,
    version: &'static str,
    webhook_url: Option<String>,
    pending: usize,
    settings: Settings,
    customers: Vec<CustomerRow>,
    prices: Vec<(String, String, String)>,
}

pub async fn show(sandbox: Data<Sandbox>) -> HttpResponse {
    sandbox.look(|world| page(StatusCode::OK, &home_page(world), None))
}

fn home_page(world: &World) -> HomePage {
    let customers = world.state.customers.iter().rev().filter(|customer| !customer.deleted).take(100);
    let price = |price: &Price| (price.id.clone(), price.nickname.clone().unwrap_or_default(), price.spell());
    HomePage {
        now: world.now.into(),
        next_period_end: world.state.next_period_end().map(When::from),
        version: NEWEST,
        webhook_url: world.get::<WebhookEndpoint>(APP_ENDPOINT).and_then(|endpoint| endpoint.url.clone()),
        pending: world.state.deliveries.pending(),
        settings: world.state.deliveries.settings.clone(),
        customers: customers.map(|customer| customer_row(world, customer)).collect(),
        prices: world.state.prices.iter().map(price).collect(),
    }
}

fn customer_row(world: &World, customer: &Customer) -> CustomerRow {
    CustomerRow {
        id: customer.id.clone(),
        name: customer.email.clone().or_else(|| customer.name.clone()).unwrap_or_else(|| customer.id.clone()),
        subscriptions: world
            .subscriptions_of(&customer.id)
            .iter()
            .map(|subscription| subscription.status.word().replace('_', " "))
            .collect(),
    }
}

/// `to`: `hour`, `day`, `month` or `period_end` (one hour behind it, when the invoice is charged).
pub async fn move_clock(body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let form = Params::parse(&body);
    let seconds = match form.text("to").unwrap_or_default() {
        "hour" => HOUR,
        "day" => DAY,
        "month" => 30 * DAY,
        "period_end" => sandbox.look(|world| world.state.next_period_end().map_or(0, |end| end + HOUR + 1 - world.now)),
        _ => form.text("seconds").and_then(|text| text.parse().ok()).unwrap_or(0),
    };
    if !(0..=FARTHEST).contains(&seconds) {
        let text = "The clock moves forward only, and by 20 years at most.";
        return message(StatusCode::BAD_REQUEST, "The clock stays", text, Some(("/", "Back")));
    }
    match sandbox.advance(seconds) {
        Ok(_) => see_other("/"),
        Err(error) => message(StatusCode::BAD_REQUEST, "The clock stays", &error.to_string(), Some(("/", "Back"))),
    }
}

pub async fn switch(body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let form = Params::parse(&body);
    sandbox.change(Cause::default(), |world| {
        let old = world.state.deliveries.settings.clone();
        world.state.deliveries.set(Settings {
            shape: if form.text("shape") == Some("subscription") { Shape::Subscription } else { Shape::Items },
            order: match form.text("order") {
                Some("reversed") => Order::Reversed,
                Some("shuffled") => Order::Shuffled,
                _ => Order::AsIs,
            },
            copies: form
                .text("copies")
                .and_then(|text| text.parse().ok())
                .filter(|copies| (1..=100).contains(copies))
                .unwrap_or(old.copies),
            delay_ms: form
                .text("delay_ms")
                .and_then(|text| text.parse().ok())
                .filter(|delay| *delay <= 86_400_000)
                .unwrap_or(old.delay_ms),
            hold: form.text("hold").is_some(),
            parallel: old.parallel,
        });
    });
    see_other("/")
}

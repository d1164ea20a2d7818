//! The checkout page.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Bytes, Data, Path},
};
use askama::Template;

use super::{When, message, page, see_other};
use crate::sandbox::{
    api::params::Params,
    shared::Sandbox,
    world::{BANK_SECONDS, Card, Cause, Mode, Outcome, Phase, Price, Product, Session, World, money},
};

struct Row {
    name: String,
    detail: String,
    amount: String,
}

#[derive(Template)]
#[template(path = "sandbox/checkout.html")]
struct CheckoutPage {
    rows: Vec<Row>,
    total: String,
    /// What comes after the trial, and when it ends.
    later: Option<(String, When)>,
    recurring: bool,
    /// Nothing is due today.
    free: bool,
    email: Option<String>,
    cancel_url: Option<String>,
    action: String,
    error: Option<&'static str>,
}

#[derive(Template)]
#[template(path = "sandbox/confirm.html")]
struct ConfirmPage {
    total: String,
    action: String,
}

pub async fn show(request: HttpRequest, id: Path<String>, sandbox: Data<Sandbox>) -> HttpResponse {
    let error = match request.query_string() {
        "declined" => Some("Your card was declined. Nothing was charged. Try another card."),
        "unconfirmed" => Some("The payment was not confirmed, so nothing was charged. Try again, or use another card."),
        _ => None,
    };
    sandbox.look(|world| match open_session(world, &id) {
        Err(answer) => *answer,
        Ok(session) => page(StatusCode::OK, &checkout_page(world, &session, error), Some(&session.success_url)),
    })
}

fn checkout_page(world: &World, session: &Session, error: Option<&'static str>) -> CheckoutPage {
    let row = |item: &crate::sandbox::world::LineItem| {
        let price = world.get::<Price>(&item.price)?;
        let product = world.get::<Product>(&price.product)?;
        let amount = money(price.unit_amount.saturating_mul(item.quantity), &price.currency);
        let detail = if item.quantity == 1 { price.spell() } else { format!("{} × {}", item.quantity, price.spell()) };
        Some(Row { name: product.name.clone(), detail, amount })
    };
    let rows: Vec<Row> = session.line_items.iter().filter_map(row).collect();
    let later = session.trial_from(world.now).map(|end| {
        let price = rows.iter().map(|row| row.detail.as_str()).collect::<Vec<_>>().join(" + ");
        (price, When::from(end))
    });
    let customer = session.customer.as_deref().and_then(|id| world.state.customers.get(id));
    CheckoutPage {
        rows,
        total: money(session.amount_total, &session.currency),
        later,
        recurring: session.mode == Mode::Subscription,
        free: session.amount_total == 0,
        email: customer.and_then(|customer| customer.email.clone()).or_else(|| session.customer_email.clone()),
        cancel_url: session.cancel_url.clone(),
        action: format!("/c/pay/{}", session.id),
        error,
    }
}

pub async fn show_confirmation(id: Path<String>, sandbox: Data<Sandbox>) -> HttpResponse {
    sandbox.look(|world| match open_session(world, &id) {
        Err(answer) => *answer,
        Ok(session) => {
            let total = money(session.amount_total, &session.currency);
            let confirm = ConfirmPage { total, action: format!("/c/pay/{}", session.id) };
            page(StatusCode::OK, &confirm, Some(&session.success_url))
        }
    })
}

/// The session while it can be paid; else the page that says why not.
fn open_session(world: &World, id: &str) -> Result<Session, Box<HttpResponse>> {
    let Some(session) = world.get::<Session>(id) else {
        let text = "There is no such checkout. It may have been made before the sandbox's data was removed.";
        let link = Some(("/", "To the sandbox's first page"));
        return Err(Box::new(message(StatusCode::NOT_FOUND, "No such checkout", text, link)));
    };
    match session.phase {
        Phase::Open => Ok(session.clone()),
        Phase::Complete => {
            let address = session.return_address();
            let link = Some((address.as_str(), "Go back to the shop"));
            Err(Box::new(message(StatusCode::OK, "Paid already", "This checkout is complete.", link)))
        }
        Phase::Expired => {
            let link = session.cancel_url.as_deref().map(|address| (address, "Go back to the shop"));
            let text = "Go back and start again: nothing was charged.";
            Err(Box::new(message(StatusCode::GONE, "This checkout has expired", text, link)))
        }
    }
}

pub async fn pay(id: Path<String>, body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let form = Params::parse(&body);
    let (outcome, card) = match form.text("act").unwrap_or_default() {
        "pay" | "confirm" => (Outcome::Paid, Card::Works),
        "pay_renewals_decline" => (Outcome::Paid, Card::Declines),
        "decline" | "refuse" => (Outcome::Declined, Card::Declines),
        "delayed_paid" => (Outcome::UnpaidThenPaid, Card::Works),
        "delayed_failed" => (Outcome::UnpaidThenFailed, Card::Declines),
        "second_step" => return see_other(&format!("/c/pay/{id}/confirm")),
        _ => return see_other(&format!("/c/pay/{id}")),
    };
    sandbox.change(Cause::default(), |world| {
        let finished = world.finish_checkout(&id, outcome, card, BANK_SECONDS);
        match (finished, world.get::<Session>(&id)) {
            (_, Some(session)) if session.phase == Phase::Complete => see_other(&session.return_address()),
            (Ok(()), Some(session)) => {
                let why = if form.text("act") == Some("refuse") { "unconfirmed" } else { "declined" };
                see_other(&format!("/c/pay/{}?{why}", session.id))
            }
            _ => see_other(&format!("/c/pay/{id}")),
        }
    })
}

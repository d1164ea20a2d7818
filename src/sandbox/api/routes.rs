//! Every address of the API on one screen.

use serde_json::Value;

use super::{
    ApiError, Call, billing_portal, call::found, checkout_sessions, customers, disputes, events, invoice_payments,
    invoices, payments, prices, products, refunds, subscriptions, webhook_endpoints,
};
use crate::sandbox::world::{
    Charge, Customer, Dispute, Event, Invoice, InvoicePayment, PaymentIntent, PaymentMethod, Price, Product, Refund,
    Session, Subscription, WebhookEndpoint, World,
};

/// Answers a question whose path is `/v1/` and these parts.
pub fn dispatch(world: &mut World, call: &Call, parts: &[&str]) -> Result<Value, ApiError> {
    match (call.method.as_str(), parts) {
        ("POST", ["customers"]) => customers::create(world, call),
        ("GET", ["customers"]) => customers::list(world, call),
        ("GET", ["customers", id]) => found::<Customer>(world, id),
        ("POST", ["customers", id]) => customers::update(world, call, id),
        ("DELETE", ["customers", id]) => customers::delete(world, id),
        ("GET", ["customers", id, "payment_methods"]) => payments::of_customer(world, call, id),

        ("GET", ["products"]) => products::list(world, call),
        ("POST", ["products"]) => products::create(world, call),
        ("GET", ["products", id]) => found::<Product>(world, id),
        ("POST", ["products", id]) => products::update(world, call, id),
        ("GET", ["prices"]) => prices::list(world, call),
        ("POST", ["prices"]) => prices::create(world, call),
        ("GET", ["prices", id]) => found::<Price>(world, id),
        ("POST", ["prices", id]) => prices::update(world, call, id),

        ("POST", ["checkout", "sessions"]) => checkout_sessions::create(world, call),
        ("GET", ["checkout", "sessions"]) => checkout_sessions::list(world, call),
        ("GET", ["checkout", "sessions", id]) => found::<Session>(world, id),
        ("GET", ["checkout", "sessions", id, "line_items"]) => checkout_sessions::line_items(world, id),
        ("POST", ["checkout", "sessions", id, "expire"]) => checkout_sessions::expire(world, id),

        ("POST", ["subscriptions"]) => subscriptions::create(world, call),
        ("GET", ["subscriptions"]) => subscriptions::list(world, call),
        ("GET", ["subscriptions", id]) => found::<Subscription>(world, id),
        ("POST", ["subscriptions", id]) => subscriptions::update(world, call, id),
        ("DELETE", ["subscriptions", id]) => subscriptions::cancel(world, call, id),
        ("POST", ["subscriptions", id, "pause"]) => subscriptions::pause(world, call, id),
        ("POST", ["subscriptions", id, "resume"]) => subscriptions::resume(world, call, id),

        ("GET", ["invoices"]) => invoices::list(world, call),
        ("GET", ["invoices", id]) => found::<Invoice>(world, id),
        ("GET", ["invoices", id, "lines"]) => invoices::lines(world, id),
        ("POST", ["invoices", id, "pay"]) => invoices::pay(world, call, id),
        ("POST", ["invoices", id, "void"]) => invoices::void(world, id),

        ("GET", ["invoice_payments"]) => invoice_payments::list(world, call),
        ("GET", ["invoice_payments", id]) => found::<InvoicePayment>(world, id),

        ("POST", ["billing_portal", "sessions"]) => billing_portal::create(world, call),

        ("GET", ["events"]) => events::list(world, call),
        ("GET", ["events", id]) => found::<Event>(world, id),

        ("GET", ["webhook_endpoints"]) => webhook_endpoints::list(world, call),
        ("POST", ["webhook_endpoints"]) => webhook_endpoints::create(world, call),
        ("GET", ["webhook_endpoints", id]) => found::<WebhookEndpoint>(world, id),
        ("POST", ["webhook_endpoints", id]) => webhook_endpoints::update(world, call, id),
        ("DELETE", ["webhook_endpoints", id]) => webhook_endpoints::delete(world, id),

        ("GET", ["payment_methods", id]) => found::<PaymentMethod>(world, id),
        ("POST", ["payment_methods", id, "attach"]) => payments::attach(world, call, id),
        ("GET", ["payment_intents"]) => payments::intents(world, call),
        ("GET", ["payment_intents", id]) => found::<PaymentIntent>(world, id),
        ("GET", ["charges"]) => payments::charges(world, call),
        ("GET", ["charges", id]) => found::<Charge>(world, id),

        ("POST", ["refunds"]) => refunds::create(world, call),
        ("GET", ["refunds"]) => refunds::list(world, call),
        ("GET", ["refunds", id]) => found::<Refund>(world, id),

        ("GET", ["disputes"]) => disputes::list(world, call),
        ("GET", ["disputes", id]) => found::<Dispute>(world, id),
        ("POST", ["disputes", id, "close"]) => disputes::close(world, id),

        (method, _) => Err(ApiError::no_such_url(method, &call.path)),
    }
}

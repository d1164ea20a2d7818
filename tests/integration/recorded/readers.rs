//! Our own tolerant readers find what they need in every example, in the new shape and in the old.

use serde_json::Value;
use turnpike::billing::event::{
    ChargeObject, CheckoutSessionObject, CustomerObject, DisputeObject, Event, InvoiceObject, SubscriptionObject,
};

use super::kept;

/// Whether a reader finds what it needs in an object; nothing when no reader of ours wants such an object.
fn is_read(object: &Value) -> Option<bool> {
    let read = match object["object"].as_str().unwrap() {
        "subscription" => SubscriptionObject::from_value(object).is_some_and(|read| {
            let period = read.items.first().and_then(|item| read.period_of(item));
            read.customer.is_some() && read.status.is_some() && period.is_some() && read.created.is_some()
        }),
        "invoice" => InvoiceObject::from_value(object).is_some_and(|read| {
            read.customer.is_some()
                && read.subscription.is_some()
                && read.currency.is_some()
                && read.amount_due.is_some()
        }),
        "checkout.session" => CheckoutSessionObject::from_value(object).is_some_and(|read| {
            let open = read.status.as_deref() == Some("open");
            read.mode.is_some()
                && read.customer.is_some()
                && read.payment_status.is_some()
                && read.url.is_some() == open
        }),
        "charge" => ChargeObject::from_value(object)
            .is_some_and(|read| read.payment_intent.is_some() && read.amount.is_some() && read.currency.is_some()),
        "dispute" => DisputeObject::from_value(object)
            .is_some_and(|read| read.charge.is_some() && read.payment_intent.is_some() && read.status.is_some()),
        "customer" => CustomerObject::from_value(object).is_some_and(|read| read.email.is_some()),
        _ => return None,
    };
    Some(read)
}

fn objects_in(value: &Value) -> Vec<&Value> {
    if value["object"] == "list" { value["data"].as_array().unwrap().iter().collect() } else { vec![value] }
}

#[test]
fn our_readers_read_every_event() {
    let mut read = 0;
    for (name, text) in kept().iter().filter(|(name, _)| name.contains("events/")) {
        let event = Event::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(format!("{}.json", event.kind), name.split_once('/').unwrap().1);
        let found = is_read(&event.object);
        assert!(found != Some(false), "{name} is not read");
        read += usize::from(found.is_some());
    }
    assert!(read > 30, "only {read} examples have an object that we read");
}

#[test]
fn our_readers_read_every_object() {
    let kept = kept();
    let values: Vec<(&String, Value)> = kept
        .iter()
        .filter(|(name, _)| name.starts_with("objects/"))
        .map(|(name, text)| (name, serde_json::from_str(text).unwrap()))
        .collect();
    let found: Vec<(&String, Option<bool>)> = values
        .iter()
        .flat_map(|(name, value)| objects_in(value).into_iter().map(move |object| (*name, is_read(object))))
        .collect();
    let unread: Vec<&String> = found.iter().filter(|(_, read)| *read == Some(false)).map(|(name, _)| *name).collect();
    assert!(unread.is_empty(), "{unread:?} are not read");
    assert!(found.iter().filter(|(_, read)| read.is_some()).count() > 20, "{found:?}");
}

#[test]
fn in_the_old_shape_invoice_and_charge_name_each_other() {
    let kept = kept();
    let object = |name: &str| Event::parse(kept[name].as_bytes()).unwrap().object;
    let invoice = InvoiceObject::from_value(&object("older_events/invoice.paid.json")).unwrap();
    let charge = ChargeObject::from_value(&object("older_events/charge.refunded.json")).unwrap();
    assert_eq!(charge.invoice.as_deref(), Some(invoice.id.as_str()));
    assert_eq!(invoice.payment_intent, charge.payment_intent);
    let newer = InvoiceObject::from_value(&object("events/invoice.paid.json")).unwrap();
    assert_eq!(newer.payment_intent, None);
}

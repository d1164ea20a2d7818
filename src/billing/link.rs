//! Whose customer it is (`docs/rules.md §5`). Never found out by an e-mail address.

use chrono::{DateTime, Utc};

use super::{
    Rules,
    apply::Applied,
    customer::USER_ID,
    event::{CheckoutSessionObject, CustomerObject, Event},
    journal::apply_waiting,
};
use crate::store::{
    Conn, StoreError, users,
    webhook_events::{self, Outcome, WaitsFor},
};

/// A finished checkout tells whose customer it is.
pub(super) fn checkout(
    conn: &mut Conn,
    rules: &Rules,
    event: &Event,
    now: DateTime<Utc>,
) -> Result<Applied, StoreError> {
    let Some(session) = CheckoutSessionObject::from_value(&event.object) else {
        return Ok(Applied::new(Outcome::Ignored, "a checkout without an id"));
    };
    let named = [session.client_reference_id.as_deref(), session.metadata.get(USER_ID).map(String::as_str)];
    match (&session.customer, named.into_iter().flatten().collect::<Vec<_>>().as_slice()) {
        (Some(customer), named @ [_, ..]) => link(conn, rules, customer, named, now),
        _ => Ok(Applied::new(Outcome::Ignored, "a checkout that names no customer or no person of ours")),
    }
}

/// A customer tells whose it is when we made it: our person's id stands in its metadata.
pub(super) fn customer(
    conn: &mut Conn,
    rules: &Rules,
    event: &Event,
    now: DateTime<Utc>,
) -> Result<Applied, StoreError> {
    let customer = CustomerObject::from_value(&event.object).filter(|customer| !customer.deleted);
    let Some((id, public_id)) = customer.and_then(|one| Some((one.id, one.metadata.get(USER_ID).cloned()?))) else {
        return Ok(Applied::new(Outcome::Ignored, "a customer that names no person of ours"));
    };
    link(conn, rules, &id, &[&public_id], now)
}

/// The next checkout makes a new customer.
pub(super) fn customer_is_gone(conn: &mut Conn, event: &Event, now: DateTime<Utc>) -> Result<Applied, StoreError> {
    let Some(customer) = CustomerObject::from_value(&event.object) else {
        return Ok(Applied::new(Outcome::Ignored, "a customer without an id"));
    };
    let Some(user) = users::by_customer(conn, &customer.id)? else {
        return Ok(Applied::new(Outcome::Ignored, "a customer of nobody here"));
    };
    users::lock(conn, user.id)?;
    users::forget_customer(conn, user.id, &customer.id, now)?;
    Ok(Applied::new(Outcome::Applied, "the customer is gone at Stripe").of(user.id))
}

/// Links a customer to the person that is named, in one place or in two.
fn link(
    conn: &mut Conn,
    rules: &Rules,
    customer: &str,
    named: &[&str],
    now: DateTime<Utc>,
) -> Result<Applied, StoreError> {
    let mut people = Vec::new();
    for public_id in named {
        people.extend(users::by_public_id(conn, public_id)?.map(|user| user.id));
    }
    people.dedup();
    let user = match people.as_slice() {
        [] => return Ok(Applied::new(Outcome::Ignored, "it names nobody here")),
        [user] => *user,
        _ => return Ok(conflict(customer, "conflict: it names two people")),
    };
    if users::by_customer(conn, customer)?.is_some_and(|other| other.id != user) {
        return Ok(conflict(customer, "conflict: the customer of one person with the id of another"));
    }
    if webhook_events::customer_is_gone(conn, customer)? {
        return Ok(Applied::new(Outcome::Ignored, "the customer is gone at Stripe").of(user));
    }
    users::lock(conn, user)?;
    let kept = users::keep_customer(conn, user, customer, now)?;
    if kept != customer {
        return Ok(Applied::new(Outcome::Ignored, "the person has another customer").of(user));
    }
    apply_waiting(conn, rules, WaitsFor::Customer(customer), now)?;
    Ok(Applied::silent(Outcome::Applied).of(user))
}

fn conflict(customer: &str, why: &str) -> Applied {
    tracing::error!(customer, why, "refused a link");
    Applied::new(Outcome::Ignored, why)
}

//! Whose a payment is: the person that our metadata names, else the one for whom the customer was made; never the e-mail
//! (`docs/rules.md §5`).

use crate::store::{
    Conn, StoreError,
    users::{self, User},
};

/// Who pays.
pub(super) enum Owner {
    /// This person.
    Known(Box<User>),
    /// Nobody that is known here, yet.
    Unknown,
    /// Two people at once.
    Conflict,
}

/// Finds the person by the ids of ours that stand on an object, by the row that is kept for its subscription, and by its
/// customer. They must agree, as far as they say anything.
pub(super) fn owner<'a>(
    conn: &mut Conn,
    named: impl IntoIterator<Item = &'a str>,
    subscriber: Option<i64>,
    customer: Option<&str>,
) -> Result<Owner, StoreError> {
    let mut people = Vec::new();
    for public_id in named {
        people.extend(users::by_public_id(conn, public_id)?);
    }
    if let Some(id) = subscriber {
        people.extend(users::by_id(conn, id)?);
    }
    if let Some(customer) = customer {
        people.extend(users::by_customer(conn, customer)?);
    }
    let Some(first) = people.pop() else { return Ok(Owner::Unknown) };
    if people.iter().any(|other| other.id != first.id) {
        return Ok(Owner::Conflict);
    }
    Ok(Owner::Known(Box::new(first)))
}

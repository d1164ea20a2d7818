//! Instants come back to the microsecond, and are compared so.

use turnpike::{
    domain::subscription::{Period, Status},
    store::{recurring, subscriptions},
};

use super::{Fresh, facts, moment};
use crate::support::database::Engine;

#[test]
fn on_sqlite() {
    kept_to_the_microsecond(Engine::Sqlite);
}

#[test]
fn on_postgresql() {
    kept_to_the_microsecond(Engine::Postgres);
}

fn kept_to_the_microsecond(engine: Engine) {
    let mut fresh = Fresh::on(engine);
    let edges =
        ["0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "2106-02-07T06:28:16Z", "9999-12-31T23:59:59.999999Z"];
    let edges = edges.into_iter().map(|text| text.parse().unwrap());
    for (number, end) in edges.chain([moment(-1), moment(0), moment(1), moment(123_456)]).enumerate() {
        let id = format!("sub_{number}");
        let written = facts(Status::Active, Some(Period { start: moment(7), end }));
        fresh.subscribe(&id, &written);
        let read = recurring::by_provider_id(&mut fresh.conn, &id).unwrap().unwrap();
        assert_eq!(read.facts, written, "{end}");
    }
    let at = |fresh: &mut Fresh, now| {
        let active = subscriptions::ids_by_effective_status(&mut fresh.conn, Status::Active, now).unwrap();
        active.len()
    };
    let before = at(&mut fresh, moment(0));
    assert_eq!(at(&mut fresh, moment(1)), before - 1, "one microsecond makes a difference of one row");
}

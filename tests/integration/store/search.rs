//! People are found in the same way on both engines, and each list by an index.

use std::sync::{Arc, Mutex};

use diesel::{Connection, connection::InstrumentationEvent};
use turnpike::{
    domain::subscription::{AccessPolicy, Kind, Status},
    store::{
        Conn, StoreError, roster,
        subscribers::{self, Filter, Key, Order, Place, Sort},
    },
};

use super::roster::{at, ids, insert_people, insert_person, list};
use crate::{
    on_both,
    support::{app::App, database::Engine},
};

on_both! {
    every_sign_of_a_search_means_itself,
    whole_ids_of_stripe_find_their_owner,
    each_list_has_its_index,
    several_filters_at_once_look_at_nobody_else,
}

async fn every_sign_of_a_search_means_itself(app: App) {
    for (id, first, last, email) in [
        (1, "Ada", "Lovelace", "ada@example.com"),
        (2, "José", "Núñez", "jn@example.com"),
        (3, "100%", "Sure", "sure@example.com"),
        (4, "under_score", "Back\\slash", "us@example.com"),
        (5, "Conan", "O'Brien", "ob@example.com"),
        (6, "小明", "王", "wang@example.com"),
        (7, "Łukasz \"L\"", "Groß", "lg@example.com"),
        (8, "İpek", "Işık", "ii@example.com"),
    ] {
        insert_person(&app, id, first, last, email, at(0));
    }
    roster::bring_up_to_date(&app.store, AccessPolicy::default(), at(0)).await.unwrap();
    for (search, found) in [
        ("", &[1, 2, 3, 4, 5, 6, 7, 8][..]),
        ("   ", &[1, 2, 3, 4, 5, 6, 7, 8]),
        ("ada", &[1]),
        ("LOVELACE ada", &[1]),
        ("Ada Lovelace", &[1]),
        ("velac", &[1]),
        ("nobody", &[]),
        ("ada nobody", &[]),
        ("jose nunez", &[2]),
        ("JOSÉ", &[2]),
        ("Nu\u{301}n", &[2]),
        ("%", &[3]),
        ("0% s", &[3]),
        ("100%", &[3]),
        ("_", &[4]),
        ("r_sc", &[4]),
        ("\\", &[4]),
        ("back\\sl", &[4]),
        ("'", &[5]),
        ("o'brien", &[5]),
        ("'; DROP TABLE users; --", &[]),
        ("王小明", &[6]),
        ("小明", &[6]),
        ("王", &[6]),
        ("\"l\"", &[7]),
        ("\"", &[7]),
        ("groß", &[7]),
        ("ipek", &[8]),
        ("@example.com", &[1, 2, 3, 4, 5, 6, 7, 8]),
        ("e", &[1, 2, 3, 4, 5, 6, 7, 8]),
        ("*", &[]),
        ("ada OR jose", &[]),
        ("a\0da", &[]),
        ("NEAR(ada)", &[]),
        ("search:ada", &[]),
        ("-ada", &[]),
        ("^ada", &[]),
    ] {
        let people = list(&app, Filter { search: search.to_owned(), ..Filter::default() }).await;
        assert_eq!(ids(&people), found.iter().copied().collect(), "{search:?}");
    }
    let long = list(&app, Filter { search: "a".repeat(10_000), ..Filter::default() }).await;
    assert!(long.is_empty());
}

async fn whole_ids_of_stripe_find_their_owner(app: App) {
    for id in 1..=3 {
        insert_person(&app, id, "Ada", "Lovelace", &format!("p{id}@example.com"), at(0));
    }
    app.database.execute("UPDATE users SET stripe_customer_id = 'cus_2' WHERE id = 2");
    app.database.execute(
        "INSERT INTO subscriptions (user_id, kind, status, provider_id, cancel_at_period_end, version, created_at, \
         updated_at) VALUES (3, 'recurring', 'active', 'sub_3', FALSE, 1, 0, 0)",
    );
    app.database.execute(
        "INSERT INTO payments (user_id, purpose, status, happened_at, provider_payment_id, provider_invoice_id, amount, \
         amount_refunded, created_at, updated_at) VALUES (1, 'subscription', 'paid', 0, 'pi_1', 'in_1', 1, 0, 0, 0)",
    );
    roster::bring_up_to_date(&app.store, AccessPolicy::default(), at(0)).await.unwrap();
    for (search, found) in [
        ("cus_2", &[2][..]),
        (" sub_3 ", &[3]),
        ("pi_1", &[1]),
        ("in_1", &[1]),
        ("usr_2", &[2]),
        ("cus_", &[]),
        ("cus_%", &[]),
        ("sub_33", &[]),
    ] {
        let people = list(&app, Filter { search: search.to_owned(), ..Filter::default() }).await;
        assert_eq!(ids(&people), found.iter().copied().collect(), "{search:?}");
    }
}

/// The queries as they are sent, held against what the engine means to do.
async fn each_list_has_its_index(app: App) {
    let filters = [
        Filter::default(),
        Filter { status: Some(Some(Status::PastDue)), ..Filter::default() },
        Filter { kind: Some(Kind::Prepaid), ..Filter::default() },
        Filter { plan: Some("monthly".to_owned()), ..Filter::default() },
        Filter { unconfirmed: true, ..Filter::default() },
    ];
    for (number, filter) in filters.into_iter().enumerate() {
        for sort in [Sort::Name, Sort::SignUp, Sort::End] {
            let key = if sort == Sort::Name { Key::Name("a".to_owned()) } else { Key::Instant(1) };
            for place in [None, Some(Place { key, id: 1 })] {
                let (filter, order) = (filter.clone(), Order { sort, descending: false });
                let sent =
                    statements(&app, move |conn| subscribers::list(conn, &filter, order, place.as_ref(), 50).map(drop));
                let sent = sent.await;
                let listed = sent.iter().find(|sql| sql.contains("ORDER BY")).unwrap_or_else(|| panic!("{sent:?}"));
                let plan = app.database.explain(listed);
                assert!(plan.contains("roster_"), "filter {number}, {sort:?}: {plan}");
                for slow in ["SCAN roster\n", "TEMP B-TREE", "Seq Scan on roster", "Sort"] {
                    assert!(!plan.contains(slow), "filter {number}, {sort:?}: {plan}");
                }
            }
        }
    }
}

/// Of many filters there are two queries: whom they let through, and these in their order.
async fn several_filters_at_once_look_at_nobody_else(app: App) {
    // An engine that knows how many rows there are chooses by that.
    insert_people(&app, 5_000);
    app.database.execute(
        "UPDATE roster SET status = CASE user_id % 3 WHEN 0 THEN 'active' WHEN 1 THEN 'trialing' ELSE 'none' END, kind = CASE \
         user_id % 4 WHEN 0 THEN 'recurring' WHEN 1 THEN 'trial' ELSE 'none' END, plan = CASE user_id % 5 WHEN 0 THEN \
         'yearly' WHEN 1 THEN 'monthly' END, confirmed = user_id % 2 = 0",
    );
    app.database.execute(if app.database.engine() == Engine::Postgres { "VACUUM ANALYZE roster" } else { "ANALYZE" });
    let (status, kind, plan) = (Some(Some(Status::Active)), Some(Kind::Recurring), Some("yearly".to_owned()));
    let none = Filter::default;
    for (number, filter) in [
        Filter { status, kind, ..none() },
        Filter { status, plan: plan.clone(), ..none() },
        Filter { kind, plan: plan.clone(), ..none() },
        Filter { status, unconfirmed: true, ..none() },
        Filter { kind, unconfirmed: true, ..none() },
        Filter { plan: plan.clone(), unconfirmed: true, ..none() },
        Filter { status: Some(None), kind, plan, unconfirmed: true, ..none() },
    ]
    .into_iter()
    .enumerate()
    {
        let order = Order { sort: Sort::Name, descending: true };
        let sent = statements(&app, move |conn| subscribers::list(conn, &filter, order, None, 50).map(drop)).await;
        let fitting = sent.iter().find(|sql| sql.contains("roster.confirmed IN"));
        let plan = app.database.explain(fitting.unwrap_or_else(|| panic!("{sent:?}")));
        assert!(plan.contains("roster_facets") && !plan.contains("SCAN"), "filters {number}: {plan}");
    }
}

/// What is sent to the database.
async fn statements(app: &App, work: impl FnOnce(&mut Conn) -> Result<(), StoreError> + Send + 'static) -> Vec<String> {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&sent);
    let watched = move |conn: &mut Conn| {
        conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if let InstrumentationEvent::StartQuery { query, .. } = event {
                heard.lock().unwrap().push(query.to_string());
            }
        });
        let done = work(conn);
        conn.set_instrumentation(|_: InstrumentationEvent<'_>| {});
        done
    };
    app.store.read(watched).await.unwrap();
    sent.lock().unwrap().clone()
}

//! Two tabs, second thoughts and double clicks: one checkout stays open, and nobody pays twice (`docs/rules.md §8`).

use std::collections::BTreeSet;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    on_both,
    support::{app::App, client::Answer, member::Member, sandbox::parameter},
};

on_both! {
    the_second_tab_closes_the_checkout_of_the_first,
    a_second_thought_and_back_again_leads_to_an_open_page,
    a_double_click_is_one_checkout,
    ten_tabs_at_once_leave_one_open_page,
    a_checkout_that_was_closed_is_opened_anew,
    a_repeated_answer_is_noticed_without_a_look_before,
    who_paid_a_moment_ago_is_not_sold_a_second_plan,
    while_it_is_not_known_whether_somebody_paid_nothing_is_sold,
    what_others_and_the_operator_opened_stays_open,
    what_can_not_be_tidied_keeps_nobody_from_paying,
    keys_differ_as_soon_as_the_wish_does,
}

async fn the_second_tab_closes_the_checkout_of_the_first(app: App) {
    let ada = app.member_after_trial().await;
    let monthly = ada.opens_checkout("monthly").await;
    let yearly = ada.opens_checkout("yearly").await;
    assert_eq!(app.status_of(&monthly).await, "expired");
    assert_eq!(app.status_of(&yearly).await, "open");
    let half_year = ada.opens_checkout("half-year").await;
    assert_eq!(app.status_of(&yearly).await, "expired");
    app.at_checkout(&half_year, "paid").await;
}

async fn a_second_thought_and_back_again_leads_to_an_open_page(app: App) {
    let ada = app.member_after_trial().await;
    let mut seen = BTreeSet::new();
    for plan in ["monthly", "yearly", "monthly", "yearly", "half-year", "monthly"] {
        let session = ada.opens_checkout(plan).await;
        assert_eq!(app.status_of(&session).await, "open", "{plan}");
        assert!(seen.insert(session.clone()), "{plan}: Stripe's old answer was taken");
        assert_eq!(open_sessions(&app).await, [session]);
    }
}

async fn a_double_click_is_one_checkout(app: App) {
    let ada = app.member_after_trial().await;
    let first = ada.opens_checkout("monthly").await;
    let second = ada.opens_checkout("monthly").await;
    assert_eq!(first, second);
    assert_eq!(open_sessions(&app).await, [first]);
}

async fn ten_tabs_at_once_leave_one_open_page(app: App) {
    for plans in [["monthly", "monthly"], ["monthly", "yearly"]] {
        let ada = app.member_after_trial().await;
        let forms = plans.map(|plan| [("plan", plan)]);
        let answers = join_all((0..10).map(|tab| ada.post("/checkout", &forms[tab % 2]))).await;
        let targets: BTreeSet<String> = answers.iter().map(session_in).collect();
        let open = open_sessions_of(&app, &ada).await;
        assert_eq!(open.len(), 1, "{plans:?}: {open:?}");
        assert!(
            targets.contains(&open[0]),
            "{plans:?}: nobody was sent to the page that is open: {targets:?}, {open:?}"
        );
        if plans[0] == plans[1] {
            assert_eq!(targets.len(), 1, "one wish, several pages: {targets:?}");
        }
    }
}

async fn a_checkout_that_was_closed_is_opened_anew(app: App) {
    let ada = app.member_after_trial().await;
    let first = ada.opens_checkout("monthly").await;
    app.at_checkout(&first, "expired").await;
    let second = ada.opens_checkout("monthly").await;
    assert_eq!(app.status_of(&second).await, "open");
    app.at_stripe(Method::POST, &format!("/v1/checkout/sessions/{second}/expire"), &[]).await;
    let third = ada.opens_checkout("monthly").await;
    assert_eq!(app.status_of(&third).await, "open");
    app.at_checkout(&third, "paid").await;
    app.deliveries_done().await;
    ada.reads().await;
}

async fn a_repeated_answer_is_noticed_without_a_look_before(app: App) {
    let ada = app.member_after_trial().await;
    for _ in 0..3 {
        let session = ada.opens_checkout("monthly").await;
        assert_eq!(app.status_of(&session).await, "open");
        app.at_checkout(&session, "expired").await;
        // As many failures as there are tries: the first look fails, the second works.
        let look = json!({ "path_prefix": "/v1/checkout/sessions", "method": "GET", "status": 500, "times": 3 });
        app.stripe_fails(look).await;
    }
}

async fn who_paid_a_moment_ago_is_not_sold_a_second_plan(app: App) {
    app.stripe_keeps_events(true).await;
    for plan in ["monthly", "yearly", "half-year"] {
        let ada = app.member_after_trial().await;
        let session = ada.opens_checkout("monthly").await;
        app.at_checkout(&session, "paid").await;
        let sold = app.asked("POST", "/v1/checkout/sessions").await.len();
        let answer = ada.post("/checkout", &[("plan", plan)]).await.is(303);
        assert!(!answer.location().unwrap().contains("cs_"), "{plan}: {answer:?}");
        assert_eq!(app.asked("POST", "/v1/checkout/sessions").await.len(), sold, "{plan}");
        assert_eq!(app.subscriptions_of(&ada).await.len(), 1, "{plan}");
        ada.reads().await;
    }
}

async fn while_it_is_not_known_whether_somebody_paid_nothing_is_sold(app: App) {
    app.stripe_keeps_events(true).await;
    let ada = app.member_after_trial().await;
    let session = ada.opens_checkout("monthly").await;
    app.at_checkout(&session, "paid").await;
    app.stripe_fails(json!({ "path_prefix": "/v1/subscriptions", "status": 500, "times": 100 })).await;
    ada.post("/checkout", &[("plan", "monthly")]).await.is(503).says("Nothing was charged");
    assert_eq!(open_sessions(&app).await, Vec::<String>::new());
}

async fn what_others_and_the_operator_opened_stays_open(app: App) {
    let (ada, bob) = (app.member().await, app.member().await);
    let of_bob = bob.opens_checkout("monthly").await;
    ada.opens_checkout("monthly").await;
    let customer = parameter(&app.asked("POST", "/v1/checkout/sessions").await[1], "customer").unwrap();
    let fields = [
        ("mode", "payment"),
        ("customer", customer.as_str()),
        ("success_url", "https://example.com/thanks"),
        ("line_items[0][price]", "price_half_year"),
        ("line_items[0][quantity]", "1"),
    ];
    let of_operator = app.at_stripe(Method::POST, "/v1/checkout/sessions", &fields).await;
    let of_operator = of_operator["id"].as_str().unwrap();
    let last = ada.opens_checkout("yearly").await;
    for session in [&of_bob, of_operator, &last] {
        assert_eq!(app.status_of(session).await, "open");
    }
}

async fn what_can_not_be_tidied_keeps_nobody_from_paying(app: App) {
    let ada = app.member_after_trial().await;
    let first = ada.opens_checkout("monthly").await;
    app.stripe_fails(json!({ "path_prefix": "/v1/checkout/sessions", "method": "GET", "status": 500, "times": 100 }))
        .await;
    let second = ada.opens_checkout("yearly").await;
    app.stripe_works().await;
    app.stripe_fails(json!({ "path_prefix": format!("/v1/checkout/sessions/{second}"), "status": 500, "times": 100 }))
        .await;
    let third = ada.opens_checkout("half-year").await;
    assert_eq!(app.status_of(&first).await, "expired");
    assert_eq!(app.status_of(&third).await, "open");
    // What was left open by mistake is closed the next time, also when it is wanted again.
    app.stripe_works().await;
    let fourth = ada.opens_checkout("yearly").await;
    assert_eq!(open_sessions(&app).await, [fourth]);
}

async fn keys_differ_as_soon_as_the_wish_does(app: App) {
    let ada = app.member_after_trial().await;
    for plan in ["monthly", "yearly", "half-year", "half-year"] {
        ada.opens_checkout(plan).await;
    }
    app.advance(chrono::TimeDelta::minutes(11));
    ada.opens_checkout("half-year").await;
    let bob = app.member_after_trial().await;
    bob.opens_checkout("half-year").await;
    let calls = app.asked("POST", "/v1/checkout/sessions").await;
    let keys: Vec<&Value> = calls.iter().map(|call| &call["idempotency_key"]).collect();
    assert_eq!(keys.len(), 6);
    assert_eq!(keys[2], keys[3], "a double click is one wish");
    let different: BTreeSet<String> = keys.iter().map(ToString::to_string).collect();
    assert_eq!(different.len(), 5, "{keys:?}");
}

async fn open_sessions(app: &App) -> Vec<String> {
    let list = app.sandbox(Method::GET, "/v1/checkout/sessions?status=open&limit=100", Value::Null).await;
    list["data"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

async fn open_sessions_of(app: &App, member: &Member) -> Vec<String> {
    let user = member.id().await;
    let list = app.sandbox(Method::GET, "/v1/checkout/sessions?status=open&limit=100", Value::Null).await;
    let mine = list["data"].as_array().unwrap().iter().filter(|one| one["client_reference_id"] == user);
    mine.map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

fn session_in(answer: &Answer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text());
    let target = answer.location().unwrap();
    target[target.find("cs_").unwrap()..].to_owned()
}

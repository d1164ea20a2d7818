//! When Stripe says no, says nothing, or has lost what it had: a friendly page, and nothing lost (`docs/rules.md §7, §8`).

use std::{
    io::{Read, Write},
    net::TcpListener,
    time::{Duration, Instant},
};

use chrono::TimeDelta;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;

use crate::{
    on_both,
    support::{
        app::{App, Setup},
        client::JSON,
        database::Engine,
        sandbox::parameter,
    },
};

const SESSIONS: &str = "/v1/checkout/sessions";

on_both! {
    whatever_stripe_answers_the_page_is_friendly_and_nothing_is_lost,
    while_stripe_hangs_the_buyer_is_told_in_time_and_others_read_on,
    the_same_wish_of_a_parallel_request_is_waited_for,
    a_customer_that_is_gone_is_replaced_once,
    a_new_customer_that_is_gone_too_is_not_replaced_again,
    the_portal_of_a_customer_that_is_gone_opens_all_the_same,
    a_trial_that_is_too_near_for_stripe_loses_no_day,
    a_trial_of_more_than_two_years_is_cut_to_what_stripe_takes,
    addresses_come_from_the_settings_and_not_from_the_request,
    the_browser_may_go_on_to_stripes_pages,
}

async fn whatever_stripe_answers_the_page_is_friendly_and_nothing_is_lost(app: App) {
    let ada = app.member_after_trial().await;
    for (status, words) in [
        (429, "Nothing was charged. Try again in a minute."),
        (500, "Nothing was charged. Try again in a minute."),
        (502, "Nothing was charged. Try again in a minute."),
        (401, "Nothing was charged. Try again in a minute."),
        (400, "did not accept this. Nothing was charged."),
    ] {
        for path in ["/v1/customers", SESSIONS] {
            app.database.execute("UPDATE users SET stripe_customer_id = NULL");
            app.stripe_fails(json!({ "path_prefix": path, "method": "POST", "status": status, "times": 100 })).await;
            let answer = ada.post("/checkout", &[("plan", "monthly")]).await.is(503).says(words);
            assert_eq!(answer.header("retry-after"), Some("5"), "{status} {path}");
            app.stripe_works().await;
        }
    }
    app.stripe_fails(json!({ "path_prefix": SESSIONS, "method": "POST", "status": 400, "times": 1 })).await;
    let told =
        ada.send(Method::POST, "/checkout", |request| request.header("Accept", JSON).form(&[("plan", "monthly")]));
    assert_eq!(told.await.is(503).json()["code"], "SERVICE_UNAVAILABLE");
    ada.opens_checkout("monthly").await;
}

async fn while_stripe_hangs_the_buyer_is_told_in_time_and_others_read_on(app: App) {
    let (ada, bob) = (app.member().await, app.member().await);
    app.stripe_fails(json!({ "path_prefix": "/v1/", "hang_ms": 30_000, "times": 1_000 })).await;
    let start = Instant::now();
    let buying = async {
        let answers = join_all((0..20).map(|_| ada.post("/checkout", &[("plan", "monthly")]))).await;
        for answer in answers {
            answer.is(503).says("Nothing was charged");
        }
        start.elapsed()
    };
    let reading = async {
        let mut slowest = Duration::ZERO;
        for _ in 0..20 {
            let asked = Instant::now();
            bob.reads().await;
            slowest = slowest.max(asked.elapsed());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        slowest
    };
    let (bought, read) = futures_util::future::join(buying, reading).await;
    assert!(bought < Duration::from_secs(14), "the buyer waited {bought:?}");
    assert!(read < Duration::from_secs(3), "a reader waited {read:?}");
}

async fn the_same_wish_of_a_parallel_request_is_waited_for(app: App) {
    let ada = app.member().await;
    app.stripe_fails(json!({ "path_prefix": SESSIONS, "method": "POST", "status": 409, "times": 5 })).await;
    ada.opens_checkout("monthly").await;
    let calls = app.asked("POST", SESSIONS).await;
    assert_eq!(calls.len(), 6);
    assert!(calls.iter().all(|call| call["idempotency_key"] == calls[0]["idempotency_key"]), "{calls:?}");
}

async fn a_customer_that_is_gone_is_replaced_once(app: App) {
    app.stripe_keeps_events(true).await;
    for case in ["deleted", "unknown"] {
        let ada = app.member().await;
        ada.opens_checkout("monthly").await;
        let first = customer_of(&app, &ada.email);
        if case == "deleted" {
            app.at_stripe(Method::DELETE, &format!("/v1/customers/{first}"), &[]).await;
        } else {
            app.database.execute(&format!(
                "UPDATE users SET stripe_customer_id = 'cus_gone' WHERE stripe_customer_id = '{first}'"
            ));
        }
        let made = app.asked("POST", "/v1/customers").await.len();
        let answers = join_all((0..10).map(|_| ada.post("/checkout", &[("plan", "yearly")]))).await;
        for answer in answers {
            answer.is(303);
        }
        let second = customer_of(&app, &ada.email);
        assert_ne!(first, second, "{case}");
        let calls = app.asked("POST", "/v1/customers").await.split_off(made);
        assert!(calls.iter().all(|call| call["idempotency_key"] == calls[0]["idempotency_key"]), "{case}: {calls:?}");
        ada.opens_checkout("half-year").await;
        assert_eq!(customer_of(&app, &ada.email), second, "{case}");
    }
}

async fn a_new_customer_that_is_gone_too_is_not_replaced_again(app: App) {
    let ada = app.member().await;
    app.database.execute("UPDATE users SET stripe_customer_id = 'cus_gone'");
    app.stripe_keeps_events(true).await;
    app.stripe_fails(json!({ "path_prefix": SESSIONS, "method": "POST", "hang_ms": 700, "times": 2 })).await;
    let deleting = async {
        app.eventually("the second call", || async { app.asked("POST", SESSIONS).await.len() == 2 }).await;
        let customers = app.sandbox(Method::GET, "/v1/customers", serde_json::Value::Null).await;
        let customer = customers["data"][0]["id"].as_str().unwrap();
        app.at_stripe(Method::DELETE, &format!("/v1/customers/{customer}"), &[]).await;
    };
    let (answer, ()) = futures_util::future::join(ada.post("/checkout", &[("plan", "monthly")]), deleting).await;
    answer.is(503).says("Nothing was charged");
    assert_eq!(app.asked("POST", "/v1/customers").await.len(), 1);
    assert_eq!(app.asked("POST", SESSIONS).await.len(), 2);
    ada.opens_checkout("monthly").await;
}

async fn the_portal_of_a_customer_that_is_gone_opens_all_the_same(app: App) {
    let ada = app.member().await;
    app.database.execute("UPDATE users SET stripe_customer_id = 'cus_gone'");
    let target = ada.post("/billing-portal", &[]).await.is(303).location().unwrap();
    assert!(target.contains(&app.sandbox_address().to_string()), "{target}");
    assert_eq!(app.asked("POST", "/v1/customers").await.len(), 1);
}

async fn a_trial_that_is_too_near_for_stripe_loses_no_day(app: App) {
    let ada = app.member().await;
    app.move_to(ada.trial_end - TimeDelta::hours(48) - TimeDelta::minutes(20));
    ada.log_in().await;
    // The request travels for so long that the end is less than 48 hours away when it arrives.
    app.stripe_fails(json!({ "path_prefix": SESSIONS, "method": "POST", "hang_ms": 1_500, "times": 1 })).await;
    let travelling = async {
        app.eventually("the call", || async { app.asked("POST", SESSIONS).await.len() == 1 }).await;
        app.advance(TimeDelta::minutes(30));
    };
    let (session, ()) = futures_util::future::join(ada.opens_checkout("monthly"), travelling).await;
    let calls = app.asked("POST", SESSIONS).await;
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert_eq!(parameter(&calls[0], "subscription_data[trial_end]"), Some(ada.trial_end.timestamp().to_string()));
    assert_eq!(parameter(&calls[1], "subscription_data[trial_end]"), None);
    assert_eq!(parameter(&calls[1], "subscription_data[trial_period_days]").as_deref(), Some("3"));
    assert_ne!(calls[0]["idempotency_key"], calls[1]["idempotency_key"]);
    app.at_checkout(&session, "paid").await;
    app.deliveries_done().await;
    let me = ada.me().await;
    let end: chrono::DateTime<chrono::Utc> =
        me["subscription"]["current_period_end"].as_str().unwrap().parse().unwrap();
    assert!(end >= ada.trial_end, "{me}");
}

async fn a_trial_of_more_than_two_years_is_cut_to_what_stripe_takes(app: App) {
    let ada = app.member().await;
    let far = (app.now() + TimeDelta::days(900)).timestamp_micros();
    app.database.execute(&format!("UPDATE subscriptions SET current_period_end = {far}"));
    ada.opens_checkout("monthly").await;
    let call = app.asked("POST", SESSIONS).await.remove(0);
    let most = (app.now() + TimeDelta::days(730)).timestamp().to_string();
    assert_eq!(parameter(&call, "subscription_data[trial_end]"), Some(most));
}

async fn addresses_come_from_the_settings_and_not_from_the_request(app: App) {
    let ada = app.member().await;
    let ours = format!("http://{}/", app.address);
    for path in ["/checkout", "/billing-portal"] {
        let forged = ada.send(Method::POST, path, |request| {
            let request = request.header("X-Forwarded-Host", "evil.example").header("X-Forwarded-Proto", "https");
            let request = request.header("Forwarded", "host=evil.example;proto=https");
            request.header("Host", "evil.example").form(&[("plan", "monthly")])
        });
        let target = forged.await.is(303).location().unwrap();
        assert!(target.contains(&app.sandbox_address().to_string()), "{target}");
    }
    let session = app.asked("POST", SESSIONS).await.remove(0);
    let portal = app.asked("POST", "/v1/billing_portal/sessions").await.remove(0);
    for (call, name) in [(&session, "success_url"), (&session, "cancel_url"), (&portal, "return_url")] {
        let address = parameter(call, name).unwrap();
        assert!(address.starts_with(&ours), "{name}: {address}");
    }
    assert!(!format!("{session}{portal}").contains("evil"));
    assert!(parameter(&session, "success_url").unwrap().ends_with("session_id={CHECKOUT_SESSION_ID}"));
}

async fn the_browser_may_go_on_to_stripes_pages(app: App) {
    let ada = app.member().await;
    for page in [ada.get("/plans").await, ada.get("/account").await, app.visitor().get("/").await] {
        let policy = page.header("content-security-policy").unwrap();
        let form = policy.split(';').find(|part| part.trim().starts_with("form-action")).unwrap();
        let sandbox = format!("http://{}", app.sandbox_address());
        for host in ["'self'", "https://checkout.stripe.com", "https://billing.stripe.com", &sandbox] {
            assert!(form.split_whitespace().any(|word| word == host), "{host} is not in {form}");
        }
    }
}

/// A proxy in between answers in HTML.
#[test]
fn html_in_the_place_of_json_is_a_friendly_page_too() {
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in proxy.incoming() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.read(&mut [0; 8_192]);
            let page = "<html><title>502 Bad Gateway</title></html>";
            let head = format!(
                "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                page.len()
            );
            let _ = stream.write_all((head + page).as_bytes());
        }
    });
    Setup::on(Engine::Sqlite).with("TURNPIKE_STRIPE_API_BASE", &address).run(|app| async move {
        let ada = app.member().await;
        ada.post("/checkout", &[("plan", "monthly")]).await.is(503).says("Nothing was charged");
        ada.reads().await;
        let policy = ada.get("/plans").await;
        assert!(policy.header("content-security-policy").unwrap().contains(&address), "{policy:?}");
    });
}

fn customer_of(app: &App, email: &str) -> String {
    app.database.text(&format!("SELECT stripe_customer_id FROM users WHERE email = '{email}'")).unwrap()
}

//! The guard (`docs/rules.md §4`): every situation × GET, HEAD and other methods × HTML and JSON.

use chrono::TimeDelta;
use reqwest::{Method, header::ACCEPT};

use crate::{
    on_both,
    support::{
        app::{App, Setup},
        client::{Answer, HTML, JSON, Visitor},
        database::Engine,
        next_of,
    },
};

/// Words that stand only on premium pages.
pub const PREMIUM_WORDS: [&str; 2] = ["Your access ends on", "Your access renews on"];

const PAGES: [&str; 2] = ["/premium", "/premium/how-access-is-decided"];

#[derive(Clone, Copy, Debug)]
enum Outcome {
    LogIn,
    Denied(&'static str),
    Granted,
    Unavailable,
}
use Outcome::{Denied, Granted, LogIn, Unavailable};

on_both! {
    nobody_and_a_dead_session_are_sent_to_log_in,
    a_session_whose_user_is_gone_is_over,
    a_trial_runs_up_to_and_without_its_end,
    an_active_subscription_opens_the_gate,
    a_failed_renewal_closes_the_gate_when_there_is_no_grace,
    a_subscription_that_will_not_renew_is_good_until_its_end,
    a_canceled_subscription_is_over_at_the_moment_that_stripe_says,
    a_database_that_is_down_opens_nothing,
    no_condition_and_no_range_changes_the_answer,
}

async fn nobody_and_a_dead_session_are_sent_to_log_in(app: App) {
    check(&app.visitor(), LogIn).await;

    let stranger = app.visitor();
    for name in app.member().await.cookies().keys() {
        stranger.set_cookie(name, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    }
    check(&stranger, LogIn).await;

    let ada = app.member().await;
    let copy = ada.copy();
    ada.post("/logout", &[]).await.is(303);
    check(&copy, LogIn).await;
}

async fn a_session_whose_user_is_gone_is_over(app: App) {
    let ada = app.member().await;
    app.forget_everybody();
    check(&ada, LogIn).await;
}

async fn a_trial_runs_up_to_and_without_its_end(app: App) {
    let ada = app.member().await;
    check(&ada, Granted).await;
    app.move_to(ada.trial_end - TimeDelta::seconds(1));
    ada.log_in().await;
    check(&ada, Granted).await;
    app.move_to(ada.trial_end);
    check(&ada, Denied("trial_ended")).await;
    app.advance(TimeDelta::seconds(1));
    check(&ada, Denied("trial_ended")).await;
    // Off the request's path.
    let marked = || async { app.database.count("subscriptions", "status = 'expired'") == 1 };
    app.eventually("the row's end", marked).await;
}

async fn an_active_subscription_opens_the_gate(app: App) {
    let ada = app.member_after_trial().await;
    check(&ada, Denied("trial_ended")).await;
    ada.is_subscribed_by_event("sub_1").await;
    check(&ada, Granted).await;
}

async fn a_failed_renewal_closes_the_gate_when_there_is_no_grace(app: App) {
    let ada = app.member_after_trial().await;
    let paid = ada.is_subscribed_by_event("sub_1").await;
    app.move_to(paid.end - TimeDelta::seconds(1));
    check(&ada, Granted).await;
    app.move_to(paid.end);
    let unpaid = paid.renewed().status("past_due");
    app.deliver(&unpaid.event("evt_2", "updated", app.now())).await.is(200);
    check(&ada, Denied("payment_failed")).await;
}

async fn a_subscription_that_will_not_renew_is_good_until_its_end(app: App) {
    let ada = app.member_after_trial().await;
    let mut leaving = ada.is_subscribed_by_event("sub_1").await;
    leaving.cancel_at_period_end = true;
    app.advance(TimeDelta::seconds(60));
    app.deliver(&leaving.event("evt_2", "updated", app.now())).await.is(200);
    app.move_to(leaving.end - TimeDelta::seconds(1));
    check(&ada, Granted).await;
    app.move_to(leaving.end);
    check(&ada, Denied("period_ended")).await;
}

async fn a_canceled_subscription_is_over_at_the_moment_that_stripe_says(app: App) {
    let ada = app.member_after_trial().await;
    let paid = ada.is_subscribed_by_event("sub_1").await;
    app.advance(TimeDelta::days(3));
    app.deliver(&paid.canceled(app.now() + TimeDelta::hours(1)).event("evt_2", "updated", app.now())).await.is(200);
    check(&ada, Granted).await;
    app.advance(TimeDelta::hours(1));
    check(&ada, Denied("canceled")).await;
}

async fn a_database_that_is_down_opens_nothing(app: App) {
    let ada = app.member().await;
    app.database.go_away();
    // Each answer may take the time in which a connection is waited for, so not the whole table.
    for accept in [HTML, JSON] {
        let answer = ask(&ada, Method::GET, PAGES[1], accept).await;
        expect(&answer, PAGES[1], accept, Unavailable);
    }
    ask(&ada, Method::HEAD, PAGES[1], HTML).await.is(503);
    app.database.come_back();
    app.eventually("the database to be found again", || async { ada.get("/premium").await.status == 200 }).await;
    check(&ada, Granted).await;
}

async fn no_condition_and_no_range_changes_the_answer(app: App) {
    let (ada, stranger) = (app.member().await, app.visitor());
    let tricks = [
        ("If-None-Match", "*"),
        ("If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT"),
        ("Range", "bytes=0-10"),
        ("X-HTTP-Method-Override", "DELETE"),
        ("X-Original-URL", "/healthz"),
        ("X-Forwarded-For", "127.0.0.1"),
        ("Authorization", "Basic YWRtaW46YWRtaW4="),
    ];
    for (name, value) in tricks {
        for (who, outcome) in [(&*ada, Granted), (&stranger, LogIn)] {
            let answer = who.send(Method::GET, PAGES[1], |request| request.header(name, value)).await;
            expect(&answer, PAGES[1], HTML, outcome);
        }
    }
    for name in ["X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Uri"] {
        let answer = stranger.send(Method::GET, "/login", |request| request.header(name, PAGES[1])).await;
        expect_silence(&answer);
    }
}

#[test]
fn grace_counts_from_the_start_of_the_unpaid_period() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        Setup::on(engine).with("TURNPIKE_PAST_DUE_GRACE_DAYS", "3").run(|app| async move {
            let ada = app.member_after_trial().await;
            let paid = ada.is_subscribed_by_event("sub_1").await;
            app.move_to(paid.end + TimeDelta::hours(1));
            let unpaid = paid.renewed().status("past_due");
            app.deliver(&unpaid.event("evt_2", "updated", app.now())).await.is(200);
            check(&ada, Granted).await;
            app.move_to(paid.end + TimeDelta::days(3) - TimeDelta::seconds(1));
            // A second failed attempt does not start it again.
            app.deliver(&unpaid.event("evt_3", "updated", app.now())).await.is(200);
            check(&ada, Granted).await;
            app.move_to(paid.end + TimeDelta::days(3));
            check(&ada, Denied("payment_failed")).await;
        });
    }
}

/// Asks for every page in every way and compares with what the situation must give.
async fn check(who: &Visitor, outcome: Outcome) {
    for page in PAGES {
        for accept in [HTML, JSON] {
            let get = ask(who, Method::GET, page, accept).await;
            expect(&get, page, accept, outcome);
            let head = ask(who, Method::HEAD, page, accept).await;
            assert_eq!((head.status, head.location()), (get.status, get.location()), "HEAD {page} {outcome:?}");
            assert!(head.body.is_empty(), "HEAD {page} has a body");
            expect_uncached(&head, page);
            for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
                let answer = ask(who, method.clone(), page, accept).await.is(405);
                let allow = answer.header("allow").unwrap_or_default();
                assert!(allow.contains("GET") && allow.contains("HEAD"), "{method} {page}: Allow is {allow:?}");
                expect_silence(&answer);
            }
        }
    }
}

async fn ask(who: &Visitor, method: Method, page: &str, accept: &str) -> Answer {
    who.send(method, page, |request| request.header(ACCEPT, accept)).await
}

fn expect(answer: &Answer, page: &str, accept: &str, outcome: Outcome) {
    let json = accept == JSON;
    let context = format!("GET {page} as {accept}, {outcome:?}: {answer:?}\n{}", answer.text());
    match outcome {
        Granted => {
            assert_eq!(answer.status, 200, "{context}");
            assert!(json || PREMIUM_WORDS.iter().any(|words| answer.text().contains(words)), "{context}");
        }
        LogIn if json => {
            assert_eq!(answer.status, 401, "{context}");
            assert_eq!(answer.json()["code"], "UNAUTHENTICATED", "{context}");
        }
        LogIn => {
            assert_eq!(answer.status, 303, "{context}");
            assert_eq!(next_of(answer).as_deref(), Some(page), "{context}");
        }
        Denied(reason) => {
            assert_eq!(answer.status, 403, "{context}");
            if json {
                let body = answer.json();
                assert_eq!(
                    (&body["code"], &body["reason"]),
                    (&"SUBSCRIPTION_REQUIRED".into(), &reason.into()),
                    "{context}"
                );
                assert!(body["message"].as_str().is_some_and(|message| message.len() > 10), "{context}");
            } else {
                assert!(answer.text().contains(&format!("data-reason=\"{reason}\"")), "{context}");
            }
        }
        Unavailable => {
            assert_eq!(answer.status, 503, "{context}");
            assert!(!json || answer.json()["code"].is_string(), "{context}");
        }
    }
    let kind = answer.header("content-type").unwrap_or_default();
    assert!(
        answer.status == 303 || kind.starts_with(if json && answer.status != 200 { JSON } else { "text/html" }) || json,
        "{context}"
    );
    if !matches!(outcome, Granted) {
        expect_silence(answer);
    }
    expect_uncached(answer, page);
}

fn expect_silence(answer: &Answer) {
    for words in PREMIUM_WORDS {
        assert!(!answer.text().contains(words), "a closed gate shows premium words: {}", answer.text());
    }
}

/// Granted or denied, nobody may keep the answer or ask whether it still holds.
fn expect_uncached(answer: &Answer, page: &str) {
    assert_eq!(answer.header("cache-control"), Some("private, no-store"), "{page}: {answer:?}");
    for validator in ["etag", "last-modified"] {
        assert_eq!(answer.header(validator), None, "{page}: {validator}");
    }
}

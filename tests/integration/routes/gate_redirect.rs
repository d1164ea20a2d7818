//! `/gate?mode=redirect`: browsers are led to log-in or to the plans, and back to where they were, if that is on the list.

use chrono::TimeDelta;
use reqwest::Method;
use url::Url;

use crate::support::{
    app::{App, Setup},
    client::{Answer, Visitor},
    database::Engine,
    member::{Member, PASSWORD},
};

const HERE: &str = "http://127.0.0.1:4000";

/// As a proxy asks that tells where the browser wants to go.
async fn asks(visitor: &Visitor, host: &str, uri: &str, more: &[(&str, &str)]) -> Answer {
    let scheme = ("X-Forwarded-Proto", "http");
    let scheme = [scheme].into_iter().filter(|(name, _)| more.iter().all(|(other, _)| other != name));
    let headers = scheme.chain(more.iter().copied()).chain([("X-Forwarded-Host", host), ("X-Forwarded-Uri", uri)]);
    let headers: Vec<(&str, &str)> = headers.collect();
    let send = visitor.send(Method::GET, "/gate?mode=redirect", |request| {
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
    });
    send.await
}

/// Where it leads: the path, and the value of one parameter.
fn leads(answer: &Answer, parameter: &str) -> (String, Option<String>) {
    let url = Url::parse(&answer.location().unwrap()).unwrap();
    assert_eq!(url.origin().ascii_serialization(), HERE);
    let value = url.query_pairs().find(|(name, _)| name == parameter).map(|(_, value)| value.into_owned());
    (url.path().to_owned(), value)
}

async fn programs_and_scripts_are_not_led_anywhere(app: App) {
    for (name, value) in [("Accept", "application/json"), ("Accept", "*/*"), ("X-Requested-With", "XMLHttpRequest")] {
        let answer = asks(&app.visitor(), "127.0.0.1:9000", "/a", &[(name, value)]).await.is(401);
        assert!(answer.header("location").is_none());
        assert_eq!(answer.header("x-turnpike-reason"), Some("unauthenticated"));
    }
    app.visitor().get("/gate").await.is(401);
    app.visitor().get("/gate?mode=other").await.is(401);
}

async fn nobody_is_led_to_a_place_that_is_not_on_the_list(app: App) {
    let ada = app.member_after_trial().await;
    for (host, uri) in [
        ("evil.example", "/"),
        ("127.0.0.1", "/"),
        ("127.0.0.1:9001", "/"),
        ("127.0.0.1:9000@evil.example", "/"),
        ("evil.example/127.0.0.1:9000", "/"),
        ("evil.example#127.0.0.1:9000", "/"),
        ("127.0.0.1:9000.evil.example", "/"),
    ] {
        let answer = asks(&app.visitor(), host, uri, &[]).await.is(302);
        assert_eq!(leads(&answer, "next"), ("/login".to_owned(), None), "{host}{uri}");
        let answer = asks(&ada, host, uri, &[]).await.is(302);
        assert_eq!(leads(&answer, "back"), ("/plans".to_owned(), None), "{host}{uri}");
        let there: String = url::form_urlencoded::byte_serialize(format!("http://{host}{uri}").as_bytes()).collect();
        let answer = ada.get(&format!("/return?to={there}")).await.is(303);
        assert_eq!(answer.location().as_deref(), Some("/account"), "{host}{uri}");
        assert!(ada.get(&format!("/plans?back={there}")).await.is(200).header("set-cookie").is_none());
    }
    let long = "/a".repeat(2_000);
    let answer = asks(&app.visitor(), "127.0.0.1:9000", &long, &[]).await.is(302);
    assert_eq!(leads(&answer, "next"), ("/login".to_owned(), None));
    // Over https alone, where that is not how people are here.
    let answer = asks(&app.visitor(), "127.0.0.1:9000", "/", &[("X-Forwarded-Proto", "javascript")]).await.is(302);
    assert_eq!(leads(&answer, "next").1, None);
    for query in
        ["", "?to=", "?to=%00", "?to=/account", "?to=javascript:alert(1)", "?to=http://127.0.0.1:9000@evil.example/"]
    {
        let answer = app.visitor().get(&format!("/return{query}")).await.is(303);
        assert_eq!(answer.location().as_deref(), Some("/account"), "{query}");
    }
}

async fn to_log_in_and_back(app: App) {
    let ada = Member::sign_up(&app, "ada@example.com").await;
    let there = "http://127.0.0.1:9000/a/b?c=d%20e&f=%26";
    let visitor = app.visitor();
    let answer = asks(&visitor, "127.0.0.1:9000", "/a/b?c=d%20e&f=%26", &[]).await.is(302);
    assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    assert_eq!(answer.header("x-turnpike-user"), Some(""));
    let (path, next) = leads(&answer, "next");
    assert_eq!(path, "/login");
    let next = next.unwrap();
    visitor.get(&answer.location().unwrap()[HERE.len()..]).await.is(200).says("name=\"next\"");
    let form = [("email", "ada@example.com"), ("password", PASSWORD), ("next", next.as_str())];
    let back = visitor.post("/login", &form).await.is(303).location().unwrap();
    assert!(back.starts_with("/return?to="), "{back}");
    assert_eq!(visitor.get(&back).await.is(303).location().as_deref(), Some(there));
    asks(&visitor, "127.0.0.1:9000", "/a", &[]).await.is(204);
    drop(ada);
}

async fn to_the_plans_and_back_when_it_is_paid(app: App) {
    let ada = app.member_after_trial().await;
    let answer = asks(&ada, "127.0.0.1:9000", "/a?b=c", &[]).await.is(302);
    let (path, back) = leads(&answer, "back");
    assert_eq!((path.as_str(), back.as_deref()), ("/plans", Some("http://127.0.0.1:9000/a?b=c")));
    ada.get(&answer.location().unwrap()[HERE.len()..]).await.is(200);
    ada.pays_for("monthly").await;
    ada.get("/checkout/return").await.is(200).says("href=\"http://127.0.0.1:9000/a?b=c\"").says("Go on to 127.0.0.1");
    asks(&ada, "127.0.0.1:9000", "/a?b=c", &[]).await.is(204);
    // A cookie that somebody else put there leads nowhere else.
    ada.set_cookie("turnpike-back", "http://evil.example/");
    ada.get("/checkout/return").await.is(200).keeps_quiet_about("evil.example").says("href=\"/premium\"");
    app.advance(TimeDelta::seconds(1));
}

fn run<F: Future<Output = ()>>(engine: Engine, body: impl FnOnce(App) -> F) {
    let setup = Setup::on(engine).with("TURNPIKE_PUBLIC_URL", HERE).with("TURNPIKE_GATE_HOSTS", "127.0.0.1:9000");
    setup.run(body);
}

macro_rules! on_both_engines {
    ($($name:ident)+) => {
        $(mod $name {
            use super::*;

            #[test]
            fn sqlite() {
                run(Engine::Sqlite, super::$name);
            }

            #[test]
            fn postgres() {
                run(Engine::Postgres, super::$name);
            }
        })+
    };
}

on_both_engines! {
    programs_and_scripts_are_not_led_anywhere
    nobody_is_led_to_a_place_that_is_not_on_the_list
    to_log_in_and_back
    to_the_plans_and_back_when_it_is_paid
}

//! What each proxy does: who may not first, then who may.

use std::{
    io::{Read, Write},
    net::SocketAddr,
};

use chrono::TimeDelta;
use reqwest::Method;
use serde_json::Value;

use super::{
    server::{Kind, Proxy, free_address},
    upstream::Upstream,
};
use crate::support::{
    app::{App, Setup},
    client::{Answer, JSON, Visitor},
    database::Engine,
    member::PASSWORD,
    raw,
};

/// All that stands there.
struct Site {
    app: App,
    upstream: Upstream,
    proxy: Proxy,
}

impl Site {
    /// The same person in front of the application.
    fn there(&self, visitor: &Visitor) -> Visitor {
        visitor.at(self.proxy.address)
    }

    /// Insists on an answer that is not the application's.
    async fn stays_closed(&self, visitor: &Visitor, path: &str) -> Answer {
        let before = self.upstream.asked();
        let answer = self.there(visitor).get(path).await;
        assert!(matches!(answer.status, 302 | 400 | 401 | 403 | 404), "{path}: {}", answer.status);
        assert_eq!(self.upstream.asked(), before, "{path} reached the application");
        answer
    }
}

/// The values of a header that the application got.
fn got(answer: &Answer, name: &str) -> Vec<String> {
    let body = answer.json();
    let headers = body["headers"].as_array().unwrap().clone();
    let values = headers.iter().filter(|pair| pair[0].as_str() == Some(name));
    values.map(|pair| pair[1].as_str().unwrap().to_owned()).collect()
}

fn run<F: Future<Output = ()>>(kind: Kind, body: impl FnOnce(Site) -> F) {
    let (address, upstream) = (free_address(), Upstream::start());
    Setup::on(Engine::Sqlite).with("TURNPIKE_GATE_HOSTS", &address.to_string()).run(|app| {
        let proxy = Proxy::start(kind, address, app.address, upstream.address);
        body(Site { app, upstream, proxy })
    });
}

macro_rules! behind_both {
    ($($name:ident)+) => {
        $(mod $name {
            use super::*;

            #[test]
            fn nginx() {
                run(Kind::Nginx, super::$name);
            }

            #[test]
            fn caddy() {
                run(Kind::Caddy, super::$name);
            }
        })+
    };
}

behind_both! {
    strangers_are_led_to_log_in_and_programs_told
    who_has_no_access_is_led_to_the_plans
    no_spelling_of_an_address_leads_past_the_gate
    nothing_that_is_sent_reaches_the_application_of_those_who_may_not
    when_turnpike_is_gone_the_gate_is_closed
    when_the_database_fails_the_gate_is_closed
    who_may_reaches_the_application_and_is_named
    what_a_client_says_of_itself_never_arrives
    access_that_ends_ends_there_too
    log_in_leads_back
    bodies_arrive_whole
    a_connection_can_be_upgraded
    when_the_application_is_down_the_proxy_says_so
}

async fn strangers_are_led_to_log_in_and_programs_told(site: Site) {
    let stranger = site.app.visitor();
    let answer = site.stays_closed(&stranger, "/a%20b?c=d&e=%2F").await.is(302);
    let login = format!("http://{}/login?next=", site.app.address);
    assert!(answer.location().unwrap().starts_with(&login), "{:?}", answer.location());
    let answer = site.there(&stranger).get_json("/a").await.is(401);
    assert_eq!(answer.json()["code"], "UNAUTHENTICATED");
    let answer = site.there(&stranger).send(Method::HEAD, "/a", |request| request.header("Accept", JSON)).await;
    assert_eq!(answer.status, 401);
    assert_eq!(site.upstream.asked(), 0);
}

async fn who_has_no_access_is_led_to_the_plans(site: Site) {
    let ada = site.app.member_after_trial().await;
    let answer = site.stays_closed(&ada, "/a?b=c").await.is(302);
    let plans = format!("http://{}/plans?back=", site.app.address);
    assert!(answer.location().unwrap().starts_with(&plans), "{:?}", answer.location());
    let answer = site.there(&ada).get_json("/a").await.is(403);
    assert_eq!(
        (&answer.json()["code"], &answer.json()["reason"]),
        (&"SUBSCRIPTION_REQUIRED".into(), &"trial_ended".into())
    );
    assert_eq!(site.upstream.asked(), 0);
}

async fn no_spelling_of_an_address_leads_past_the_gate(site: Site) {
    let ada = site.app.member_after_trial().await;
    let cookie = format!("turnpike={}", ada.cookies()["turnpike"]);
    for target in [
        "/turnpike-gate",
        "//a",
        "/./a",
        "/../a",
        "/%61",
        "/a%2fb",
        "/a/",
        "/a;b=c",
        "/A",
        "/%2e%2e/a",
        "/gate",
        "/a?mode=redirect",
        "/@turnpike",
        "http://127.0.0.1/a",
        "*",
    ] {
        for cookies in ["", cookie.as_str()] {
            let answer = raw::get(site.proxy.address, target, &[("Cookie", cookies), ("Accept", JSON)]);
            assert!(matches!(raw::status(&answer), 400 | 401 | 403 | 404), "{target}: {answer}");
        }
    }
    assert_eq!(site.upstream.asked(), 0);
}

async fn nothing_that_is_sent_reaches_the_application_of_those_who_may_not(site: Site) {
    let ada = site.app.member_after_trial().await;
    let there = site.there(&ada);
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS] {
        let json =
            there.send(method.clone(), "/a", |request| request.header("Accept", JSON).body("x".repeat(100_000))).await;
        assert_eq!(json.status, 403, "{method}");
        let browser = there.send(method.clone(), "/a", |request| request.body("x")).await;
        assert_eq!(browser.status, 302, "{method}");
        let overridden = there.send(method, "/a", |request| {
            let request = request.header("X-HTTP-Method-Override", "GET").header("X-Original-URL", "/b");
            request.header("X-Forwarded-Uri", "/c").header("Accept", JSON)
        });
        assert_eq!(overridden.await.status, 403);
    }
    assert_eq!(site.upstream.asked(), 0);
}

async fn when_turnpike_is_gone_the_gate_is_closed(site: Site) {
    let ada = site.app.member().await;
    // A second proxy, whose Turnpike is not there.
    for kind in [Kind::Nginx, Kind::Caddy] {
        let proxy = Proxy::start(kind, free_address(), free_address(), site.upstream.address);
        let answer = ada.at(proxy.address).get("/a").await;
        assert!(matches!(answer.status, 500 | 502 | 503), "{kind:?}: {}", answer.status);
    }
    assert_eq!(site.upstream.asked(), 0);
}

async fn when_the_database_fails_the_gate_is_closed(site: Site) {
    let ada = site.app.member().await;
    site.there(&ada).get("/a").await.is(200);
    site.app.database.execute("ALTER TABLE sessions RENAME TO elsewhere");
    let answer = site.there(&ada).get("/a").await;
    assert!(matches!(answer.status, 500 | 503), "{}", answer.status);
    site.app.database.execute("ALTER TABLE elsewhere RENAME TO sessions");
    site.there(&ada).get("/a").await.is(200);
    assert_eq!(site.upstream.asked(), 2);
}

async fn who_may_reaches_the_application_and_is_named(site: Site) {
    let ada = site.app.member().await;
    let there = site.there(&ada);
    there.set_cookie("other", "1");
    there.set_cookie("a", "b");
    let answer = there.get("/a%20b/?c=d&e=%2F%26").await.is(200);
    let body = answer.json();
    assert_eq!((&body["method"], &body["uri"]), (&"GET".into(), &"/a%20b/?c=d&e=%2F%26".into()));
    for (name, value) in [
        ("x-turnpike-user", ada.id().await),
        ("x-turnpike-email", ada.email.clone()),
        ("x-turnpike-status", "trialing".to_owned()),
        ("x-turnpike-until", "2027-02-28T10:15:30Z".to_owned()),
    ] {
        assert_eq!(got(&answer, name), [value], "{name}");
    }
    // The application can't act as the person, and keeps cookies of its own.
    let cookies = got(&answer, "cookie").join("; ");
    assert!(!cookies.contains("turnpike="), "{cookies}");
    assert!(cookies.contains("other=1") && cookies.contains("a=b"), "{cookies}");
    there.send(Method::HEAD, "/a", |request| request).await.is(200);
}

async fn what_a_client_says_of_itself_never_arrives(site: Site) {
    let ada = site.app.member().await;
    let names = ["user", "email", "status", "until", "reason", "token"];
    let spoof = |request: reqwest::RequestBuilder| {
        names.iter().fold(request, |request, name| {
            let upper = format!("X-TURNPIKE-{}", name.to_uppercase());
            let request = request.header(format!("X-Turnpike-{name}"), "root").header(upper, "root");
            request.header(format!("X_Turnpike_{name}"), "root")
        })
    };
    let answer = site.there(&ada).send(Method::GET, "/a", spoof).await.is(200);
    assert_eq!(got(&answer, "x-turnpike-user"), [ada.id().await]);
    assert!(!answer.text().contains("root"), "{}", answer.text());
    let stranger = site.there(&site.app.visitor());
    stranger.send(Method::GET, "/a", |request| spoof(request).header("Accept", JSON)).await.is(401);
}

async fn access_that_ends_ends_there_too(site: Site) {
    let ada = site.app.member().await;
    site.app.move_to(ada.trial_end - TimeDelta::seconds(1));
    ada.log_in().await;
    let there = site.there(&ada);
    there.get_json("/a").await.is(200);
    site.app.advance(TimeDelta::seconds(1));
    assert_eq!(there.get_json("/a").await.is(403).json()["reason"], "trial_ended");
    ada.is_subscribed_by_event("sub_1").await;
    there.get_json("/a").await.is(200);
    ada.post("/logout", &[]).await.is(303);
    there.get_json("/a").await.is(401);
    assert_eq!(site.upstream.asked(), 2);
}

async fn log_in_leads_back(site: Site) {
    let ada = site.app.member().await;
    let (browser, path) = (site.app.visitor(), "/a%20b?c=d&e=%2F");
    let login = site.there(&browser).get(path).await.is(302).location().unwrap();
    let here = format!("http://{}", site.app.address);
    let next = url::Url::parse(&login).unwrap().query_pairs().next().unwrap().1.into_owned();
    browser.get(login.strip_prefix(&here).unwrap()).await.is(200);
    let form = [("email", ada.email.as_str()), ("password", PASSWORD), ("next", &next)];
    let back = browser.post("/login", &form).await.is(303).location().unwrap();
    let target = browser.get(&back).await.is(303).location().unwrap();
    assert_eq!(target, format!("http://{}{path}", site.proxy.address));
    let answer = site.there(&browser).get(path).await.is(200);
    assert_eq!(answer.json()["uri"], path);
}

async fn bodies_arrive_whole(site: Site) {
    let ada = site.app.member().await;
    let there = site.there(&ada);
    for length in [0, 1, 100_000, 5_000_000] {
        let answer = there.send(Method::POST, "/a", |request| request.body("x".repeat(length))).await.is(200);
        assert_eq!(answer.json()["length"], length);
    }
    // Of a length that nobody knows before.
    let cookie = &ada.cookies()["turnpike"];
    let head = format!(
        "PUT /a HTTP/1.1\r\nHost: {}\r\nCookie: turnpike={cookie}\r\nTransfer-Encoding: chunked\r\n\r\n",
        site.proxy.address
    );
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let answer = raw::exchange(site.proxy.address, format!("{head}{}0\r\n\r\n", chunk.repeat(20)).as_bytes());
    assert_eq!(raw::status(&answer), 200, "{answer}");
    assert!(answer.contains(&format!("\"length\":{}", 20 * 0x10000)), "{answer}");
}

/// Asks for an upgrade, sends some bytes, and gives what comes.
fn upgraded(address: SocketAddr, cookie: &str) -> String {
    let mut stream = raw::connect(address);
    let request = format!(
        "GET /socket HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAccept: \
         {JSON}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let (mut seen, mut part) = (String::new(), [0; 4_096]);
    while !seen.contains("\r\n\r\n") {
        let length = stream.read(&mut part).unwrap();
        assert!(length > 0, "closed after {seen:?}");
        seen.push_str(&String::from_utf8_lossy(&part[..length]));
    }
    if seen.starts_with("HTTP/1.1 101") {
        stream.write_all(b"are you there?").unwrap();
        while !seen.ends_with("are you there?") {
            let length = stream.read(&mut part).unwrap();
            assert!(length > 0, "closed after {seen:?}");
            seen.push_str(&String::from_utf8_lossy(&part[..length]));
        }
    }
    seen
}

async fn a_connection_can_be_upgraded(site: Site) {
    let ada = site.app.member().await;
    let cookie = format!("turnpike={}", ada.cookies()["turnpike"]);
    let refused = upgraded(site.proxy.address, "");
    assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
    assert_eq!(site.upstream.asked(), 0);
    let seen = upgraded(site.proxy.address, &cookie);
    assert!(seen.starts_with("HTTP/1.1 101"), "{seen}");
    site.app.database.execute("UPDATE subscriptions SET current_period_end = 2");
    let refused = upgraded(site.proxy.address, &cookie);
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    assert_eq!(site.upstream.asked(), 1);
}

async fn when_the_application_is_down_the_proxy_says_so(site: Site) {
    let ada = site.app.member().await;
    site.upstream.stop().await;
    site.there(&ada).get("/a").await.is(502);
    site.there(&site.app.visitor()).get_json("/a").await.is(401);
    let _: Value = ada.me().await;
}

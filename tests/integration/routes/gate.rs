//! `/gate`: what a proxy is told. It opens for those alone for whom the premium pages open, and for nobody when anything fails.

use chrono::TimeDelta;
use reqwest::Method;
use serde_json::json;

use crate::{
    on_both,
    support::{
        app::App,
        client::{Answer, JSON, Visitor},
        member::{Member, PASSWORD},
    },
};

on_both! {
    nobody_passes_without_a_session_of_ours,
    who_has_no_access_is_told_why,
    when_the_database_fails_nobody_passes,
    there_are_no_other_gates_and_no_other_methods,
    what_a_client_says_of_itself_is_not_believed,
    who_has_access_passes_and_is_named,
    it_closes_at_the_instant_of_the_end,
    whatever_changes_is_in_force_at_the_next_request,
    others_see_only_themselves,
}

/// The headers that every answer has.
const IDENTITY: [&str; 5] =
    ["x-turnpike-user", "x-turnpike-email", "x-turnpike-status", "x-turnpike-until", "x-turnpike-reason"];

/// As a proxy asks for a browser.
async fn asks(visitor: &Visitor) -> Answer {
    let answer = visitor.get("/gate").await;
    let head = visitor.send(Method::HEAD, "/gate", |request| request).await;
    assert_eq!(answer.status, head.status);
    for name in IDENTITY {
        assert_eq!(answer.header(name), head.header(name), "{name}");
        assert_eq!(answer.headers.get_all(name).iter().count(), 1, "{name}");
    }
    assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    assert!(answer.header("set-cookie").is_none() && answer.header("etag").is_none());
    assert!(head.body.is_empty());
    answer
}

/// The status, and the identity in the order of [`IDENTITY`].
fn told(answer: &Answer) -> (u16, [String; 5]) {
    (answer.status, IDENTITY.map(|name| answer.header(name).unwrap_or("missing").to_owned()))
}

fn nothing_but(reason: &str) -> [String; 5] {
    ["", "", "", "", reason].map(str::to_owned)
}

async fn nobody_passes_without_a_session_of_ours(app: App) {
    let ada = app.member().await;
    let token = ada.cookies()["turnpike"].clone();
    let (stranger, loud) = (app.visitor(), app.visitor());
    for cookie in ["", "x", "usr_1", &token[..token.len() - 1], &format!("{token}a"), &"a".repeat(3_000)] {
        loud.set_cookie("turnpike", cookie);
        assert_eq!(told(&asks(&loud).await), (401, nothing_but("unauthenticated")), "{cookie}");
    }
    // The signature alone is not enough, and neither is the token.
    let (seal, bare) = token.split_at(44);
    for cookie in [seal, bare] {
        loud.set_cookie("turnpike", cookie);
        assert_eq!(asks(&loud).await.status, 401, "{cookie}");
    }
    let answer = asks(&stranger).await.is(401);
    assert_eq!(answer.json(), json!({ "code": "UNAUTHENTICATED", "message": "Log in first." }));
    let thief = ada.copy();
    assert_eq!(asks(&thief).await.status, 204);
    ada.post("/logout", &[]).await.is(303);
    assert_eq!(told(&asks(&thief).await), (401, nothing_but("unauthenticated")));
    let bob = app.member().await;
    app.advance(TimeDelta::days(30) - TimeDelta::seconds(1));
    assert_eq!(asks(&bob).await.status, 204);
    app.advance(TimeDelta::seconds(1));
    assert_eq!(asks(&bob).await.status, 401);
}

async fn who_has_no_access_is_told_why(app: App) {
    let ada = app.member_after_trial().await;
    let id = ada.id().await;
    for visitor in [&*ada, &ada.copy()] {
        let answer = asks(visitor).await;
        let expected = [id.as_str(), &ada.email, "expired", "", "trial_ended"].map(str::to_owned);
        assert_eq!(told(&answer), (403, expected));
        let body = answer.json();
        assert_eq!((&body["code"], &body["reason"]), (&json!("SUBSCRIPTION_REQUIRED"), &json!("trial_ended")));
    }
    app.database.execute("DELETE FROM subscriptions");
    let expected = [id.as_str(), &ada.email, "", "", "never_subscribed"].map(str::to_owned);
    assert_eq!(told(&asks(&ada).await), (403, expected));
}

async fn when_the_database_fails_nobody_passes(app: App) {
    let ada = app.member().await;
    assert_eq!(asks(&ada).await.status, 204);
    for table in ["sessions", "subscriptions", "users"] {
        app.database.execute(&format!("ALTER TABLE {table} RENAME TO elsewhere"));
        let answer = asks(&ada).await;
        assert_eq!(told(&answer), (503, nothing_but("unavailable")), "{table}");
        assert_eq!((answer.header("retry-after"), &answer.json()["code"]), (Some("5"), &json!("SERVICE_UNAVAILABLE")));
        app.database.execute(&format!("ALTER TABLE elsewhere RENAME TO {table}"));
        assert_eq!(asks(&ada).await.status, 204, "{table}");
    }
}

async fn there_are_no_other_gates_and_no_other_methods(app: App) {
    let ada = app.member().await;
    for path in ["/gate/wiki", "/gate/PREMIUM", "/gate/premium/x", "/gate/", "/gate/%00", "/gate/..%2fgate", "/GATE"] {
        let answer = ada.get_json(path).await.is(404);
        assert_ne!(answer.header("x-turnpike-email"), Some(ada.email.as_str()), "{path}");
    }
    for name in IDENTITY {
        assert_eq!(ada.get("/gate/wiki").await.header(name), Some(""));
    }
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS, Method::TRACE] {
        let answer = ada.send(method.clone(), "/gate", |request| request).await;
        assert_eq!(answer.status, 405, "{method}");
        let overridden = app.visitor();
        let overridden = overridden.send(method, "/gate", |request| request.header("X-HTTP-Method-Override", "GET"));
        assert_eq!(overridden.await.status, 405);
    }
    ada.get("/gate/premium").await.is(204);
}

async fn what_a_client_says_of_itself_is_not_believed(app: App) {
    let ada = app.member_after_trial().await;
    for visitor in [&app.visitor(), &*ada] {
        let plain = told(&visitor.get("/gate").await);
        let spoofed = visitor.send(Method::GET, "/gate", |request| {
            let names =
                IDENTITY.into_iter().chain(["x-turnpike-token", "x-forwarded-user", "remote-user", "authorization"]);
            names.fold(request, |request, name| request.header(name, "usr_root"))
        });
        let spoofed = spoofed.await;
        assert_eq!(told(&spoofed), plain);
        assert!(!format!("{:?}", spoofed.headers).contains("usr_root"));
    }
}

async fn who_has_access_passes_and_is_named(app: App) {
    let ada = app.member().await;
    let id = ada.id().await;
    let answer = asks(&ada).await;
    let expected = [id.as_str(), &ada.email, "trialing", "2027-02-28T10:15:30Z", ""].map(str::to_owned);
    assert_eq!(told(&answer), (204, expected.clone()));
    assert!(answer.body.is_empty());
    // For programs too, and whatever else stands in the address.
    for (path, accept) in [("/gate", JSON), ("/gate", "*/*"), ("/gate?mode=redirect", JSON), ("/gate?a=b", JSON)] {
        let answer = ada.send(Method::GET, path, |request| request.header("Accept", accept)).await;
        assert_eq!(told(&answer), (204, expected.clone()), "{path} {accept}");
    }
    ada.is_subscribed_by_event("sub_1").await;
    let (status, identity) = told(&asks(&ada).await);
    assert_eq!((status, identity[2].as_str()), (204, "active"));
    // A letter that ASCII does not have reaches the application as UTF-8.
    app.database.execute("UPDATE users SET email = 'zoë@example.com'");
    let answer = ada.get("/gate").await.is(204);
    assert_eq!(answer.headers["x-turnpike-email"].as_bytes(), "zoë@example.com".as_bytes());
}

async fn it_closes_at_the_instant_of_the_end(app: App) {
    let ada = app.member().await;
    app.move_to(ada.trial_end - TimeDelta::seconds(1));
    ada.log_in().await;
    assert_eq!(asks(&ada).await.status, 204);
    app.advance(TimeDelta::seconds(1));
    assert_eq!(asks(&ada).await.status, 403);
    ada.is_subscribed_by_event("sub_1").await;
    assert_eq!(asks(&ada).await.status, 204);
}

/// Somebody whom the server has just read, and a change by another connection, as another process has one.
async fn whatever_changes_is_in_force_at_the_next_request(app: App) {
    let (ada, bob) = (app.member().await, app.member().await);
    let row = format!("email = '{}'", ada.email);
    let ids = format!("(SELECT id FROM users WHERE {row})");
    for (closed, opened, status) in [
        ("UPDATE users SET locked_at = 1", "UPDATE users SET locked_at = NULL", 401),
        ("UPDATE subscriptions SET status = 'expired'", "UPDATE subscriptions SET status = 'trialing'", 403),
        (
            "UPDATE subscriptions SET current_period_end = 2",
            "UPDATE subscriptions SET status = 'trialing', current_period_end = 4000000000000000",
            403,
        ),
        ("UPDATE sessions SET expires_at = 2", "UPDATE sessions SET expires_at = 4000000000000000", 401),
    ] {
        let whose = if closed.contains("users") { row.clone() } else { format!("user_id IN {ids}") };
        for _ in 0..5 {
            for _ in 0..3 {
                assert_eq!(ada.get("/gate").await.status, 204, "{opened}");
            }
            app.database.execute(&format!("{closed} WHERE {whose}"));
            assert_eq!(ada.get("/gate").await.status, status, "{closed}");
            app.database.execute(&format!("{opened} WHERE {whose}"));
        }
        assert_eq!(bob.get("/gate").await.status, 204);
    }
    // Two workers, each with what it has read: the answer is the same whichever is asked.
    let many: Vec<Visitor> = (0..8).map(|_| ada.copy()).collect();
    for round in 0..10 {
        let open = round % 2 == 0;
        let moment = if open { 4_000_000_000_000_000_i64 } else { 2 };
        app.database.execute(&format!(
            "UPDATE subscriptions SET status = 'trialing', current_period_end = {moment} WHERE user_id IN {ids}"
        ));
        for visitor in &many {
            // A connection of its own may reach another worker.
            assert_eq!(visitor.at(app.address).get("/gate").await.status, if open { 204 } else { 403 }, "{round}");
        }
    }
    ada.post("/account/password", &[("current_password", PASSWORD), ("password", "Correct horse, battery staple 8")])
        .await;
    for visitor in &many {
        assert_eq!(visitor.get("/gate").await.status, 401);
    }
}

async fn others_see_only_themselves(app: App) {
    let members = [app.member().await, app.member().await, app.member().await];
    for _ in 0..4 {
        for member in &members {
            let answer = asks(member).await;
            assert_eq!(answer.header("x-turnpike-email"), Some(member.email.as_str()));
            let other = member.get("/gate").await;
            assert_eq!(told(&answer), told(&other));
        }
        assert_eq!(asks(&app.visitor()).await.status, 401);
        Member::sign_up(&app, &format!("new{}@example.com", app.database.count("users", "1 = 1"))).await;
    }
}

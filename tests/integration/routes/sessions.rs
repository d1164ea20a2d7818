//! What a session is worth, and until when.

use chrono::TimeDelta;
use reqwest::header::SET_COOKIE;

use crate::{
    on_both,
    support::{
        app::{App, Setup},
        client::Visitor,
        database::{Database, Engine},
        member::{Member, PASSWORD},
    },
};

on_both! {
    logging_out_kills_a_copied_cookie,
    a_session_ends_after_thirty_days,
    every_log_in_and_sign_up_makes_a_new_session,
    a_visitor_gets_no_session,
    a_changed_cookie_is_no_session,
    neither_the_cookie_nor_the_password_stands_in_the_database,
    the_cookie_is_kept_from_scripts_and_other_sites,
}

async fn logging_out_kills_a_copied_cookie(app: App) {
    let ada = app.member().await;
    let copy = ada.copy();
    copy.get("/account").await.is(200);
    ada.post("/logout", &[]).await.is(303);
    copy.get_json("/api/v1/me").await.is(401);
    copy.get("/premium").await.is(303);
}

async fn a_session_ends_after_thirty_days(app: App) {
    let ada = app.member().await;
    app.advance(TimeDelta::days(30) - TimeDelta::seconds(1));
    ada.get_json("/api/v1/me").await.is(200);
    app.advance(TimeDelta::days(31));
    ada.get_json("/api/v1/me").await.is(401);
}

async fn every_log_in_and_sign_up_makes_a_new_session(app: App) {
    let ada = Member::sign_up(&app, "ada@example.com").await;
    let planted = ada.copy();
    let before = planted.cookies();
    planted.post("/login", &[("email", "ada@example.com"), ("password", PASSWORD)]).await.is(303);
    assert_ne!(planted.cookies(), before, "the session id of before is still in use");

    let victim = app.visitor();
    for (name, value) in &before {
        victim.set_cookie(name, value);
    }
    victim.signs_up("eve@example.com").await;
    assert_ne!(victim.cookies(), before, "sign-up kept a planted session id");
    let thief = app.visitor();
    for (name, value) in &before {
        thief.set_cookie(name, value);
    }
    thief.get_json("/api/v1/me").await.keeps_quiet_about("eve@example.com");
}

async fn a_visitor_gets_no_session(app: App) {
    let visitor = app.visitor();
    for page in ["/", "/login", "/signup", "/premium", "/nowhere"] {
        visitor.get(page).await;
    }
    visitor.post("/login", &[("email", "a@example.com"), ("password", "nobody knows it")]).await;
    assert_eq!(visitor.cookies().len(), 0, "{:?}", visitor.cookies());
    assert_eq!(app.database.count("sessions", "1 = 1"), 0);
}

async fn a_changed_cookie_is_no_session(app: App) {
    let ada = app.member().await;
    for (name, value) in ada.cookies() {
        for broken in [
            value.to_uppercase(),
            value[..value.len() - 1].to_owned(),
            format!("{value}a"),
            "%00".to_owned(),
            "a".repeat(3_000),
            "\"".to_owned(),
        ] {
            if broken == value {
                continue;
            }
            let thief = app.visitor();
            thief.set_cookie(&name, &broken);
            let answer = thief.get_json("/api/v1/me").await;
            assert_eq!(answer.status, 401, "{broken}");
        }
    }
}

async fn neither_the_cookie_nor_the_password_stands_in_the_database(app: App) {
    let ada = app.member().await;
    let stored = everything_stored(&app);
    for secret in ada.cookies().into_values().chain([PASSWORD.to_owned()]) {
        assert!(!stored.contains(&secret), "{secret} is stored in clear");
    }
    assert!(stored.contains(&ada.email), "this test looks at the wrong place");
}

async fn the_cookie_is_kept_from_scripts_and_other_sites(app: App) {
    let cookie = session_cookie(&app.visitor()).await;
    for part in ["; HttpOnly", "; SameSite=Lax", "; Path=/", "; Max-Age=2592000"] {
        assert!(cookie.contains(part), "{part} is missing: {cookie}");
    }
    assert!(!cookie.contains("Domain="), "{cookie}");
}

#[test]
fn on_https_the_cookie_is_bound_to_the_host() {
    Setup::on(Engine::Sqlite).with("TURNPIKE_PUBLIC_URL", "https://localhost").run(|app| async move {
        let visitor = app.visitor();
        let answer = visitor
            .send(reqwest::Method::POST, "/signup", |request| {
                request
                    .header("Origin", "https://localhost")
                    .form(&crate::support::member::sign_up_form("ada@example.com"))
            })
            .await
            .is(303);
        let cookies: Vec<&str> = answer.headers.get_all(SET_COOKIE).iter().map(|line| line.to_str().unwrap()).collect();
        assert_eq!(cookies.len(), 2, "{cookies:?}");
        for cookie in cookies {
            let bound = cookie.starts_with("__Host-") && cookie.contains("; Secure") && cookie.contains("; Path=/");
            assert!(bound && cookie.contains("; HttpOnly") && !cookie.contains("; Domain"), "{cookie}");
        }
    });
}

async fn session_cookie(visitor: &Visitor) -> String {
    let answer = visitor.signs_up("ada@example.com").await.is(303);
    let lines = answer.headers.get_all(SET_COOKIE).iter().map(|line| line.to_str().unwrap());
    let cookies: Vec<&str> = lines.filter(|line| line.starts_with("turnpike=")).collect();
    assert_eq!(cookies.len(), 1, "{cookies:?}");
    cookies[0].to_owned()
}

/// Every byte that the database keeps, as text.
fn everything_stored(app: &App) -> String {
    match &app.database {
        Database::Sqlite(file) => {
            let wal = file.with_extension("db-wal");
            [file.clone(), wal]
                .iter()
                .filter_map(|file| std::fs::read(file).ok())
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .collect()
        }
        Database::Postgres(_) => ["users", "sessions"]
            .iter()
            .map(|table| {
                app.database.text(&format!("SELECT string_agg(t::text, ' ') FROM {table} t")).unwrap_or_default()
            })
            .collect(),
    }
}

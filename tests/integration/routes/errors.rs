//! Errors, in the design of the pages and as JSON.

use reqwest::{Method, header::ACCEPT};

use crate::{
    on_both,
    support::{
        app::App,
        client::{Answer, JSON, Visitor},
        raw,
    },
};

on_both! {
    an_unknown_page_is_404_in_both_forms,
    who_is_signed_in_stays_so_on_an_error_page,
    a_wrong_method_is_405_and_says_which_are_right,
    a_body_that_is_too_large_is_413_before_it_is_read,
    a_database_that_is_down_is_503_in_both_forms,
    hostile_requests_do_not_stop_the_server,
}

async fn an_unknown_page_is_404_in_both_forms(app: App) {
    let ada = app.member().await;
    for path in
        ["/nowhere", "/account/nowhere", "/premium/nowhere", "/.env", "/%F0%9F%99%82", "/%ff", "/static/nowhere.css"]
    {
        both_forms(&ada, Method::GET, path, 404).await;
    }
}

async fn who_is_signed_in_stays_so_on_an_error_page(app: App) {
    app.visitor().get("/nowhere").await.is(404).says("/signup");
    let ada = app.member_after_trial().await;
    ada.get("/nowhere").await.is(404).says("/logout").keeps_quiet_about("/signup");
    ada.get("/logout").await.is(405).says("/logout").keeps_quiet_about("/signup");
    ada.get("/premium").await.is(403).says("28 February 2027, 11:15 CET").says("/logout");
}

async fn a_wrong_method_is_405_and_says_which_are_right(app: App) {
    let ada = app.member().await;
    for (method, path, right) in [
        (Method::DELETE, "/", "GET"),
        (Method::POST, "/", "GET"),
        (Method::PUT, "/signup", "POST"),
        (Method::DELETE, "/login", "GET"),
        (Method::GET, "/logout", "POST"),
        (Method::GET, "/checkout", "POST"),
        (Method::GET, "/subscription/cancellation", "POST"),
        (Method::GET, "/subscription/resumption", "POST"),
        (Method::PATCH, "/account", "GET"),
        (Method::POST, "/plans", "GET"),
        (Method::GET, "/webhooks/stripe", "POST"),
        (Method::POST, "/healthz", "GET"),
    ] {
        for answer in both_forms(&ada, method.clone(), path, 405).await {
            let allow = answer.header("allow").unwrap_or_default();
            assert!(allow.split(", ").any(|one| one == right), "{method} {path}: Allow is {allow:?}");
            assert!(right != "GET" || allow.contains("HEAD"), "{method} {path}: HEAD is missing in {allow:?}");
        }
    }
}

async fn a_body_that_is_too_large_is_413_before_it_is_read(app: App) {
    for path in ["/signup", "/login"] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAccept: text/html\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 20000000\r\n\r\n",
            app.address
        );
        let answer = raw::exchange(app.address, head.as_bytes());
        assert_eq!(raw::status(&answer), 413, "{path}: {answer}");
        assert!(answer.contains("too much at once"), "{path}: {answer}");
        let chunked = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAccept: application/json\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n",
            app.address
        );
        let chunk = format!("40000\r\n{}\r\n", "a".repeat(0x40000)).repeat(8);
        let answer = raw::exchange(app.address, (chunked + &chunk + "0\r\n\r\n").as_bytes());
        assert_eq!(raw::status(&answer), 413, "{path}: {answer}");
    }
}

async fn a_database_that_is_down_is_503_in_both_forms(app: App) {
    let ada = app.member().await;
    app.database.go_away();
    for path in ["/account", "/premium"] {
        for answer in both_forms(&ada, Method::GET, path, 503).await {
            assert!(answer.header("retry-after").is_some(), "{path}: Retry-After is missing");
            for secret in ["postgres", "sqlite", "SELECT", "diesel", "no such table", "connection"] {
                assert!(!answer.text().contains(secret), "{path} tells about {secret}: {}", answer.text());
            }
        }
    }
    let sign_up = app.visitor().signs_up("eve@example.com").await;
    assert_eq!(sign_up.status, 503);
    app.database.come_back();
    app.eventually("the database to be found again", || async { ada.get("/account").await.status == 200 }).await;
    app.visitor().signs_up("eve@example.com").await.is(303);
}

async fn hostile_requests_do_not_stop_the_server(app: App) {
    let ada = app.member().await;
    let host = app.address;
    let requests: [&[u8]; 8] = [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nCookie: \xff\xfe=\x01; ;;=;\r\nConnection: close\r\n\r\n",
        b"GET /login?next=%ff&next=%00 HTTP/1.1\r\nHost: a\r\nAccept: ,,;q=x,*\r\nConnection: close\r\n\r\n",
        b"POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    ];
    for request in requests {
        let answer = raw::exchange(host, request);
        assert!(answer.is_empty() || raw::status(&answer) < 500, "{}: {answer}", String::from_utf8_lossy(request));
    }
    ada.get("/account").await.is(200);
}

/// Asks as a browser and as a program; gives both answers.
async fn both_forms(who: &Visitor, method: Method, path: &str, status: u16) -> [Answer; 2] {
    let page = who.send(method.clone(), path, |request| request).await;
    assert_eq!(page.status, status, "{method} {path}: {}", page.text());
    assert!(page.header("content-type").unwrap().starts_with("text/html"), "{method} {path}");
    assert!(
        page.text().contains(&format!("Error {status}")) && page.text().contains("turnpike"),
        "{method} {path}: {}",
        page.text()
    );
    let json = who.send(method.clone(), path, |request| request.header(ACCEPT, JSON)).await;
    assert_eq!(json.status, status, "{method} {path}");
    let body = json.json();
    assert!(body["code"].is_string() && body["message"].is_string(), "{method} {path}: {body}");
    [page, json]
}

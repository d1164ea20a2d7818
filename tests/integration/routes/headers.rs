//! What every answer says to browsers, and who may keep it.

use reqwest::Method;

use crate::{
    on_both,
    support::{
        app::{App, Setup},
        client::Answer,
        database::Engine,
    },
};

on_both! {
    every_answer_brings_the_headers_that_keep_it_safe,
    nobody_is_told_an_address_that_is_a_secret,
    nobody_else_keeps_what_is_personal,
    static_files_may_be_kept_for_ever_at_an_address_that_names_their_content,
}

const FORM: &str = "application/x-www-form-urlencoded";

const SITE: &[(&str, &str)] = &[
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

async fn every_answer_brings_the_headers_that_keep_it_safe(app: App) {
    let ada = app.member().await;
    let cross_site =
        ada.send(Method::POST, "/logout", |request| request.header("Sec-Fetch-Site", "cross-site")).await.is(403);
    let style = stylesheet(&ada.get("/").await);
    let answers = [
        ada.get("/").await.is(200),
        ada.get("/account").await.is(200),
        ada.get("/premium").await.is(200),
        app.visitor().get("/premium").await.is(303),
        ada.get("/nowhere").await.is(404),
        ada.get("/logout").await.is(405),
        ada.get(&style).await.is(200),
        ada.get("/healthz").await.is(200),
        ada.post("/signup", &[("email", "a")]).await.is(422),
        ada.post("/webhooks/stripe", &[]).await.is(400),
        ada.get_json("/api/v1/me").await.is(200),
        cross_site,
    ];
    for answer in answers {
        for (name, value) in SITE {
            assert_eq!(answer.header(name), Some(*value), "{answer:?}");
        }
        let policy = answer.header("content-security-policy").unwrap_or_default();
        for part in ["default-src 'self'", "frame-ancestors 'none'", "object-src 'none'", "base-uri 'none'"] {
            assert!(policy.contains(part), "{answer:?}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        let stripe = ["form-action 'self' ", "https://checkout.stripe.com", "https://billing.stripe.com"];
        assert!(stripe.iter().all(|part| policy.contains(part)), "{policy}");
        assert!(answer.header("permissions-policy").is_some_and(|all| all.contains("camera=()")), "{answer:?}");
        let referrer = answer.header("referrer-policy");
        assert!(matches!(referrer, Some("same-origin" | "no-referrer")), "{answer:?}");
        assert_eq!(answer.header("server"), None, "{answer:?}");
        // Only a site on https may say so; this one is on a loopback address.
        assert_eq!(answer.header("strict-transport-security"), None, "{answer:?}");
    }
}

async fn nobody_is_told_an_address_that_is_a_secret(app: App) {
    let visitor = app.visitor();
    // The button of a confirmation sends nothing that could be too large or of another kind.
    for (page, too_large, other_kind) in
        [("/password/reset/SECRET", 413, 415), ("/email/confirmation/SECRET", 404, 404)]
    {
        let sent = |method: Method, kind: &'static str, body: String| {
            let visitor = app.visitor();
            async move {
                visitor.send(method, page, |request| request.header("Content-Type", kind).body(body.clone())).await
            }
        };
        let cross_site =
            visitor.send(Method::POST, page, |request| request.header("Sec-Fetch-Site", "cross-site").body("")).await;
        let answers = [
            (cross_site, 403),
            (visitor.get(page).await, 404),
            (sent(Method::POST, FORM, "password=x".to_owned()).await, 404),
            (sent(Method::PUT, FORM, String::new()).await, 405),
            (sent(Method::POST, FORM, "a".repeat(5_000_000)).await, too_large),
            (sent(Method::POST, "text/plain", "a".to_owned()).await, other_kind),
        ];
        for (answer, status) in answers {
            let answer = answer.is(status).keeps_quiet_about("SECRET");
            assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{status}");
            answer.keeps_quiet_about("Open the sandbox");
        }
    }
}

async fn nobody_else_keeps_what_is_personal(app: App) {
    let ada = app.member().await;
    for path in ["/", "/account", "/plans", "/premium", "/api/v1/me", "/nowhere", "/login", "/signup"] {
        let answer = ada.get(path).await;
        assert_eq!(answer.header("cache-control"), Some("private, no-store"), "{path}: {answer:?}");
        assert_eq!(answer.header("etag"), None, "{path}");
    }
}

async fn static_files_may_be_kept_for_ever_at_an_address_that_names_their_content(app: App) {
    let visitor = app.visitor();
    let style = stylesheet(&visitor.get("/").await);
    let answer = visitor.get(&style).await.is(200);
    assert_eq!(answer.header("cache-control"), Some("public, max-age=31536000, immutable"));
    assert_eq!(answer.header("set-cookie"), None);
    let (name, end) = style.rsplit_once('.').unwrap();
    let other = format!("{}0.{end}", &name[..name.len() - 1]);
    let last = name.chars().last().unwrap();
    let other = if last == '0' { format!("{}1.{end}", &name[..name.len() - 1]) } else { other };
    visitor.get(&other).await.is(404);
}

#[test]
fn a_site_on_https_wants_to_be_asked_by_https_for_a_year() {
    Setup::on(Engine::Sqlite).with("TURNPIKE_PUBLIC_URL", "https://localhost").run(|app| async move {
        for path in ["/", "/nowhere", "/healthz"] {
            let answer = app.visitor().get(path).await;
            assert_eq!(answer.header("strict-transport-security"), Some("max-age=31536000"), "{path}");
        }
    });
}

fn stylesheet(page: &Answer) -> String {
    let text = page.text();
    let (_, rest) = text.split_once("rel=\"stylesheet\" href=\"").unwrap();
    rest.split_once('"').unwrap().0.to_owned()
}

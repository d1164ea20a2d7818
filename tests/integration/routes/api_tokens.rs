//! `/admin/tokens`, and what a token opens: for admins alone, shown once, and dead as soon as anything about it is.

use chrono::TimeDelta;
use reqwest::Method;
use turnpike::auth::token::token_hash;

use crate::{
    on_both,
    support::{
        app::App,
        client::Answer,
        member::{Member, PASSWORD},
        program::{Program, TOKEN_FORM, make_token},
    },
};

on_both! {
    only_admins_see_make_and_revoke_tokens,
    what_is_typed_wrong_makes_no_token,
    without_a_token_that_works_nothing_is_read,
    a_token_dies_with_its_time_its_revocation_and_its_admin,
    a_session_opens_nothing_for_programs_and_a_token_nothing_else,
    when_the_database_fails_nobody_is_let_in,
    a_token_is_shown_once_and_only_its_hash_is_kept,
    a_token_is_revoked_once,
    a_use_is_noted_once_a_minute,
}

const TOKENS: &str = "/admin/tokens";
const LIST: &str = "/api/v1/subscribers";

fn id_of(app: &App) -> String {
    app.database.text("SELECT public_id FROM api_tokens ORDER BY id DESC LIMIT 1").unwrap()
}

fn revocation(app: &App) -> String {
    format!("{TOKENS}/{}/revocation", id_of(app))
}

#[track_caller]
fn is_refused(answer: Answer, code: &str) {
    let answer = answer.is(401);
    assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    assert_eq!(answer.json()["code"], code);
    assert!(answer.header("set-cookie").is_none());
    answer.keeps_quiet_about("@");
}

async fn only_admins_see_make_and_revoke_tokens(app: App) {
    let admin = app.admin().await;
    let program = Program::of(&admin).await;
    let (support, ada) = (app.staff("support").await, Member::sign_up(&app, "ada@example.com").await);
    for path in [TOKENS, &revocation(&app)] {
        for stranger in [&app.visitor(), &*ada] {
            stranger.get(path).await.is(404).keeps_quiet_about("Newsletter");
            stranger.send(Method::HEAD, path, |request| request).await.is(404);
            stranger.post(path, &TOKEN_FORM).await.is(404);
        }
        support.get(path).await.is(403).says("Only an admin may do this").keeps_quiet_about("Newsletter");
        support.post(path, &TOKEN_FORM).await.is(403);
    }
    support.get("/admin/audit").await.is(200).keeps_quiet_about("href=\"/admin/tokens\"");
    admin.get("/admin/audit").await.is(200).says("href=\"/admin/tokens\"");
    assert_eq!(app.database.count("api_tokens", "revoked_at IS NULL"), 1);
    assert_eq!(app.database.count("audit_log", "1 = 1"), 1);
    program.get(LIST).await.is(200);
    for nothing in ["/admin/tokens/tok_x/revocation", "/admin/tokens/%00/revocation", "/admin/tokens/tok_x"] {
        admin.get(nothing).await.is(404);
        admin.post(nothing, &TOKEN_FORM).await.is(404);
    }
}

async fn what_is_typed_wrong_makes_no_token(app: App) {
    let admin = app.admin().await;
    let (long, longer) = ("a".repeat(81), "a".repeat(501));
    for (field, wrong, said) in [
        ("name", "", "Give the token a name."),
        ("name", "  ", "Give the token a name."),
        ("name", &long, "Use at most 80 letters."),
        ("name", "a\u{0}b", "Remove the invisible control characters."),
        ("expires", "", "Choose how long it shall work."),
        ("expires", "0", "Choose how long it shall work."),
        ("expires", "9223372036854775807", "Choose how long it shall work."),
        ("reason", "", "Say why"),
        ("reason", &longer, "at most 500 letters"),
    ] {
        let form = TOKEN_FORM.map(|(name, value)| (name, if name == field { wrong } else { value }));
        admin.post(TOKENS, &form).await.is(422).keeps_quiet_about("tp_").says(said);
        let form: Vec<_> = TOKEN_FORM.into_iter().filter(|(name, _)| *name != field).collect();
        admin.post(TOKENS, &form).await.is(422);
    }
    let page = admin.post(TOKENS, &[("name", "Newsletter"), ("expires", "30"), ("reason", "x")]).await.is(422);
    page.says("value=\"Newsletter\"").says("value=\"x\"").says("<option value=\"30\" selected>");
    admin.post_raw(TOKENS, "%ff=%fe").await.is(422);
    assert_eq!(app.database.count("api_tokens", "1 = 1"), 0);
    assert_eq!(app.database.count("audit_log", "1 = 1"), 0);
}

async fn without_a_token_that_works_nothing_is_read(app: App) {
    let admin = app.admin().await;
    let program = Program::of(&admin).await;
    let right = format!("Bearer {}", program.token);
    let one = format!("{LIST}/{}", admin.id().await);
    let long = format!("Bearer tp_{}", "a".repeat(10_000));
    for path in [LIST, &one, "/api/v1/subscribers?status=nonsense", "/api/v1/subscribers/usr_x"] {
        for missing in [&[][..], &[""], &["Basic YTpi"], &[&program.token], &["Bearertp_x"]] {
            is_refused(program.shows(Method::GET, path, missing).await, "TOKEN_REQUIRED");
            program.shows(Method::HEAD, path, missing).await.is(401);
        }
        for wrong in [
            &["Bearer"][..],
            &["Bearer tp_"],
            &["Bearer tp_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
            &[&long],
            &[&right.to_lowercase()],
            &[&right[..right.len() - 1]],
            &[&format!("{right}A")],
            &[&format!("Bearer {}", token_hash(&program.token))],
            &[&right, &right],
        ] {
            is_refused(program.shows(Method::GET, path, wrong).await, "TOKEN_INVALID");
            program.shows(Method::HEAD, path, wrong).await.is(401);
        }
    }
    assert_eq!(app.database.count("api_tokens", "used_at IS NOT NULL"), 0);
    for scheme in ["Bearer", "bearer", "BEARER"] {
        program.shows(Method::GET, LIST, &[&format!("{scheme} {}", program.token)]).await.is(200);
    }
    // A token in the address would stand in logs.
    is_refused(program.shows(Method::GET, &format!("{LIST}?token={}", program.token), &[]).await, "TOKEN_REQUIRED");
    is_refused(
        program.shows(Method::GET, &format!("{LIST}?access_token={}", program.token), &[]).await,
        "TOKEN_REQUIRED",
    );
}

async fn a_token_dies_with_its_time_its_revocation_and_its_admin(app: App) {
    let admin = app.admin().await;
    let program = Program::of(&admin).await;
    let dead_and_alive = [
        ("UPDATE users SET role = 'support'", "UPDATE users SET role = 'admin'"),
        ("UPDATE users SET role = 'user'", "UPDATE users SET role = 'admin'"),
        ("UPDATE users SET locked_at = 1", "UPDATE users SET locked_at = NULL"),
        ("UPDATE users SET deleted_at = 1", "UPDATE users SET deleted_at = NULL"),
        ("UPDATE api_tokens SET revoked_at = 1", "UPDATE api_tokens SET revoked_at = NULL"),
    ];
    for (dead, alive) in dead_and_alive {
        program.get(LIST).await.is(200);
        app.database.execute(dead);
        is_refused(program.get(LIST).await, "TOKEN_INVALID");
        app.database.execute(alive);
    }
    app.database.execute("UPDATE users SET role = 'user'");
    let other = app.member().await;
    app.database.execute(&format!("UPDATE users SET role = 'admin' WHERE email = '{}'", other.email));
    other.get(TOKENS).await.is(200).says("made by somebody who is no admin any more").keeps_quiet_about("admin@staff");
    app.database.execute("UPDATE users SET role = 'admin'");
    app.advance(TimeDelta::days(90) - TimeDelta::seconds(1));
    program.get(LIST).await.is(200);
    app.advance(TimeDelta::seconds(1));
    is_refused(program.get(LIST).await, "TOKEN_INVALID");
    admin.log_in().await;
    admin.get(TOKENS).await.is(200).says("Expired");
    let form = TOKEN_FORM.map(|(name, value)| (name, if name == "expires" { "never" } else { value }));
    let page = admin.post(TOKENS, &form).await.is(200).text();
    let token = page.split(">tp_").nth(1).unwrap().split('<').next().unwrap();
    app.advance(TimeDelta::days(3_000));
    Program::with(&app.visitor(), format!("tp_{token}")).get(LIST).await.is(200);
}

async fn a_session_opens_nothing_for_programs_and_a_token_nothing_else(app: App) {
    let admin = app.admin().await;
    let program = Program::of(&admin).await;
    for path in [LIST, &format!("{LIST}/{}", admin.id().await)] {
        is_refused(admin.get_json(path).await, "TOKEN_REQUIRED");
        is_refused(admin.get(path).await, "TOKEN_REQUIRED");
        program.get(path).await.is(200);
    }
    for (path, status) in [
        ("/api/v1/me", 401),
        ("/admin", 404),
        ("/admin/subscribers", 404),
        ("/admin/subscribers.csv", 404),
        (TOKENS, 404),
        ("/premium", 401),
        ("/account", 401),
    ] {
        program.get(path).await.is(status).keeps_quiet_about("admin@staff");
    }
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
        let answer = program.send(method, LIST).await.is(405);
        assert_eq!(answer.json()["code"], "METHOD_NOT_ALLOWED");
    }
}

async fn when_the_database_fails_nobody_is_let_in(app: App) {
    let program = Program::of(&app.admin().await).await;
    app.database.execute("ALTER TABLE api_tokens RENAME TO elsewhere");
    let answer = program.get(LIST).await.is(503);
    assert_eq!(answer.header("retry-after"), Some("5"));
    assert_eq!(answer.json()["code"], "SERVICE_UNAVAILABLE");
    assert!(answer.header("www-authenticate").is_none());
    answer.keeps_quiet_about("api_tokens").keeps_quiet_about("@");
    app.database.execute("ALTER TABLE elsewhere RENAME TO api_tokens");
    program.get(LIST).await.is(200);
}

async fn a_token_is_shown_once_and_only_its_hash_is_kept(app: App) {
    let admin = app.admin().await;
    admin.get(TOKENS).await.is(200).says("There is no token yet.");
    let form = TOKEN_FORM.map(|(name, value)| (name, if name == "name" { "<b>News</b>" } else { value }));
    let answer = admin.post(TOKENS, &form).await.is(200).says("shown this once").keeps_quiet_about("<b>News");
    assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    let page = answer.text();
    let token = format!("tp_{}", page.split(">tp_").nth(1).unwrap().split('<').next().unwrap());
    assert_eq!(page.matches(&token).count(), 1);
    for path in [TOKENS, "/admin/audit", "/admin/audit.csv", &revocation(&app)] {
        admin.get(path).await.is(200).keeps_quiet_about("tp_").keeps_quiet_about(&token_hash(&token));
    }
    let kept = app.database.dump("api_tokens", &[]);
    assert!(kept.contains(&token_hash(&token)) && !kept.contains("tp_"), "{kept}");
    let log = app.database.dump("audit_log", &[]);
    assert!(log.contains(&id_of(&app)) && log.contains("the newsletter needs names"), "{log}");
    assert!(!log.contains("tp_") && !log.contains(&token_hash(&token)), "{log}");
    let by = app.database.text("SELECT actor FROM audit_log WHERE action = 'token'").unwrap();
    assert_eq!(by, admin.id().await);
    admin.get("/admin/audit?action=token").await.is(200).says("News");
}

async fn a_token_is_revoked_once(app: App) {
    let admin = app.admin().await;
    let (kept, program) = (Program::of(&admin).await, Program::of(&admin).await);
    let path = revocation(&app);
    admin.get(&path).await.is(200).says("refused at once");
    admin.post(&path, &[("reason", "")]).await.is(422).says("Say why");
    program.get(LIST).await.is(200);
    let reason = [("reason", "it was lost")];
    let answers = tokio::join!(admin.post(&path, &reason), admin.post(&path, &reason), admin.post(&path, &reason));
    let mut statuses = [answers.0.status, answers.1.status, answers.2.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 409, 409]);
    is_refused(program.get(LIST).await, "TOKEN_INVALID");
    kept.get(LIST).await.is(200);
    admin.post(&path, &reason).await.is(409).says("revoked already");
    let entries = |outcome: &str| {
        app.database.count("audit_log", &format!("action = 'token-revocation' AND outcome = '{outcome}'"))
    };
    assert_eq!((entries("made"), entries("refused")), (1, 3));
    admin.get(TOKENS).await.is(200).says("Revoked");
    // A new password ends sessions. Tokens stay: whoever wants them gone revokes them.
    let change = [("current_password", PASSWORD), ("password", "Correct horse, battery staple 8")];
    admin.post("/account/password", &change).await.is(303);
    kept.get(LIST).await.is(200);
}

async fn a_use_is_noted_once_a_minute(app: App) {
    let admin = app.admin().await;
    let program = Program::with(&app.visitor(), make_token(&admin).await);
    let used = || app.database.number("SELECT used_at FROM api_tokens");
    assert_eq!(used(), None);
    admin.get(TOKENS).await.is(200).says("never");
    let mut noted = app.now();
    for (wait, is_noted) in [(0, true), (59, false), (1, true), (30, false), (300, true)] {
        app.advance(TimeDelta::seconds(wait));
        program.get(LIST).await.is(200);
        if is_noted {
            noted = app.now();
        }
        assert_eq!(used(), Some(noted.timestamp_micros()), "after {wait} seconds");
    }
}

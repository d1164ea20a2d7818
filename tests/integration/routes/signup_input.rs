//! `/signup` with everything that a person or a program may put into a field.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    on_both,
    support::{
        app::App,
        client::Answer,
        member::{PASSWORD, sign_up_form},
    },
};

const FIELDS: [&str; 8] =
    ["email", "password", "title", "first_name", "last_name", "phone", "time_zone", "accept_terms"];

/// What must come of it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Then {
    /// The form again, with a message at the field, and no account.
    Refused,
    /// An account.
    Accepted,
    /// Either of the two.
    Judged,
}
use Then::{Accepted, Judged, Refused};

/// The bytes that go into the field, percent-encoded.
fn nasties() -> Vec<(&'static str, String)> {
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    vec![
        ("empty", String::new()),
        ("blank", encoded("   ")),
        ("10,000 letters", "a".repeat(10_000)),
        ("NUL", format!("a%00b{}", encoded("@example.com"))),
        ("control", format!("a%07%1b%0d%0ab{}", encoded("@example.com"))),
        ("emoji", encoded("🙂👩‍👩‍👧‍👦")),
        ("right to left", encoded("שלום עולם مرحبا")),
        ("direction override", encoded("a\u{202e}b\u{2066}c")),
        ("markup", encoded("<script>alert(1)</script>\"'&amp;{{7*7}}")),
        ("bad UTF-8", "a%ff%fe%c0%af".to_owned()),
        ("bad escape", "a%zz%".to_owned()),
    ]
}

#[expect(clippy::match_same_arms, reason = "one row for each rule")]
fn expected(field: &str, nasty: &str) -> Then {
    match (field, nasty) {
        ("password" | "accept_terms" | "title" | "first_name" | "last_name", "bad UTF-8") => Judged,
        (_, "bad escape") => Judged,
        ("title" | "phone", "empty" | "blank") => Accepted,
        ("password", "empty" | "blank" | "10,000 letters") => Refused,
        ("password", _) => Judged,
        ("accept_terms", "empty") => Refused,
        ("accept_terms", _) => Judged,
        ("time_zone", "empty" | "blank") => Judged,
        (_, "empty" | "blank" | "10,000 letters" | "NUL" | "control") => Refused,
        ("email" | "time_zone" | "phone", _) => Refused,
        ("title" | "first_name" | "last_name", "right to left" | "emoji" | "markup") => Accepted,
        _ => Judged,
    }
}

on_both! {
    every_field_takes_or_refuses_everything_with_a_clear_word,
    a_field_that_comes_twice_or_not_at_all_is_no_riddle,
    what_was_typed_is_kept_but_for_the_password,
    what_is_no_form_is_refused_by_its_kind,
    weak_passwords_are_refused_with_a_reason,
}

async fn every_field_takes_or_refuses_everything_with_a_clear_word(app: App) {
    let mut wrong = Vec::new();
    for field in FIELDS {
        for (number, (nasty, encoded)) in nasties().into_iter().enumerate() {
            let address = format!("{field}-{number}@example.com").replace('_', "-");
            let accounts = app.database.count("users", "1 = 1");
            let visitor = app.visitor();
            let answer = visitor.post_raw("/signup", body(&address, field, &encoded)).await;
            let made = app.database.count("users", "1 = 1") - accounts;
            if let Err(fault) = judge(&answer, field, nasty, made) {
                wrong.push(format!("{field} = {nasty}: {fault}"));
            }
            if made == 1 {
                let account = visitor.get("/account").await.is(200);
                assert!(!account.text().contains("<script>alert"), "{field} = {nasty}: markup is not escaped");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn a_field_that_comes_twice_or_not_at_all_is_no_riddle(app: App) {
    for field in FIELDS {
        let doubled = format!("{}&{field}=second", body("twice@example.com", "", ""));
        let answer = app.visitor().post_raw("/signup", doubled).await;
        let made = app.database.count("users", "1 = 1");
        assert!(matches!((answer.status, made), (422, 0) | (303, 1)), "{field} twice: {}", answer.status);
        app.forget_everybody();
        let without: Vec<(&str, String)> =
            sign_up_form("less@example.com").into_iter().filter(|(name, _)| *name != field).collect();
        let without: Vec<String> = without.iter().map(|(name, value)| pair(name, value)).collect();
        let answer = app.visitor().post_raw("/signup", without.join("&")).await;
        let optional = ["title", "phone", "time_zone"].contains(&field);
        assert!(answer.status < 500, "without {field}: {}", answer.status);
        assert!(
            optional || answer.status == 422 && answer.text().contains(&format!("{field}-error")),
            "without {field}: {}",
            answer.text()
        );
        app.forget_everybody();
    }
    assert_eq!(app.visitor().post_raw("/signup", "").await.status, 422);
}

async fn what_was_typed_is_kept_but_for_the_password(app: App) {
    let answer = app.visitor().post_raw("/signup", body("ada@example.com", "last_name", "")).await.is(422);
    answer
        .says("value=\"ada@example.com\"")
        .says("value=\"Ada\"")
        .says("Europe/Berlin")
        .says("last_name-error")
        .keeps_quiet_about(PASSWORD);
}

async fn what_is_no_form_is_refused_by_its_kind(app: App) {
    for (kind, content) in
        [("application/json", "{\"email\":1}"), ("multipart/form-data; boundary=x", "--x--"), ("text/plain", "email=a")]
    {
        let answer = app
            .visitor()
            .send(reqwest::Method::POST, "/signup", |request| request.header("Content-Type", kind).body(content))
            .await;
        assert!((400..500).contains(&answer.status), "{kind}: {}", answer.status);
    }
}

async fn weak_passwords_are_refused_with_a_reason(app: App) {
    for weak in ["short", "123456789", "password1234", "aaaaaaaaaaaaaaaa", "ada@example.com"] {
        let encoded = utf8_percent_encode(weak, NON_ALPHANUMERIC).to_string();
        let answer = app.visitor().post_raw("/signup", body("ada@example.com", "password", &encoded)).await.is(422);
        answer.says("password-error").keeps_quiet_about(&format!("value=\"{weak}\" type=\"password\""));
    }
    assert_eq!(app.database.count("users", "1 = 1"), 0);
}

fn judge(answer: &Answer, field: &str, nasty: &str, made: i64) -> Result<(), String> {
    let refused = answer.status == 422 && made == 0 && answer.text().contains(&format!("id=\"{field}-error\""));
    let accepted = answer.status == 303 && made == 1;
    let held = match expected(field, nasty) {
        Refused => refused,
        Accepted => accepted,
        Judged => refused || accepted,
    };
    let wanted = expected(field, nasty);
    if held { Ok(()) } else { Err(format!("{} with {made} new accounts, wanted {wanted:?}", answer.status)) }
}

/// The form with one field given as it is to stand in the body.
fn body(address: &str, field: &str, encoded: &str) -> String {
    let pairs = sign_up_form(address)
        .into_iter()
        .map(|(name, value)| if name == field { format!("{name}={encoded}") } else { pair(name, &value) });
    pairs.collect::<Vec<_>>().join("&")
}

fn pair(name: &str, value: &str) -> String {
    format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC))
}

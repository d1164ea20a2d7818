//! `/account/profile` and `/account/export`.

use serde_json::Value;

use crate::{
    on_both,
    support::{
        app::App,
        member::{Member, PASSWORD},
    },
};

const ADA: &str = "ada@example.com";

on_both! {
    strangers_and_wrong_fields_change_nothing,
    nothing_but_the_fields_of_the_form_is_taken,
    what_is_saved_shows_at_once,
    the_export_is_for_its_owner_and_holds_no_secret,
    the_export_holds_what_is_kept,
}

fn fields<'a>(changed: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut form = vec![
        ("title", "Dr"),
        ("first_name", "Augusta"),
        ("last_name", "King"),
        ("phone", ""),
        ("time_zone", "Asia/Shanghai"),
        ("language", "en"),
    ];
    for (name, value) in changed {
        form.retain(|(known, _)| known != name);
        form.push((name, value));
    }
    form
}

async fn strangers_and_wrong_fields_change_nothing(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    app.visitor().get("/account/profile").await.is(303);
    app.visitor().post("/account/profile", &fields(&[])).await.is(303);
    app.visitor().get("/account/export").await.is(303);
    let long = "a".repeat(101);
    for (name, value) in [
        ("first_name", ""),
        ("last_name", &long),
        ("first_name", "A\0da"),
        ("first_name", "Ada\u{202E}"),
        ("phone", "call me"),
        ("time_zone", "Mars/Olympus"),
        ("language", "tlh"),
        ("language", ""),
    ] {
        let page = ada.post("/account/profile", &fields(&[(name, value)])).await.is(422);
        page.says(&format!("id=\"{name}-error\"")).says("role=\"alert\"").says("Asia/Shanghai");
    }
    ada.post_raw("/account/profile", "first_name=%ED%A0%80%00&last_name=x&language=en&time_zone=UTC").await.is(422);
    let me = ada.me().await;
    let kept = (me["user"]["last_name"].as_str(), me["user"]["time_zone"].as_str());
    assert_eq!(kept, (Some("Lovelace"), Some("Europe/Berlin")));
}

async fn nothing_but_the_fields_of_the_form_is_taken(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let more = [
        ("role", "admin"),
        ("id", "999"),
        ("email", "eve@example.org"),
        ("email_confirmed", "1"),
        ("stripe_customer_id", "cus_eve"),
        ("deleted_at", "1"),
        ("password", "another good one, surely 9"),
    ];
    ada.post("/account/profile", &fields(&more)).await.is(303);
    let me = ada.me().await;
    let user = &me["user"];
    assert_eq!((user["role"].as_str(), user["email"].as_str()), (Some("user"), Some(ADA)));
    assert_eq!(user["email_confirmed"], false);
    assert_eq!(app.database.count("users", "stripe_customer_id IS NULL AND deleted_at IS NULL"), 1);
    app.visitor().post("/login", &[("email", ADA), ("password", PASSWORD)]).await.is(303);
}

async fn what_is_saved_shows_at_once(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    ada.get("/account/profile").await.is(200).says("value=\"Lovelace\"").says("autocomplete=\"family-name\"");
    let done = ada.post("/account/profile", &fields(&[])).await.is(303);
    assert_eq!(done.location().unwrap(), "/account?saved");
    let account = ada.follow(done).await.is(200).says("Your profile is saved").says("Dr Augusta King");
    account.says("28 February 2027, 18:15 CST");
    ada.post("/account/profile", &fields(&[("language", "zh-Hans"), ("title", "")])).await.is(303);
    ada.get("/account").await.is(200).says("<html lang=\"zh-Hans\">").says("2027年2月28日");
    assert_eq!(ada.me().await["user"]["language"], "zh-Hans");
}

async fn the_export_is_for_its_owner_and_holds_no_secret(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let bob = Member::sign_up(&app, "bob@example.com").await;
    bob.pays_for("monthly").await;
    let file = ada.get("/account/export?id=2&user_id=2").await.is(200);
    assert_eq!(file.header("content-disposition"), Some("attachment; filename=\"account.json\""));
    assert_eq!(file.header("cache-control"), Some("private, no-store"));
    let text = file.text();
    assert!(text.contains(ADA) && !text.contains("bob@example.com"), "{text}");
    for secret in ["argon2", "hash", "snapshots"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    for cookie in ada.cookies().values() {
        assert!(!text.contains(cookie.as_str()));
    }
}

async fn the_export_holds_what_is_kept(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    ada.pays_for("monthly").await;
    let all: Value = ada.get("/account/export").await.is(200).json();
    assert_eq!(all["account"]["first_name"], "Ada");
    assert_eq!(all["account"]["created_at"], "2026-08-31T10:15:30Z");
    let kinds: Vec<_> = all["subscriptions"].as_array().unwrap().iter().map(|one| one["kind"].clone()).collect();
    assert_eq!(kinds, ["trial", "recurring"]);
    assert_eq!(all["sessions"].as_array().unwrap().len(), 1);
    assert!(!all["events"].as_array().unwrap().is_empty(), "{all}");
    assert!(all["account"]["stripe_customer_id"].as_str().unwrap().starts_with("cus_"));
}

//! `/signup`: one account, one trial, six calendar months.

use futures_util::future::join_all;

use crate::{
    on_both,
    support::{
        app::App,
        member::{Member, PASSWORD, sign_up_form, with_field},
    },
};

on_both! {
    ten_at_once_with_one_address_make_one_account,
    whoever_tries_addresses_is_slowed_down,
    an_address_has_one_account_in_every_spelling,
    the_form_decides_neither_role_nor_trial,
    an_address_that_had_its_trial_gets_an_account_without_access,
    it_ends_on_the_account_with_the_last_moment_of_the_trial,
    zones_are_those_of_the_iana_old_names_too,
    a_password_is_kept_as_typed_and_nowhere_in_clear,
}

async fn ten_at_once_with_one_address_make_one_account(app: App) {
    let spellings = ["ada@example.com", "ADA@example.com", "Ada@Example.Com", " ada@EXAMPLE.com ", "aDa@example.COM"];
    let attempts = (0..10).map(|number| {
        let (visitor, spelling) = (app.visitor(), spellings[number % spellings.len()]);
        async move { visitor.post("/signup", &with_field(&sign_up_form(spelling), "email", spelling)).await }
    });
    let answers = join_all(attempts).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert!(statuses.iter().all(|status| *status < 500), "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 303).count(), 1, "{statuses:?}");
    for refused in answers.iter().filter(|answer| answer.status != 303) {
        assert!(refused.text().contains("email-error"), "{}", refused.text());
    }
    assert_eq!(app.database.count("users", "1 = 1"), 1);
    assert_eq!(app.database.count("subscriptions", "1 = 1"), 1);
}

async fn whoever_tries_addresses_is_slowed_down(app: App) {
    app.visitor().signs_up("ada@example.com").await.is(303);
    for _ in 0..30 {
        app.visitor().signs_up("ada@example.com").await.is(422);
    }
    let refused = app.visitor().signs_up("ada@example.com").await.is(429);
    assert!(refused.header("retry-after").is_some());
    app.advance(chrono::TimeDelta::minutes(1));
    app.visitor().signs_up("bob@example.com").await.is(303);
}

async fn an_address_has_one_account_in_every_spelling(app: App) {
    Member::sign_up(&app, "ada@example.com").await;
    for again in ["ada@example.com", "ADA@EXAMPLE.COM", "\tada@example.com "] {
        let answer = app.visitor().post("/signup", &with_field(&sign_up_form(again), "email", again)).await.is(422);
        answer.says("email-error");
    }
}

async fn the_form_decides_neither_role_nor_trial(app: App) {
    let visitor = app.visitor();
    let form = sign_up_form("ada@example.com");
    let mut fields: Vec<(&str, &str)> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    fields.extend([
        ("role", "admin"),
        ("status", "active"),
        ("kind", "recurring"),
        ("current_period_end", "2999-01-01T00:00:00Z"),
        ("current_period_start", "1999-01-01T00:00:00Z"),
        ("id", "1"),
        ("user_id", "1"),
        ("email_confirmed", "true"),
        ("é[]", "%"),
    ]);
    visitor.post("/signup", &fields).await.is(303);
    let me = visitor.get_json("/api/v1/me").await.is(200).json();
    assert_ne!(me["user"]["role"], "admin");
    assert_eq!(me["user"]["email_confirmed"], false);
    assert_eq!(me["subscription"]["kind"], "trial");
    assert_eq!(me["subscription"]["status"], "trialing");
    assert_eq!(me["subscription"]["current_period_end"], "2027-02-28T10:15:30Z");
}

async fn an_address_that_had_its_trial_gets_an_account_without_access(app: App) {
    let ada = Member::sign_up(&app, "ada@example.com").await;
    // What remains when somebody deletes their account: the keyed hash of the address.
    app.forget_everybody();
    drop(ada);
    let again = Member::sign_up(&app, "ADA@example.com").await;
    let me = again.me().await;
    assert_eq!(me["access"]["granted"], false, "{me}");
    again.get("/account").await.is(200).says("has had its own before");
}

async fn it_ends_on_the_account_with_the_last_moment_of_the_trial(app: App) {
    let visitor = app.visitor();
    visitor.get("/signup").await.is(200).says("Start your six months");
    let form = sign_up_form(" Ada.Lovelace@Example.COM ");
    let fields: Vec<(&str, &str)> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let account = visitor.post("/signup", &fields).await.is(303);
    assert!(account.location().unwrap().starts_with("/account"), "{account:?}");
    visitor
        .follow(account)
        .await
        .is(200)
        .says("28 February 2027, 11:15 CET")
        .says("datetime=\"2027-02-28T10:15:30Z\"")
        .says("Ends on")
        .says("Trial");
    let me = visitor.get_json("/api/v1/me").await.is(200).json();
    assert_eq!(me["user"]["email"], "Ada.Lovelace@Example.COM");
    assert_eq!(me["user"]["first_name"], "Ada");
    assert_eq!(me["user"]["time_zone"], "Europe/Berlin");
    assert_eq!(me["subscription"]["current_period_start"], "2026-08-31T10:15:30Z");
    assert_eq!(me["access"]["granted"], true);
    assert_eq!(me["access"]["until"], "2027-02-28T10:15:30Z");
    assert_eq!(me["access"]["renews"], false);
}

async fn zones_are_those_of_the_iana_old_names_too(app: App) {
    for (number, (zone, shown)) in [
        ("Asia/Calcutta", "28 February 2027, 15:45 IST"),
        ("US/Pacific", "28 February 2027, 02:15 PST"),
        ("UTC", "28 February 2027, 10:15 UTC"),
        ("Asia/Kathmandu", "28 February 2027, 16:00 UTC+05:45"),
    ]
    .into_iter()
    .enumerate()
    {
        let visitor = app.visitor();
        let form = sign_up_form(&format!("zone{number}@example.com"));
        visitor.post("/signup", &with_field(&form, "time_zone", zone)).await.is(303);
        visitor.get("/account").await.is(200).says(shown);
    }
    for nonsense in ["Mars/Olympus", "Europe", "+01:00", "Europe/Berlin; DROP TABLE users", "../../etc/passwd"] {
        let form = sign_up_form("nowhere@example.com");
        app.visitor().post("/signup", &with_field(&form, "time_zone", nonsense)).await.is(422).says("time_zone-error");
    }
    assert_eq!(app.database.count("users", "1 = 1"), 4);
}

async fn a_password_is_kept_as_typed_and_nowhere_in_clear(app: App) {
    let visitor = app.visitor();
    let form = sign_up_form("ada@example.com");
    let typed = format!("  {PASSWORD} é\u{202e}🙂  ");
    visitor.post("/signup", &with_field(&form, "password", &typed)).await.is(303);
    let log_in = |password: String| {
        let visitor = app.visitor();
        async move { visitor.post("/login", &[("email", "ada@example.com"), ("password", &password)]).await.status }
    };
    assert_ne!(log_in(typed.trim().to_owned()).await, 303);
    assert_ne!(log_in(typed.to_lowercase()).await, 303);
    assert_eq!(log_in(typed.clone()).await, 303);
    let columns = app.database.text("SELECT password_hash FROM users").unwrap();
    assert!(columns.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{columns}");
}

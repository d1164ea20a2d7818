//! `/login/code`: the second step of a log-in.

use chrono::TimeDelta;
use futures_util::future::join_all;

use crate::{
    on_both,
    support::{
        app::{App, Setup},
        database::Engine,
        device::{Device, hidden},
        member::{Member, PASSWORD},
    },
};

on_both! {
    the_password_alone_opens_nothing,
    tokens_that_are_made_up_old_or_used_are_refused,
    wrong_codes_are_refused,
    a_code_is_good_once,
    of_ten_posts_at_once_one_passes,
    guessing_is_slowed_down_across_log_ins_and_ends_by_itself,
    a_recovery_code_is_good_once_and_no_guesses_keep_it_out,
    it_leads_to_the_page_that_was_wanted_and_to_no_other_site,
    a_log_in_gets_a_new_session,
}

async fn the_password_alone_opens_nothing(app: App) {
    let ada = app.member().await;
    Device::of(&app, &ada).await;
    let visitor = app.visitor();
    let page = visitor.gives_password(&ada.email).await;
    assert_eq!(page.header("cache-control"), Some("private, no-store"));
    assert!(!visitor.cookies().contains_key("turnpike"), "there is a session before the code");
    assert!(!visitor.is_signed_in().await);
    visitor.get("/premium").await.is(303);
    page.says("autocomplete=\"one-time-code\"").says("inputmode=\"numeric\"").keeps_quiet_about(PASSWORD);
    let token = hidden(&visitor.gives_password(&ada.email).await, "token");
    assert_eq!(app.database.count("tokens", &format!("token_hash = '{token}'")), 0, "the token is stored in clear");
    // A wrong password says nothing of the second factor.
    let wrong = [("email", ada.email.as_str()), ("password", "not the password at all")];
    visitor.post("/login", &wrong).await.is(422).keeps_quiet_about("name=\"token\"");
}

async fn tokens_that_are_made_up_old_or_used_are_refused(app: App) {
    let ada = app.member().await;
    let device = Device::of(&app, &ada).await;
    let visitor = app.visitor();
    let page = visitor.gives_password(&ada.email).await;
    let code = device.next_code();
    for token in ["", "A", &"A".repeat(43), &"é".repeat(5_000), "\0", "' OR 1=1 --"] {
        visitor.post("/login/code", &[("token", token), ("code", &code)]).await.is(410).says("Log in again");
    }
    visitor.post("/login/code", &[]).await.is(410);
    assert_eq!(visitor.get("/login/code").await.is(303).location().as_deref(), Some("/login"));
    visitor.gives_code(&page, &code).await.is(303);
    app.visitor().gives_code(&page, &device.next_code()).await.is(410);

    let page = app.visitor().gives_password(&ada.email).await;
    app.advance(TimeDelta::minutes(10));
    app.visitor().gives_code(&page, &device.code()).await.is(410);
}

async fn wrong_codes_are_refused(app: App) {
    let (ada, eve) = (app.member().await, app.member().await);
    let (device, of_eve) = (Device::of(&app, &ada).await, Device::of(&app, &eve).await);
    let visitor = app.visitor();
    let page = visitor.gives_password(&ada.email).await;
    app.advance(TimeDelta::minutes(5));
    let late = device.code_at(app.now() - TimeDelta::seconds(60));
    let early = device.code_at(app.now() + TimeDelta::seconds(60));
    for code in ["", "1", "1234567", "abcdef", "<script>", &of_eve.recovery_codes[0], &late, &early, &of_eve.code()] {
        let answer = visitor.gives_code(&page, code).await;
        assert!(code == device.code() || answer.status == 422, "{code}: {}", answer.status);
        answer.keeps_quiet_about("<script>");
    }
    visitor.gives_recovery_code(&page, &of_eve.recovery_codes[0]).await.is(422);
    assert!(!visitor.is_signed_in().await);
    visitor.gives_code(&page, &device.code()).await.is(303);
    assert_eq!(visitor.get_json("/api/v1/me").await.json()["user"]["email"], ada.email.as_str());
}

async fn a_code_is_good_once(app: App) {
    let ada = app.member().await;
    let device = Device::of(&app, &ada).await;
    let (first, second) = (app.visitor(), app.visitor());
    let pages = [first.gives_password(&ada.email).await, second.gives_password(&ada.email).await];
    // The code that turned it on is used.
    first.gives_code(&pages[0], &device.code()).await.is(422);
    let code = device.next_code();
    let before = device.code_at(app.now() - TimeDelta::seconds(30));
    first.gives_code(&pages[0], &code).await.is(303);
    second.gives_code(&pages[1], &code).await.is(422);
    second.gives_code(&pages[1], &before).await.is(422);
    second.gives_code(&pages[1], &device.next_code()).await.is(303);
}

async fn of_ten_posts_at_once_one_passes(app: App) {
    let ada = app.member().await;
    let device = Device::of(&app, &ada).await;
    let code = device.next_code();
    let visitors: Vec<_> = (0..10).map(|_| app.visitor()).collect();
    let mut pages = Vec::new();
    for visitor in &visitors {
        pages.push(visitor.gives_password(&ada.email).await);
    }
    let posts = visitors.iter().zip(&pages).map(|(visitor, page)| visitor.gives_code(page, &code));
    let statuses: Vec<u16> = join_all(posts).await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 303).count(), 1, "{statuses:?}");

    let (code, page) = (&device.recovery_codes[0], &visitors[0].gives_password(&ada.email).await);
    let posts = visitors.iter().map(|visitor| visitor.gives_recovery_code(page, code));
    let statuses: Vec<u16> = join_all(posts).await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 303).count(), 1, "{statuses:?}");
    assert_eq!(app.database.count("recovery_codes", "1 = 1"), 9);
}

async fn guessing_is_slowed_down_across_log_ins_and_ends_by_itself(app: App) {
    let ada = app.member().await;
    let device = Device::of(&app, &ada).await;
    let attacker = app.visitor();
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let page = attacker.gives_password(&ada.email).await;
        for _ in 0..3 {
            statuses.push(attacker.gives_code(&page, &device.wrong_code()).await.status);
        }
    }
    assert_eq!(statuses, [422, 422, 422, 422, 422, 429, 429, 429, 429]);
    let page = attacker.gives_password(&ada.email).await;
    let refused = attacker.gives_code(&page, &device.next_code()).await.is(429);
    let seconds: i64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=601).contains(&seconds), "{seconds}");
    refused.says("use a recovery code now").says("<details class=\"small-print\" open>");
    app.advance(TimeDelta::seconds(seconds));
    let owner = app.visitor();
    let page = owner.gives_password(&ada.email).await;
    owner.gives_code(&page, &device.code()).await.is(303);
}

async fn a_recovery_code_is_good_once_and_no_guesses_keep_it_out(app: App) {
    let ada = app.member().await;
    let device = Device::of(&app, &ada).await;
    let visitor = app.visitor();
    let page = visitor.gives_password(&ada.email).await;
    for _ in 0..6 {
        visitor.gives_code(&page, &device.wrong_code()).await;
    }
    visitor.gives_code(&page, &device.next_code()).await.is(429);
    let code = device.recovery_codes[4].to_lowercase().replace('-', " ");
    visitor.gives_recovery_code(&page, &code).await.is(303);
    visitor.get("/account/second-factor").await.is(200).says("9 recovery codes");
    let page = app.visitor().gives_password(&ada.email).await;
    app.visitor().gives_recovery_code(&page, &code).await.is(422);
    // In the field for the other code it works as well.
    app.visitor().gives_code(&page, &device.recovery_codes[5]).await.is(303);
}

async fn it_leads_to_the_page_that_was_wanted_and_to_no_other_site(app: App) {
    let ada = app.member().await;
    let device = Device::of(&app, &ada).await;
    for (next, target) in [("/premium", "/premium"), ("//evil.example/", "/account"), ("", "/account")] {
        let visitor = app.visitor();
        let fields = [("email", ada.email.as_str()), ("password", PASSWORD), ("next", next)];
        let page = visitor.post("/login", &fields).await.is(200);
        let token = hidden(&page, "token");
        if next == target {
            assert_eq!(hidden(&page, "next"), next);
        }
        // A wrong code keeps it, and nobody can put another one in.
        let again = visitor.post("/login/code", &[("token", &token), ("code", "1"), ("next", next)]).await.is(422);
        assert_eq!(again.text().contains("name=\"next\""), next == target);
        let fields = [("token", token.as_str()), ("code", &device.next_code()), ("next", next)];
        assert_eq!(visitor.post("/login/code", &fields).await.is(303).location().as_deref(), Some(target));
    }
}

async fn a_log_in_gets_a_new_session(app: App) {
    let ada = app.member().await;
    let device = Device::of(&app, &ada).await;
    let (planted, copy) = (ada.copy(), ada.copy());
    let page = planted.gives_password(&ada.email).await;
    planted.gives_code(&page, &device.next_code()).await.is(303);
    assert_ne!(planted.cookies(), copy.cookies());
    assert!(planted.is_signed_in().await && !copy.is_signed_in().await, "the session of before goes on");
}

#[test]
fn another_cookie_secret_leaves_the_recovery_codes() {
    Setup::on(Engine::Sqlite).run(|app| async move {
        let ada = Member::sign_up(&app, "ada@example.com").await;
        let device = Device::of(&app, &ada).await;
        let other = app.server_with_cookie_secret("fedcba9876543210fedcba9876543210");
        let visitor = app.visitor().at(other.address);
        let page = visitor.gives_password(&ada.email).await;
        visitor.gives_code(&page, &device.next_code()).await.is(422);
        visitor.gives_recovery_code(&page, &device.recovery_codes[0]).await.is(303);
    });
}

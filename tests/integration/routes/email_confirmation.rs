//! `/email/confirmation`: a link that only the reader of the mailbox has, and a button that works once.

use chrono::TimeDelta;
use reqwest::Method;

use crate::{
    on_both,
    support::{
        app::App,
        client::{Answer, Visitor},
        member::{Member, sign_up_form},
    },
};

const ADA: &str = "ada@example.com";

on_both! {
    links_that_do_not_work_say_what_to_do,
    opening_a_link_changes_nothing,
    a_button_on_another_site_confirms_nothing,
    the_button_confirms_once,
    a_link_works_without_a_session_and_gives_none,
    somebody_else_who_is_signed_in_stays_who_they_are,
    the_newest_link_is_the_only_one,
    mails_are_not_sent_as_often_as_somebody_likes,
    whoever_is_confirmed_gets_no_mail,
    hosts_of_strangers_do_not_come_into_links,
    the_database_never_holds_what_was_mailed,
    a_mail_that_waited_for_its_server_has_a_link_that_works,
    the_mail_and_the_page_speak_the_language_of_the_account,
}

async fn ada(app: &App) -> Member {
    app.asks_new_people();
    Member::sign_up(app, ADA).await
}

async fn is_confirmed(member: &Member) -> bool {
    member.me().await["user"]["email_confirmed"].as_bool().unwrap()
}

/// Pages whose address is a secret are kept by nobody and told to nobody.
fn is_secretive(answer: Answer) -> Answer {
    assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    answer
}

async fn does_not_work(visitor: &Visitor, link: &str) {
    is_secretive(visitor.get(link).await.is(404).says("This link does not work any more").says("Log in"));
    is_secretive(visitor.post(link, &[]).await.is(404).says("This link does not work any more"));
}

async fn links_that_do_not_work_say_what_to_do(app: App) {
    let ada = ada(&app).await;
    let long = "a".repeat(5_000);
    for nonsense in ["x", "%00", "..%2f", "%ff%fe", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG", &long] {
        let link = format!("/email/confirmation/{nonsense}");
        let answer = app.visitor().get(&link).await;
        assert!(answer.status == 404, "{nonsense}: {}", answer.status);
        assert_eq!(app.visitor().post(&link, &[]).await.status, 404, "{nonsense}");
    }
    let link = app.mailed_link(ADA).await;
    app.advance(TimeDelta::days(3) - TimeDelta::seconds(1));
    app.visitor().get(&link).await.is(200);
    app.advance(TimeDelta::seconds(1));
    does_not_work(&app.visitor(), &link).await;
    assert!(!is_confirmed(&ada).await);
}

async fn opening_a_link_changes_nothing(app: App) {
    let ada = ada(&app).await;
    let link = app.mailed_link(ADA).await;
    for _ in 0..3 {
        let page = is_secretive(app.visitor().get(&link).await.is(200).says(ADA).says("<form method=\"post\">"));
        page.keeps_quiet_about(App::token_of(&link));
        app.visitor().send(Method::HEAD, &link, |request| request).await.is(200);
    }
    for method in [Method::PUT, Method::DELETE] {
        app.visitor().send(method, &link, |request| request).await.is(405);
    }
    assert!(!is_confirmed(&ada).await);
    app.visitor().post(&link, &[]).await.is(200);
    assert!(is_confirmed(&ada).await);
}

async fn a_button_on_another_site_confirms_nothing(app: App) {
    let ada = ada(&app).await;
    let link = app.mailed_link(ADA).await;
    for visitor in [ada.copy(), app.visitor()] {
        let posted = visitor.send(Method::POST, &link, |request| {
            request.header("Sec-Fetch-Site", "cross-site").header("Origin", "https://evil.example")
        });
        posted.await.is(403);
    }
    assert!(!is_confirmed(&ada).await);
    // A browser that tells nobody where a form was names no origin either.
    let posted = ada
        .send(Method::POST, &link, |request| request.header("Sec-Fetch-Site", "same-origin").header("Origin", "null"));
    posted.await.is(303);
    assert!(is_confirmed(&ada).await);
}

async fn the_button_confirms_once(app: App) {
    let ada = ada(&app).await;
    ada.get("/account").await.is(200).says("not confirmed").says("Send the mail again");
    ada.reads().await;
    let link = app.mailed_link(ADA).await;
    let answer = is_secretive(ada.post(&link, &[]).await.is(303));
    assert_eq!(answer.location().unwrap(), "/account?address-confirmed");
    let account = ada.follow(answer).await.is(200).says("Your e-mail address is confirmed.");
    account.keeps_quiet_about("not confirmed");
    assert!(is_confirmed(&ada).await);
    does_not_work(&ada, &link).await;
    assert_eq!(app.database.count("tokens", "1 = 1"), 0);
}

async fn a_link_works_without_a_session_and_gives_none(app: App) {
    let ada = ada(&app).await;
    let link = app.mailed_link(ADA).await;
    let stranger = app.visitor();
    is_secretive(
        stranger.post(&link, &[]).await.is(200).says("Your e\u{2011}mail address is confirmed").says("/login"),
    );
    assert!(is_confirmed(&ada).await);
    assert!(stranger.cookies().is_empty());
    stranger.get_json("/api/v1/me").await.is(401);
}

async fn somebody_else_who_is_signed_in_stays_who_they_are(app: App) {
    let bob = app.member().await;
    let ada = ada(&app).await;
    let link = app.mailed_link(ADA).await;
    bob.post(&link, &[]).await.is(200);
    assert!(is_confirmed(&ada).await && !is_confirmed(&bob).await);
    assert_eq!(bob.me().await["user"]["email"], bob.email.as_str());
}

async fn the_newest_link_is_the_only_one(app: App) {
    let ada = ada(&app).await;
    let first = app.mailed_link(ADA).await;
    app.advance(TimeDelta::minutes(1));
    let answer = ada.post("/email/confirmation", &[]).await.is(303);
    ada.follow(answer).await.is(200).says("We have sent you another mail");
    let second = app.mailed_link(ADA).await;
    assert_ne!(first, second);
    does_not_work(&app.visitor(), &first).await;
    app.visitor().post(&second, &[]).await.is(200);
    assert!(is_confirmed(&ada).await);
}

async fn mails_are_not_sent_as_often_as_somebody_likes(app: App) {
    let ada = ada(&app).await;
    app.visitor().post("/email/confirmation", &[]).await.is(303).keeps_quiet_about("mail-sent");
    app.advance(TimeDelta::seconds(59));
    let refused = ada.post("/email/confirmation", &[]).await.is(429).says("We have just sent you a mail");
    assert_eq!(refused.header("retry-after"), Some("2"));
    for _ in 0..4 {
        app.advance(TimeDelta::minutes(1));
        ada.post("/email/confirmation", &[]).await.is(303);
    }
    app.advance(TimeDelta::hours(23));
    let refused = ada.send(Method::POST, "/email/confirmation", |request| request.header("Accept", "application/json"));
    assert_eq!(refused.await.is(429).json()["code"], "TOO_MANY_MAILS");
    assert_eq!(app.outbox().await.len(), 5);
    app.advance(TimeDelta::hours(1));
    ada.post("/email/confirmation", &[]).await.is(303);
    assert_eq!(app.outbox().await.len(), 6);
}

async fn whoever_is_confirmed_gets_no_mail(app: App) {
    let ada = ada(&app).await;
    ada.post(&app.mailed_link(ADA).await, &[]).await.is(303);
    app.advance(TimeDelta::hours(1));
    assert_eq!(ada.post("/email/confirmation", &[]).await.is(303).location().unwrap(), "/account");
    assert_eq!(app.outbox().await.len(), 1);
}

async fn hosts_of_strangers_do_not_come_into_links(app: App) {
    app.asks_new_people();
    for (number, (name, value)) in [
        ("Host", "evil.example"),
        ("X-Forwarded-Host", "evil.example"),
        ("Forwarded", "host=evil.example;proto=https"),
        ("X-Forwarded-Proto", "https"),
        ("X-Original-Host", "evil.example"),
    ]
    .into_iter()
    .enumerate()
    {
        let email = format!("ada{number}@example.com");
        let form = sign_up_form(&email);
        let posted =
            app.visitor().send(Method::POST, "/signup", |request| request.header(name, value).form(&form)).await;
        assert!(posted.status == 303, "{name}: {}", posted.status);
        app.mailed_link(&email).await;
    }
    for mail in app.outbox().await {
        assert!(!mail.text.contains("evil") && !mail.html.contains("evil") && !mail.text.contains("https:"));
    }
}

async fn the_database_never_holds_what_was_mailed(app: App) {
    ada(&app).await;
    let link = app.mailed_link(ADA).await;
    for table in ["tokens", "mails", "users", "sessions"] {
        let rows = app.database.dump(table, &[]);
        assert!(!rows.is_empty(), "{table}");
        assert!(!rows.contains(App::token_of(&link)), "{table} has the token");
    }
}

async fn a_mail_that_waited_for_its_server_has_a_link_that_works(app: App) {
    std::fs::write(app.outbox_folder(), "a file where the folder should be").unwrap();
    let ada = ada(&app).await;
    app.eventually("the failure", || async { app.database.count("mails", "error IS NOT NULL") == 1 }).await;
    std::fs::remove_file(app.outbox_folder()).unwrap();
    app.advance(TimeDelta::days(4));
    assert_eq!(app.run_jobs().await.mails_sent, 1);
    ada.post(&app.mailed_link(ADA).await, &[]).await.is(303);
    assert!(is_confirmed(&ada).await);
}

async fn the_mail_and_the_page_speak_the_language_of_the_account(app: App) {
    app.asks_new_people();
    let (visitor, form) = (app.visitor(), sign_up_form(ADA));
    let chinese = ("Accept-Language", "zh-CN,zh;q=0.9");
    let signed_up =
        visitor.send(Method::POST, "/signup", |request| request.header(chinese.0, chinese.1).form(&form)).await;
    signed_up.is(303);
    let link = app.mailed_link(ADA).await;
    let [mail] = app.outbox().await.try_into().unwrap();
    assert_eq!(mail.subject, "请确认您的邮箱");
    visitor.get(&link).await.is(200).says("确认您的邮箱");
    app.visitor().get(&link).await.is(200).says("Confirm your e\u{2011}mail address");
}

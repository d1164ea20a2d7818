//! `/password/reset`: who reads the mailbox sets a new password, and nobody learns who has an account.

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use reqwest::Method;

use crate::{
    on_both,
    support::{
        app::App,
        client::Answer,
        device::Device,
        member::{Member, PASSWORD},
    },
};

const ADA: &str = "ada@example.com";
const NEW: &str = "seven green kettles on a barge";
const PAGE: &str = "/password/reset/";

on_both! {
    what_is_no_address_is_refused_and_what_is_none_of_ours_looks_like_any_other,
    it_takes_as_long_for_a_stranger,
    look_alikes_get_nobody_elses_mail,
    a_link_works_once_for_an_hour_and_only_the_newest,
    a_link_is_good_for_nothing_else_and_looking_uses_nothing_up,
    a_guessable_password_is_refused_and_the_link_still_works,
    a_stranger_who_asks_on_neither_fills_the_mailbox_nor_leaves_it_without_a_good_link,
    nobody_waits_for_the_mail,
    who_deleted_the_account_gets_no_mail,
    one_place_can_not_ask_without_end,
    links_lead_to_our_site_whatever_the_headers_say,
    all_sessions_end_and_nobody_is_signed_in_by_it,
    a_second_factor_is_still_asked_for,
    what_guards_an_account_that_a_stranger_made_does_not_keep_the_reader_of_its_address_out,
    a_wish_for_another_address_does_not_outlive_the_password,
    of_ten_posts_at_once_one_sets_the_password,
}

async fn asks(app: &App, email: &str) -> Answer {
    app.visitor().post("/password/reset", &[("email", email)]).await
}

/// The mail is queued after the answer; nothing tells when it was not.
async fn what_follows_the_answer() {
    tokio::time::sleep(Duration::from_millis(25)).await;
}

async fn sets(app: &App, link: &str, password: &str) -> Answer {
    app.visitor().post(link, &[("password", password)]).await
}

async fn what_is_no_address_is_refused_and_what_is_none_of_ours_looks_like_any_other(app: App) {
    Member::sign_up(&app, ADA).await;
    for email in ["", "nobody", "a@b@c.example", "x\0@example.com", "x@example.com\r\nBcc: y@example.com"] {
        asks(&app, email).await.is(422).says("email-error");
    }
    app.visitor().post_raw("/password/reset", "email=%ED%A0%80@example.com").await.is(422);
    let known = asks(&app, ADA).await.is(200).text().replace(ADA, "ADDRESS");
    let unknown = asks(&app, "eve@example.org").await.is(200).text().replace("eve@example.org", "ADDRESS");
    assert_eq!(known, unknown);
    app.reset_link(ADA, 1).await;
    assert!(app.outbox().await.iter().all(|mail| mail.to == [ADA]));
    app.visitor().get("/login").await.is(200).says("href=\"/password/reset\"");
}

async fn it_takes_as_long_for_a_stranger(app: App) {
    Member::sign_up(&app, ADA).await;
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..30 {
        // Past the limits of mails and of one place.
        app.advance(TimeDelta::hours(6));
        for (email, times) in [ADA.to_owned(), format!("eve{round}@example.org")].iter().zip(&mut times) {
            let visitor = app.visitor();
            let start = Instant::now();
            visitor.post("/password/reset", &[("email", email)]).await.is(200);
            times.push(start.elapsed());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    // The quickest tell most: what disturbs the others is no part of the work.
    let [known, unknown] = times.map(|mut times| {
        times.sort();
        times[times.len() / 4]
    });
    assert!(known.abs_diff(unknown) < Duration::from_millis(4), "known {known:?}, unknown {unknown:?}");
}

async fn look_alikes_get_nobody_elses_mail(app: App) {
    let (_mike, _kate) =
        (Member::sign_up(&app, "mike@example.com").await, Member::sign_up(&app, "kate@example.com").await);
    for alike in ["\u{212A}ate@example.com", "m\u{131}ke@example.com", "m\u{130}ke@example.com", "ｋate@example.com"] {
        let answer = asks(&app, alike).await;
        assert!(matches!(answer.status, 200 | 422), "{alike}: {answer:?}");
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(app.outbox().await.is_empty(), "somebody got a mail");
    // Another case is the same mailbox, and its owner's own spelling is the one that is written to.
    asks(&app, "KATE@Example.com").await.is(200);
    app.reset_link("kate@example.com", 1).await;
}

async fn a_link_works_once_for_an_hour_and_only_the_newest(app: App) {
    Member::sign_up(&app, ADA).await;
    for unknown in ["x", "A", &"a".repeat(5_000), "..%2F..", "%00"] {
        app.visitor().get(&format!("{PAGE}{unknown}")).await.is(404);
        sets(&app, &format!("{PAGE}{unknown}"), NEW).await.is(404);
    }
    asks(&app, ADA).await.is(200);
    let first = app.reset_link(ADA, 1).await;
    app.advance(TimeDelta::minutes(2));
    asks(&app, ADA).await.is(200);
    let second = app.reset_link(ADA, 2).await;
    assert_ne!(first, second);
    sets(&app, &first, NEW).await.is(404).says("does not work any more");
    app.advance(TimeDelta::hours(1));
    app.visitor().get(&second).await.is(404);
    sets(&app, &second, NEW).await.is(404);
    assert_eq!(app.log_in_status(ADA, PASSWORD).await, 303);
    asks(&app, ADA).await.is(200);
    let third = app.reset_link(ADA, 3).await;
    app.advance(TimeDelta::minutes(59));
    sets(&app, &third, NEW).await.is(303);
    sets(&app, &third, "another good one, surely 9").await.is(404);
    assert_eq!((app.log_in_status(ADA, PASSWORD).await, app.log_in_status(ADA, NEW).await), (422, 303));
}

async fn a_link_is_good_for_nothing_else_and_looking_uses_nothing_up(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    app.asks_new_people();
    asks(&app, ADA).await.is(200);
    let link = app.reset_link(ADA, 1).await;
    let token = App::token_of(&link);
    assert_eq!(token.len(), 43, "32 bytes");
    assert_eq!(app.database.count("tokens", &format!("token_hash = '{token}'")), 0, "only its hash is kept");
    app.visitor().get(&format!("/email/confirmation/{token}")).await.is(404);
    app.visitor().post(&format!("/email/confirmation/{token}"), &[]).await.is(404);
    for _ in 0..3 {
        let page = app.visitor().get(&link).await.is(200).says("autocomplete=\"new-password\"");
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(page.header("cache-control"), Some("private, no-store"));
        page.keeps_quiet_about(token);
    }
    app.visitor().send(Method::HEAD, &link, |request| request).await.is(200);
    let elsewhere = app.visitor();
    let forged = elsewhere
        .send(Method::POST, &link, |request| request.header("Sec-Fetch-Site", "cross-site").form(&[("password", NEW)]))
        .await;
    assert_eq!(forged.status, 403);
    // Mass assignment: the form has one field.
    let more = [("password", NEW), ("role", "admin"), ("email", "eve@example.org"), ("id", "2")];
    let done = app.visitor().post(&link, &more).await.is(303);
    assert_eq!(
        (done.location().unwrap(), done.header("referrer-policy")),
        ("/login?new-password".to_owned(), Some("no-referrer"))
    );
    ada.post("/login", &[("email", ADA), ("password", NEW)]).await.is(303);
    let me = ada.me().await;
    assert_eq!((me["user"]["role"].as_str(), me["user"]["email"].as_str()), (Some("user"), Some(ADA)));
    assert_eq!(me["user"]["email_confirmed"], true, "whoever has the link reads the mailbox");
}

async fn a_guessable_password_is_refused_and_the_link_still_works(app: App) {
    Member::sign_up(&app, ADA).await;
    asks(&app, ADA).await.is(200);
    let link = app.reset_link(ADA, 1).await;
    for password in ["", "short", "Ada Lovelace 1815", "lovelaceada", &"x".repeat(129), "a\0b good enough 77"] {
        sets(&app, &link, password).await.is(422).says("password-error");
    }
    sets(&app, &link, &"x".repeat(60_000)).await.is(422);
    app.visitor().post(&link, &[("password", &"x".repeat(5_000_000))]).await.is(413);
    sets(&app, &link, NEW).await.is(303);
}

async fn a_stranger_who_asks_on_neither_fills_the_mailbox_nor_leaves_it_without_a_good_link(app: App) {
    Member::sign_up(&app, ADA).await;
    let sent = || app.database.count("mails", "cause LIKE 'password_reset:%'");
    for _ in 0..3 {
        asks(&app, ADA).await.is(200).says("a mail with a link is on its way");
    }
    app.reset_link(ADA, 1).await;
    for minute in 1..=12 * 60 {
        app.advance(TimeDelta::minutes(1));
        if minute % 5 != 0 {
            continue;
        }
        asks(&app, ADA).await.is(200).says("a mail with a link is on its way");
        what_follows_the_answer().await;
        if minute % 60 == 0 {
            let link = app.mailed_link_to(ADA, PAGE).await;
            app.visitor().get(&link).await.is(200);
        }
    }
    assert!((15..=22).contains(&sent()), "{} mails in twelve hours", sent());
    // The owner's own wish, right after the stranger's.
    asks(&app, ADA).await.is(200);
    what_follows_the_answer().await;
    let link = app.mailed_link_to(ADA, PAGE).await;
    sets(&app, &link, NEW).await.is(303);
    assert_eq!(app.log_in_status(ADA, NEW).await, 303);
}

async fn nobody_waits_for_the_mail(app: App) {
    Member::sign_up(&app, ADA).await;
    let held = app.database.hold_writes("mails");
    let visitor = app.visitor();
    let asked = visitor.post("/password/reset", &[("email", ADA)]);
    let answer = tokio::time::timeout(Duration::from_secs(2), asked).await.expect("the answer waits for a write");
    answer.is(200);
    drop(held);
    app.reset_link(ADA, 1).await;
}

async fn who_deleted_the_account_gets_no_mail(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    ada.post("/account/deletion", &[("password", PASSWORD)]).await.is(200);
    let before = app.outbox().await.len();
    asks(&app, ADA).await.is(200).says("a mail with a link is on its way");
    what_follows_the_answer().await;
    assert_eq!(app.outbox().await.len(), before);
    assert_eq!(app.database.count("mails", "cause LIKE 'password_reset:%'"), 0);
}

async fn one_place_can_not_ask_without_end(app: App) {
    for number in 0..30 {
        asks(&app, &format!("eve{number}@example.org")).await.is(200);
    }
    let refused = asks(&app, ADA).await.is(429);
    assert!(refused.header("retry-after").is_some());
    app.advance(TimeDelta::minutes(1));
    asks(&app, ADA).await.is(200);
}

async fn links_lead_to_our_site_whatever_the_headers_say(app: App) {
    Member::sign_up(&app, ADA).await;
    app.visitor()
        .send(Method::POST, "/password/reset", |request| {
            request
                .header("Host", "evil.example")
                .header("X-Forwarded-Host", "evil.example")
                .header("X-Forwarded-Proto", "https")
                .header("Forwarded", "host=evil.example;proto=https")
                .form(&[("email", ADA)])
        })
        .await;
    app.reset_link(ADA, 1).await;
    for mail in app.outbox().await {
        assert!(!mail.text.contains("evil") && !mail.html.contains("evil"), "{mail:?}");
    }
}

async fn all_sessions_end_and_nobody_is_signed_in_by_it(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let stolen = ada.copy();
    asks(&app, ADA).await.is(200);
    let link = app.reset_link(ADA, 1).await;
    let setter = app.visitor();
    let done = setter.post(&link, &[("password", NEW)]).await.is(303);
    setter.follow(done).await.is(200).says("Your new password is set");
    assert_eq!(setter.get_json("/api/v1/me").await.status, 401);
    for dead in [&ada.copy(), &stolen] {
        dead.get("/account").await.is(303);
        assert_eq!(dead.get_json("/api/v1/me").await.status, 401);
    }
    assert_eq!(app.database.count("sessions", "1 = 1"), 0);
    assert_eq!(app.log_in_status(ADA, NEW).await, 303);
    let told = app.outbox().await.iter().filter(|mail| mail.subject == "Your password was changed").count();
    assert_eq!(told, 1);
}

async fn a_second_factor_is_still_asked_for(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let device = Device::of(&app, &ada).await;
    asks(&app, ADA).await.is(200);
    let link = app.reset_link(ADA, 1).await;
    sets(&app, &link, NEW).await.is(303);
    let visitor = app.visitor();
    let page = visitor.post("/login", &[("email", ADA), ("password", NEW)]).await.is(200).says("one-time-code");
    assert!(!visitor.is_signed_in().await);
    app.advance(TimeDelta::minutes(1));
    visitor.gives_code(&page, &device.code()).await.is(303);
    assert!(visitor.is_signed_in().await);
}

async fn what_guards_an_account_that_a_stranger_made_does_not_keep_the_reader_of_its_address_out(app: App) {
    let eve = Member::sign_up(&app, ADA).await;
    let device = Device::of(&app, &eve).await;
    app.database.execute("UPDATE users SET email_confirmed_at = NULL");
    asks(&app, ADA).await.is(200);
    let link = app.reset_link(ADA, 1).await;
    sets(&app, &link, NEW).await.is(303);
    let ada = app.visitor();
    ada.post("/login", &[("email", ADA), ("password", NEW)]).await.is(303);
    assert!(ada.is_signed_in().await && !eve.is_signed_in().await);
    assert_eq!(app.database.count("second_factors", "1 = 1") + app.database.count("recovery_codes", "1 = 1"), 0);
    ada.get("/account").await.is(200).keeps_quiet_about(&device.recovery_codes[0]);
}

/// Whoever knew the old password must not get the account by a link that was asked for with it.
async fn a_wish_for_another_address_does_not_outlive_the_password(app: App) {
    for by_mail in [true, false] {
        let ada = app.member().await;
        let wish = [("email", "thief@example.org"), ("password", PASSWORD)];
        ada.post("/account/email", &wish).await.is(303);
        let link = app.mailed_link_to("thief@example.org", "/email/confirmation/").await;
        app.visitor().get(&link).await.is(200);
        if by_mail {
            asks(&app, &ada.email).await.is(200);
            let reset = app.reset_link(&ada.email, 1).await;
            sets(&app, &reset, NEW).await.is(303);
        } else {
            let fields = [("current_password", PASSWORD), ("password", NEW)];
            ada.post("/account/password", &fields).await.is(303);
        }
        app.visitor().get(&link).await.is(404);
        app.visitor().post(&link, &[]).await.is(404);
        assert_eq!(app.database.count("users", "email_pending IS NOT NULL"), 0, "by mail: {by_mail}");
        assert_eq!(app.database.count("users", "email = 'thief@example.org'"), 0, "by mail: {by_mail}");
    }
}

async fn of_ten_posts_at_once_one_sets_the_password(app: App) {
    Member::sign_up(&app, ADA).await;
    asks(&app, ADA).await.is(200);
    let link = app.reset_link(ADA, 1).await;
    let passwords: Vec<String> = (0..10).map(|number| format!("{NEW} {number}")).collect();
    let posts = passwords.iter().map(|password| sets(&app, &link, password));
    let answers = futures_util::future::join_all(posts).await;
    let done: Vec<_> = answers.iter().zip(&passwords).filter(|(answer, _)| answer.status == 303).collect();
    assert_eq!(done.len(), 1, "{:?}", answers.iter().map(|answer| answer.status).collect::<Vec<_>>());
    assert_eq!(app.log_in_status(ADA, done[0].1).await, 303);
}

//! `/account/password`: who knows the present password sets another one.

use crate::{
    on_both,
    support::{
        app::App,
        client::Answer,
        member::{Member, PASSWORD},
    },
};

const ADA: &str = "ada@example.com";
const NEW: &str = "seven green kettles on a barge";

on_both! {
    who_is_not_signed_in_or_does_not_know_it_changes_nothing,
    wrong_passwords_are_limited,
    a_guessable_password_is_refused_with_the_reason,
    every_other_session_ends_and_this_one_has_a_new_cookie,
    what_was_begun_with_the_old_password_is_worthless,
}

async fn changes(member: &Member, current: &str, new: &str) -> Answer {
    member.post("/account/password", &[("current_password", current), ("password", new)]).await
}

async fn who_is_not_signed_in_or_does_not_know_it_changes_nothing(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    app.visitor().get("/account/password").await.is(303);
    app.visitor().post("/account/password", &[("current_password", PASSWORD), ("password", NEW)]).await.is(303);
    let form = ada.get("/account/password").await.is(200).says("autocomplete=\"current-password\"");
    form.says("autocomplete=\"new-password\"").says("autocomplete=\"username\"");
    for (current, new, fields) in [
        ("", NEW, vec!["current_password-error"]),
        ("not my password, no", NEW, vec!["current_password-error"]),
        (NEW, NEW, vec!["current_password-error"]),
        (PASSWORD, "", vec!["password-error"]),
        (PASSWORD, "short", vec!["password-error"]),
        (PASSWORD, PASSWORD, vec!["password-error"]),
        ("", "short", vec!["current_password-error", "password-error"]),
    ] {
        let page = changes(&ada, current, new).await.is(422).says("role=\"alert\"").keeps_quiet_about(NEW);
        for field in &fields {
            assert!(page.text().contains(field), "{current:?} {new:?}: no {field}");
        }
    }
    // The person is the one of the session, whatever the form says.
    let bob = app.member().await;
    let foreign = [("email", ADA), ("id", "1"), ("current_password", PASSWORD), ("password", NEW)];
    bob.post("/account/password", &foreign).await.is(303);
    assert_eq!((app.log_in_status(ADA, NEW).await, app.log_in_status(ADA, PASSWORD).await), (422, 303));
}

async fn wrong_passwords_are_limited(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    for _ in 0..10 {
        changes(&ada, "a wrong one, really", NEW).await.is(422);
    }
    assert!(changes(&ada, PASSWORD, NEW).await.is(429).header("retry-after").is_some());
    app.advance(chrono::TimeDelta::minutes(2));
    changes(&ada, PASSWORD, NEW).await.is(303);
}

async fn a_guessable_password_is_refused_with_the_reason(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    for (password, reason) in [
        ("Ada Lovelace 1815", "your own name"),
        ("password123456", "many people use"),
        ("aaaaaaaaaaaaaaaa", "repeats itself"),
    ] {
        changes(&ada, PASSWORD, password).await.is(422).says(reason);
    }
    assert_eq!(app.log_in_status(ADA, PASSWORD).await, 303);
}

async fn every_other_session_ends_and_this_one_has_a_new_cookie(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let elsewhere = app.visitor();
    elsewhere.post("/login", &[("email", ADA), ("password", PASSWORD)]).await.is(303);
    let stolen = ada.copy();
    let done = changes(&ada, PASSWORD, NEW).await.is(303);
    assert_eq!(done.location().unwrap(), "/account?new-password");
    ada.follow(done).await.is(200).says("Your password is changed");
    for dead in [&elsewhere, &stolen] {
        dead.get("/account").await.is(303);
        assert_eq!(dead.get_json("/api/v1/me").await.status, 401);
    }
    assert_eq!(app.database.count("sessions", "1 = 1"), 1);
    assert_eq!((app.log_in_status(ADA, PASSWORD).await, app.log_in_status(ADA, NEW).await), (422, 303));
    let mails = app.outbox().await;
    let told: Vec<_> = mails.iter().filter(|mail| mail.subject == "Your password was changed").collect();
    assert_eq!((told.len(), told[0].to.as_slice()), (1, &[ADA.to_owned()][..]));
    assert!(!told[0].text.contains(NEW) && told[0].text.contains("/password/reset"), "{}", told[0].text);
}

async fn what_was_begun_with_the_old_password_is_worthless(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    app.visitor().post("/password/reset", &[("email", ADA)]).await.is(200);
    let link = app.reset_link(ADA, 1).await;
    changes(&ada, PASSWORD, NEW).await.is(303);
    app.visitor().get(&link).await.is(404);
    app.visitor().post(&link, &[("password", "another good one, surely 9")]).await.is(404);
    assert_eq!(app.log_in_status(ADA, NEW).await, 303);
}

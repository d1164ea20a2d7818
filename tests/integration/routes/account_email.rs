//! `/account/email`: another address counts when its reader has confirmed it, and nobody learns whose it is.

use chrono::TimeDelta;
use turnpike::store::tokens::{self, Purpose, Token};

use crate::{
    on_both,
    support::{
        app::App,
        client::Answer,
        member::{Member, PASSWORD},
    },
};

const ADA: &str = "ada@example.com";
const NEW: &str = "countess@example.org";

on_both! {
    what_is_no_address_and_no_password_is_refused_at_its_field,
    wrong_passwords_are_limited_and_close_no_log_in,
    look_alikes_are_refused_or_are_addresses_of_their_own,
    nothing_changes_until_the_new_address_is_confirmed,
    the_old_address_is_told_and_its_links_are_worthless,
    a_wish_that_was_withdrawn_has_a_link_that_does_not_work,
    a_later_wish_replaces_the_earlier_one,
    an_address_of_somebody_else_looks_like_any_other,
    of_two_who_want_one_address_the_first_gets_it,
    an_address_that_got_an_account_meanwhile_stays_there,
    another_address_gives_no_second_trial,
    another_spelling_of_ones_own_address_is_a_change_too,
    mails_are_limited_whoever_has_the_address,
}

async fn wishes(member: &Member, email: &str) -> Answer {
    member.post("/account/email", &[("email", email), ("password", PASSWORD)]).await
}

async fn what_is_no_address_and_no_password_is_refused_at_its_field(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    app.visitor().get("/account/email").await.is(303);
    app.visitor().post("/account/email", &[("email", NEW), ("password", PASSWORD)]).await.is(303);
    let form = ada.get("/account/email").await.is(200).says("autocomplete=\"current-password\"").says(ADA);
    form.says("autocomplete=\"email\"");
    for (email, password, fields) in [
        (NEW, "", vec!["password-error"]),
        (NEW, "wrong password, wrong", vec!["password-error"]),
        ("", PASSWORD, vec!["email-error"]),
        ("nobody", "", vec!["email-error", "password-error"]),
        ("a@b@c.example", PASSWORD, vec!["email-error"]),
        ("x@example.com\r\nBcc: y@example.com", PASSWORD, vec!["email-error"]),
        ("x\0@example.com", PASSWORD, vec!["email-error"]),
        (ADA, PASSWORD, vec!["email-error"]),
    ] {
        let page = ada.post("/account/email", &[("email", email), ("password", password)]).await.is(422);
        for field in &fields {
            assert!(page.text().contains(field), "{email:?} {password:?}: no {field}");
        }
        page.says("role=\"alert\"").keeps_quiet_about(PASSWORD).keeps_quiet_about("wrong password, wrong");
    }
    let kept = ada.post("/account/email", &[("email", NEW), ("password", "x")]).await.is(422);
    kept.says(&format!("value=\"{NEW}\""));
    assert_eq!(app.database.count("users", "email_pending IS NOT NULL"), 0);
    assert!(app.outbox().await.is_empty());
}

async fn wrong_passwords_are_limited_and_close_no_log_in(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    for _ in 0..10 {
        ada.post("/account/email", &[("email", NEW), ("password", "a wrong one, really")]).await.is(422);
    }
    let refused = wishes(&ada, NEW).await.is(429);
    assert!(refused.header("retry-after").is_some());
    assert_eq!(app.log_in_status(ADA, PASSWORD).await, 303);
    assert_eq!(app.database.count("users", "email_pending IS NOT NULL"), 0);
}

async fn look_alikes_are_refused_or_are_addresses_of_their_own(app: App) {
    let (_mike, _kate) =
        (Member::sign_up(&app, "mike@example.com").await, Member::sign_up(&app, "kate@example.com").await);
    let ada = Member::sign_up(&app, ADA).await;
    for refused in ["\u{212A}ate@example.com", "ſam@example.com", "ｋate@example.com"] {
        wishes(&ada, refused).await.is(422).says("email-error");
    }
    // A dotless i is another letter, and so another mailbox: its own reader is asked, not the look-alike's owner.
    for other in ["mıke@example.com", "mİke@example.com"] {
        wishes(&ada, other).await.is(303);
        let mails = app.outbox().await;
        assert_eq!(mails.last().unwrap().to, [other]);
    }
    assert!(app.outbox().await.iter().all(|mail| mail.to != ["mike@example.com"] && mail.to != ["kate@example.com"]));
    // The same domain in another spelling is the same address: its owner is told.
    wishes(&ada, "kate@EXAMPLE.c\u{FF4F}m").await.is(303);
    let mails = app.outbox().await;
    assert_eq!((mails.last().unwrap().to.as_slice(), mails.len()), (&["kate@example.com".to_owned()][..], 3));
}

async fn nothing_changes_until_the_new_address_is_confirmed(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let answer = wishes(&ada, NEW).await.is(303);
    assert_eq!(answer.location().unwrap(), "/account?address-asked");
    let account = ada.follow(answer).await.is(200).says("We have sent a mail to the new address").says(NEW);
    account.says("Keep the old one");
    let link = app.mailed_link(NEW).await;
    app.visitor().get(&link).await.is(200).says(NEW);
    assert_eq!(ada.me().await["user"]["email"], ADA);
    assert_eq!((app.log_in_status(ADA, PASSWORD).await, app.log_in_status(NEW, PASSWORD).await), (303, 422));

    assert_eq!(ada.post(&link, &[]).await.is(303).location().unwrap(), "/account?address-changed");
    let me = ada.me().await;
    assert_eq!((&me["user"]["email"], &me["user"]["email_confirmed"]), (&NEW.into(), &true.into()));
    assert_eq!((app.log_in_status(ADA, PASSWORD).await, app.log_in_status(NEW, PASSWORD).await), (422, 303));
    let account = ada.get("/account?address-changed").await.is(200).says("Your e-mail address is changed.").says(NEW);
    account.keeps_quiet_about("Keep the old one").keeps_quiet_about(ADA);
    ada.post(&link, &[]).await.is(404);
}

async fn the_old_address_is_told_and_its_links_are_worthless(app: App) {
    app.asks_new_people();
    let ada = Member::sign_up(&app, ADA).await;
    let old_link = app.mailed_link(ADA).await;
    let (user, now) = (app.database.number("SELECT id FROM users").unwrap(), app.now());
    let reset = Token { user_id: user, email: None };
    let ends = now + TimeDelta::hours(1);
    let kept = move |conn: &mut _| tokens::insert(conn, "hash", Purpose::PasswordReset, &reset, now, ends);
    app.store.write(kept).await.unwrap();
    wishes(&ada, NEW).await.is(303);
    ada.post(&app.mailed_link(NEW).await, &[]).await.is(303);

    let told = app.outbox().await.into_iter().next_back().unwrap();
    assert_eq!(
        (told.to.as_slice(), told.subject.as_str()),
        (&[ADA.to_owned()][..], "The e-mail address of your account has changed")
    );
    assert!(told.text.contains("If that was not you") && !told.text.contains(NEW), "{}", told.text);
    ada.get(&old_link).await.is(404);
    ada.post(&old_link, &[]).await.is(404);
    assert_eq!(app.database.count("tokens", "1 = 1"), 0);
}

async fn a_wish_that_was_withdrawn_has_a_link_that_does_not_work(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    wishes(&ada, NEW).await.is(303);
    let link = app.mailed_link(NEW).await;
    let answer = ada.post("/account/email/withdrawal", &[]).await.is(303);
    ada.follow(answer).await.is(200).says("Your account keeps its e-mail address.").keeps_quiet_about(NEW);
    ada.get(&link).await.is(404);
    ada.post(&link, &[]).await.is(404);
    assert_eq!(ada.me().await["user"]["email"], ADA);
    // A mail that still waits when its wish is withdrawn is not sent at all.
    std::fs::rename(app.outbox_folder(), app.outbox_folder().with_extension("away")).unwrap();
    std::fs::write(app.outbox_folder(), "a file where the folder should be").unwrap();
    wishes(&ada, NEW).await.is(303);
    app.eventually("the failure", || async { app.database.count("mails", "error IS NOT NULL") == 1 }).await;
    ada.post("/account/email/withdrawal", &[]).await.is(303);
    std::fs::remove_file(app.outbox_folder()).unwrap();
    app.advance(TimeDelta::hours(1));
    assert_eq!(app.run_jobs().await.mails_sent, 0);
    assert!(app.outbox().await.is_empty());
    assert_eq!(app.database.count("mails", "due_at IS NULL AND sent_at IS NULL"), 1);
}

async fn a_later_wish_replaces_the_earlier_one(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    wishes(&ada, "counntess@example.org").await.is(303);
    let mistyped = app.mailed_link("counntess@example.org").await;
    wishes(&ada, NEW).await.is(303);
    let link = app.mailed_link(NEW).await;
    app.visitor().post(&mistyped, &[]).await.is(404);
    ada.post(&link, &[]).await.is(303);
    assert_eq!(ada.me().await["user"]["email"], NEW);
}

async fn an_address_of_somebody_else_looks_like_any_other(app: App) {
    let (ada, bob) = (Member::sign_up(&app, ADA).await, Member::sign_up(&app, "bob@example.com").await);
    let mut seen = Vec::new();
    for wanted in ["BOB@example.com", "free@example.com"] {
        let answer = wishes(&ada, wanted).await.is(303);
        let target = answer.location().unwrap();
        let page = ada.follow(answer).await.is(200).says(wanted).text();
        seen.push((target, page.replace(wanted, "…")));
    }
    assert_eq!(seen[0], seen[1]);
    let [told, asked] = app.outbox().await.try_into().unwrap();
    assert_eq!((told.to, asked.to), (vec![bob.email.clone()], vec!["free@example.com".to_owned()]));
    assert_eq!(told.subject, "Somebody wants to use your e-mail address");
    assert!(!told.text.contains("/email/confirmation/") && !told.text.contains(ADA), "{}", told.text);
    assert_eq!(bob.me().await["user"]["email"], "bob@example.com");
}

async fn of_two_who_want_one_address_the_first_gets_it(app: App) {
    let (ada, bob) = (Member::sign_up(&app, ADA).await, Member::sign_up(&app, "bob@example.com").await);
    wishes(&ada, NEW).await.is(303);
    let first = app.mailed_link(NEW).await;
    app.advance(TimeDelta::seconds(1));
    wishes(&bob, NEW).await.is(303);
    let second = app.mailed_link(NEW).await;
    assert_ne!(first, second);
    let (one, other) = (app.visitor(), app.visitor());
    let both = tokio::join!(one.post(&second, &[]), other.post(&first, &[]));
    let mut statuses = [both.0.status, both.1.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    assert_eq!(app.database.count("users", &format!("email_canonical = '{NEW}'")), 1);
    assert_eq!(app.database.count("users", "email_pending IS NOT NULL"), 0);
}

async fn an_address_that_got_an_account_meanwhile_stays_there(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    wishes(&ada, NEW).await.is(303);
    let link = app.mailed_link(NEW).await;
    let other = Member::sign_up(&app, NEW).await;
    ada.post(&link, &[]).await.is(409).says("This address belongs to another account");
    assert_eq!(ada.me().await["user"]["email"], ADA);
    assert_eq!(other.me().await["user"]["email"], NEW);
    ada.post(&link, &[]).await.is(404);
}

async fn another_address_gives_no_second_trial(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    wishes(&ada, NEW).await.is(303);
    ada.post(&app.mailed_link(NEW).await, &[]).await.is(303);
    assert_eq!(ada.me().await["access"]["granted"], true, "the trial goes on");
    let again = Member::sign_up(&app, ADA).await;
    assert_eq!(again.me().await["access"]["reason"], "never_subscribed");
    // Nor when the account is gone.
    app.forget_everybody();
    for email in [ADA, NEW, "COUNTESS@EXAMPLE.ORG"] {
        let again = Member::sign_up(&app, email).await;
        assert_eq!(again.me().await["access"]["granted"], false, "{email}");
        app.forget_everybody();
    }
}

async fn another_spelling_of_ones_own_address_is_a_change_too(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    wishes(&ada, "Ada@Example.com").await.is(303);
    ada.post(&app.mailed_link("Ada@example.com").await, &[]).await.is(303);
    assert_eq!(ada.me().await["user"]["email"], "Ada@Example.com");
    assert_eq!(app.log_in_status(ADA, PASSWORD).await, 303);
}

async fn mails_are_limited_whoever_has_the_address(app: App) {
    let (ada, _bob) = (Member::sign_up(&app, ADA).await, Member::sign_up(&app, "bob@example.com").await);
    for number in 0..5 {
        let wanted = if number % 2 == 0 { "bob@example.com".to_owned() } else { format!("free{number}@example.com") };
        wishes(&ada, &wanted).await.is(303);
    }
    for wanted in ["bob@example.com", "free9@example.com"] {
        wishes(&ada, wanted).await.is(429).says("Enough mails for today");
    }
    assert_eq!(app.outbox().await.len(), 5);
    app.advance(TimeDelta::days(1));
    wishes(&ada, "free9@example.com").await.is(303);
}

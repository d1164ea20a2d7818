//! `/account/email`: another address counts when its reader has confirmed it, and nobody learns whose it is.

use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};
use turnpike::store::tokens::{self, Purpose, Token};

use crate::{
    on_both,
    support::{
        app::App,
        client::Answer,
        member::{Member, PASSWORD},
        outbox::Mail,
    },
};

const ADA: &str = "ada@example.com";
const NEW: &str = "countess@example.org";

on_both! {
    what_is_no_address_and_no_password_is_refused_at_its_field,
    wrong_passwords_are_limited_and_close_no_log_in,
    look_alikes_are_refused_or_are_addresses_of_their_own,
    nothing_changes_until_the_new_address_is_confirmed,
    the_present_address_is_told_of_the_wish,
    the_present_address_is_told_also_when_the_mail_waits_until_it_is_the_old_one,
    stripe_sends_receipts_to_the_new_address,
    without_stripe_the_address_changes_all_the_same,
    the_old_address_is_told_and_its_links_are_worthless,
    a_wish_that_was_withdrawn_has_a_link_that_does_not_work,
    a_later_wish_replaces_the_earlier_one,
    an_address_of_somebody_else_looks_like_any_other,
    of_two_who_want_one_address_the_first_gets_it,
    an_address_that_got_an_account_meanwhile_stays_there,
    another_address_gives_no_second_trial,
    another_spelling_of_ones_own_address_is_a_change_too,
    mails_are_limited_whoever_has_the_address,
    many_accounts_together_fill_no_mailbox,
}

/// All but those that tell the present address of the wish.
async fn mails(app: &App) -> Vec<Mail> {
    let all = app.outbox().await.into_iter();
    all.filter(|mail| mail.subject != "Another e-mail address is wanted for your account").collect()
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
    assert!(mails(&app).await.is_empty());
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
        let mails = mails(&app).await;
        assert_eq!(mails.last().unwrap().to, [other]);
    }
    assert!(mails(&app).await.iter().all(|mail| mail.to != ["mike@example.com"] && mail.to != ["kate@example.com"]));
    // The same domain in another spelling is the same address: its owner is told.
    wishes(&ada, "kate@EXAMPLE.c\u{FF4F}m").await.is(303);
    let mails = mails(&app).await;
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

async fn the_present_address_is_told_of_the_wish(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    ada.post("/account/email", &[("email", NEW), ("password", "a wrong one, really")]).await.is(422);
    assert!(app.outbox().await.is_empty());
    wishes(&ada, NEW).await.is(303);
    let told: Vec<Mail> = app.outbox().await.into_iter().filter(|mail| mail.to == [ADA]).collect();
    let [told] = told.as_slice() else { panic!("{told:#?}") };
    assert_eq!(told.subject, "Another e-mail address is wanted for your account");
    assert!(told.text.contains("/account/password") && !told.text.contains(NEW), "{}", told.text);
    // What it says to do helps.
    let link = app.mailed_link(NEW).await;
    let another = "seven green kettles on a barge";
    ada.post("/account/password", &[("current_password", PASSWORD), ("password", another)]).await.is(303);
    app.visitor().post(&link, &[]).await.is(404);
}

async fn the_present_address_is_told_also_when_the_mail_waits_until_it_is_the_old_one(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    std::fs::write(app.outbox_folder(), "a file where the folder would be").unwrap();
    wishes(&ada, NEW).await.is(303);
    app.eventually("the failures", || async { app.database.count("mails", "error IS NOT NULL") == 2 }).await;
    app.database.execute(&format!("UPDATE users SET email = '{NEW}', email_canonical = '{NEW}'"));
    std::fs::remove_file(app.outbox_folder()).unwrap();
    app.advance(TimeDelta::hours(1));
    app.run_jobs().await;
    let told = app.outbox().await.into_iter().filter(|mail| mail.subject.starts_with("Another e-mail address"));
    let told: Vec<Vec<String>> = told.map(|mail| mail.to).collect();
    assert_eq!(told, [[ADA]]);
}

async fn stripe_sends_receipts_to_the_new_address(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    ada.opens_checkout("monthly").await;
    let customer = app.database.text("SELECT stripe_customer_id FROM users").unwrap();
    let path = format!("/v1/customers/{customer}");
    let address = || async { app.sandbox(Method::GET, &path, Value::Null).await["email"].clone() };
    assert_eq!(address().await, ADA);
    // Back again is a new wish, too.
    for wanted in [NEW, ADA, NEW] {
        wishes(&ada, wanted).await.is(303);
        ada.post(&app.mailed_link(wanted).await, &[]).await.is(303);
        app.eventually("the new address at Stripe", || async { address().await == wanted }).await;
    }
}

async fn without_stripe_the_address_changes_all_the_same(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    ada.opens_checkout("monthly").await;
    wishes(&ada, NEW).await.is(303);
    let link = app.mailed_link(NEW).await;
    app.stripe_fails(json!({"path_prefix": "/v1/customers", "status": 500, "times": 100})).await;
    ada.post(&link, &[]).await.is(303);
    assert_eq!(ada.me().await["user"]["email"], NEW);
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

    let told = mails(&app).await.into_iter().next_back().unwrap();
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
    app.eventually("the failure", || async { app.database.count("mails", "error IS NOT NULL") == 2 }).await;
    ada.post("/account/email/withdrawal", &[]).await.is(303);
    std::fs::remove_file(app.outbox_folder()).unwrap();
    app.advance(TimeDelta::hours(1));
    assert_eq!(app.run_jobs().await.mails_sent, 1, "the one that tells of the wish");
    assert!(mails(&app).await.is_empty());
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
    let [told, asked] = mails(&app).await.try_into().unwrap();
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

async fn many_accounts_together_fill_no_mailbox(app: App) {
    let _bob = Member::sign_up(&app, "bob@example.com").await;
    for wanted in ["bob@example.com", "free@example.com"] {
        for spelling in [wanted, &wanted.to_uppercase(), wanted, wanted, wanted] {
            wishes(&app.member().await, spelling).await.is(303);
            mails(&app).await;
        }
        let eve = app.member().await;
        let refused = wishes(&eve, wanted).await.is(429).says("This address has had enough mails for now");
        assert_eq!(refused.header("retry-after"), Some("3601"));
        wishes(&eve, &format!("other-{wanted}")).await.is(303);
    }
    let to = |all: &[Mail], wanted: &str| all.iter().filter(|mail| mail.to[0].eq_ignore_ascii_case(wanted)).count();
    let all = mails(&app).await;
    assert_eq!((to(&all, "bob@example.com"), to(&all, "free@example.com")), (5, 5));
    app.advance(TimeDelta::hours(1));
    wishes(&app.member().await, "bob@example.com").await.is(303);
    wishes(&app.member().await, "bob@example.com").await.is(429);
}

async fn mails_are_limited_whoever_has_the_address(app: App) {
    let (ada, _bob) = (Member::sign_up(&app, ADA).await, Member::sign_up(&app, "bob@example.com").await);
    for number in 0..5 {
        let wanted = if number % 2 == 0 { "bob@example.com".to_owned() } else { format!("free{number}@example.com") };
        wishes(&ada, &wanted).await.is(303);
        // A mail that still waits when another address is wanted is not sent at all.
        mails(&app).await;
    }
    for wanted in ["bob@example.com", "free9@example.com"] {
        wishes(&ada, wanted).await.is(429).says("Enough mails for today");
    }
    assert_eq!(mails(&app).await.len(), 5);
    app.advance(TimeDelta::days(1));
    wishes(&ada, "free9@example.com").await.is(303);
}

//! Whoever guesses passwords is slowed down; the owner of the account is not kept out.

use chrono::TimeDelta;
use futures_util::future::join_all;
use reqwest::Method;

use crate::support::{
    app::{App, Setup},
    client::{Answer, Visitor},
    database::Engine,
    member::{Member, PASSWORD},
};

const ADA: &str = "ada@example.com";
const WRONG: &str = "not the password at all";
const NEW: &str = "seven green kettles on a barge";
const STRANGER: &str = "198.51.100.7";
const HOME: &str = "203.0.113.5";

/// On both engines, behind a proxy that says who sends a request.
macro_rules! behind_a_proxy {
    ($($name:ident),+ $(,)?) => { $(
        mod $name {
            use super::{Engine, Setup};

            #[test]
            fn sqlite() {
                Setup::on(Engine::Sqlite).with("TURNPIKE_TRUSTED_PROXIES", "127.0.0.1").run(super::$name);
            }

            #[test]
            fn postgres() {
                Setup::on(Engine::Postgres).with("TURNPIKE_TRUSTED_PROXIES", "127.0.0.1").run(super::$name);
            }
        }
    )+ };
}

behind_a_proxy! {
    guessing_at_one_account_is_slowed_down_from_everywhere,
    guesses_at_once_do_not_outrun_the_limits,
    a_stranger_who_guesses_on_keeps_nobody_out_of_a_known_browser,
    a_stranger_at_the_same_address_keeps_nobody_out_of_a_known_browser,
    a_mark_is_worth_nothing_after_the_password_has_changed,
    a_new_browser_gets_in_by_mail_while_a_stranger_guesses_on,
    a_mark_of_another_account_is_worth_nothing,
    a_stranger_who_guesses_keeps_nobody_from_changes_in_the_account,
    a_storm_of_log_ins_is_told_to_come_back_and_everybody_else_is_served,
}

impl Visitor {
    async fn logs_in_from(&self, address: &str, email: &str, password: &str) -> Answer {
        self.send(Method::POST, "/login", |request| {
            request.header("X-Forwarded-For", address).form(&[("email", email), ("password", password)])
        })
        .await
    }
}

/// Uses up what the account forgives, and what is forgiven until now.
async fn guess_until_slowed_down(app: &App) -> Answer {
    for _ in 0..20 {
        let answer = app.visitor().logs_in_from(STRANGER, ADA, WRONG).await;
        if answer.status == 429 {
            return answer;
        }
        answer.is(422);
    }
    panic!("twenty wrong guesses, and no 429");
}

async fn guessing_at_one_account_is_slowed_down_from_everywhere(app: App) {
    Member::sign_up(&app, ADA).await;
    Member::sign_up(&app, "bob@example.com").await;
    let refused = guess_until_slowed_down(&app).await;
    let seconds: i64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=61).contains(&seconds), "{seconds}");
    refused.says("Try again in ").says("href=\"/password/reset\"");
    app.visitor().logs_in_from("198.51.100.8", ADA, PASSWORD).await.is(429);
    app.visitor().logs_in_from(STRANGER, "bob@example.com", PASSWORD).await.is(303);
    app.advance(TimeDelta::seconds(seconds));
    app.visitor().logs_in_from("198.51.100.8", ADA, PASSWORD).await.is(303);
}

async fn guesses_at_once_do_not_outrun_the_limits(app: App) {
    Member::sign_up(&app, ADA).await;
    let tried = |address: String, email: String| {
        let visitor = app.visitor();
        async move { visitor.logs_in_from(&address, &email, WRONG).await.status }
    };
    let at_ada = join_all((0..60).map(|number| tried(format!("192.0.2.{number}"), ADA.to_owned()))).await;
    let from_one = join_all((0..90).map(|number| tried(STRANGER.to_owned(), format!("p{number}@example.com")))).await;
    let heard = |statuses: &[u16]| statuses.iter().filter(|&&status| status == 422).count();
    assert_eq!(heard(&at_ada), 10, "{at_ada:?}");
    assert_eq!(heard(&from_one), 30, "{from_one:?}");
}

async fn a_stranger_who_guesses_on_keeps_nobody_out_of_a_known_browser(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    guess_until_slowed_down(&app).await;
    for _ in 0..60 {
        app.advance(TimeDelta::minutes(1));
        // The stranger is always the first.
        guess_until_slowed_down(&app).await;
        ada.post("/logout", &[]).await.is(303);
        ada.logs_in_from(HOME, ADA, PASSWORD).await.is(303);
    }
    // Whoever sits at that browser guesses no faster than anyone.
    ada.post("/logout", &[]).await.is(303);
    let statuses = join_all((0..12).map(|_| ada.logs_in_from(HOME, ADA, WRONG))).await;
    assert_eq!(statuses.iter().filter(|answer| answer.status == 422).count(), 10);
}

async fn a_stranger_at_the_same_address_keeps_nobody_out_of_a_known_browser(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let new = app.visitor();
    let spoil = async || {
        let tries = (0..40).map(|number| (app.visitor(), format!("p{number}@example.com")));
        join_all(tries.map(|(visitor, email)| async move { visitor.logs_in_from(HOME, &email, WRONG).await.status }))
            .await
    };
    assert!(spoil().await.contains(&429));
    ada.post("/logout", &[]).await.is(303);
    new.logs_in_from(HOME, ADA, PASSWORD).await.is(429);
    ada.logs_in_from(HOME, ADA, PASSWORD).await.is(303);
    ada.logs_in_from(HOME, "p1@example.com", WRONG).await.is(429);
    new.post("/password/reset", &[("email", ADA)]).await.is(200);
    let link = app.reset_link(ADA, 1).await;
    new.post(&link, &[("password", NEW)]).await.is(303);
    assert!(spoil().await.contains(&429));
    new.logs_in_from(HOME, ADA, NEW).await.is(303);
}

/// Whoever got into the account once must not guess at the new password apart from all others.
async fn a_mark_is_worth_nothing_after_the_password_has_changed(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let eve = app.visitor();
    eve.logs_in_from(STRANGER, ADA, PASSWORD).await.is(303);
    let fields = [("current_password", PASSWORD), ("password", NEW)];
    ada.post("/account/password", &fields).await.is(303);
    guess_until_slowed_down(&app).await;
    eve.logs_in_from("198.51.100.9", ADA, WRONG).await.is(429);
    ada.post("/logout", &[]).await.is(303);
    ada.logs_in_from(HOME, ADA, NEW).await.is(303);
}

async fn a_new_browser_gets_in_by_mail_while_a_stranger_guesses_on(app: App) {
    Member::sign_up(&app, ADA).await;
    let (new, another) = (app.visitor(), app.visitor());
    guess_until_slowed_down(&app).await;
    new.logs_in_from(HOME, ADA, PASSWORD).await.is(429);
    new.post("/password/reset", &[("email", ADA)]).await.is(200);
    let link = app.reset_link(ADA, 1).await;
    new.post(&link, &[("password", NEW)]).await.is(303);
    // The mail may have been opened in another browser than the one that is wanted.
    another.logs_in_from(HOME, ADA, NEW).await.is(303);
    for _ in 0..10 {
        guess_until_slowed_down(&app).await;
        new.logs_in_from(HOME, ADA, NEW).await.is(303);
        new.post("/logout", &[]).await.is(303);
        app.advance(TimeDelta::minutes(1));
    }
}

async fn a_mark_of_another_account_is_worth_nothing(app: App) {
    Member::sign_up(&app, ADA).await;
    let bob = Member::sign_up(&app, "bob@example.com").await;
    bob.post("/logout", &[]).await.is(303);
    guess_until_slowed_down(&app).await;
    bob.logs_in_from(HOME, ADA, WRONG).await.is(429);
    bob.logs_in_from(HOME, ADA, PASSWORD).await.is(429);
    bob.logs_in_from(HOME, "bob@example.com", PASSWORD).await.is(303);
}

async fn a_stranger_who_guesses_keeps_nobody_from_changes_in_the_account(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    guess_until_slowed_down(&app).await;
    ada.post("/account/password", &[("current_password", PASSWORD), ("password", NEW)]).await.is(303);
    // A session that somebody found open is no place for guessing either.
    let mut heard = 0;
    for _ in 0..15 {
        let form = [("current_password", WRONG), ("password", "another good one, surely 9")];
        heard += i32::from(ada.post("/account/password", &form).await.status == 422);
    }
    assert_eq!(heard, 10);
}

async fn a_storm_of_log_ins_is_told_to_come_back_and_everybody_else_is_served(app: App) {
    let ada = Member::sign_up(&app, ADA).await;
    let storm = (0..240).map(|number| {
        let visitor = app.visitor();
        async move {
            let (address, email) = (format!("192.0.2.{number}"), format!("p{number}@example.com"));
            visitor.logs_in_from(&address, &email, WRONG).await
        }
    });
    let calm = async {
        for _ in 0..20 {
            ada.get("/premium/how-access-is-decided").await.is(200);
        }
    };
    let (answers, ()) = tokio::join!(join_all(storm), calm);
    let refused: Vec<&Answer> = answers.iter().filter(|answer| answer.status != 422).collect();
    assert!(!refused.is_empty(), "all of 240 log-ins at once were heard");
    for answer in refused {
        assert_eq!(answer.status, 503, "{}", answer.text());
        assert!(answer.header("retry-after").is_some_and(|seconds| seconds.parse::<u32>().is_ok()));
        assert!(answer.text().contains("<h1"), "{}", answer.text());
    }
    // What ours refused to hear is nobody's failure.
    for number in 0..240 {
        let (address, email) = (format!("192.0.2.{number}"), format!("p{number}@example.com"));
        app.visitor().logs_in_from(&address, &email, WRONG).await.is(422);
        if number % 40 == 0 {
            ada.get("/account").await.is(200);
        }
    }
}

#[test]
fn no_proxy_is_made_up() {
    Setup::on(Engine::Sqlite).run(|app| async move {
        Member::sign_up(&app, ADA).await;
        // Nobody trusts this peer, so what it says of others counts for nothing.
        for number in 0..30 {
            let email = format!("p{number}@example.com");
            app.visitor().logs_in_from(&format!("203.0.113.{number}"), &email, WRONG).await.is(422);
        }
        app.visitor().logs_in_from("203.0.113.99", ADA, PASSWORD).await.is(429);
    });
}

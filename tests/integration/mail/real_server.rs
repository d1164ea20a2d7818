//! Mails to a mail server that is not ours (aiosmtpd): encrypted, with a password, refused, and never answered.

use std::time::Duration;

use chrono::TimeDelta;

use super::payment_failed;
use crate::support::{
    app::{App, Setup},
    database::Engine,
    mail_server::MailServer,
};

fn with_mail<F: Future<Output = ()>>(server: &MailServer, url: &str, body: impl FnOnce(App) -> F) {
    let authority = server.authority().display().to_string();
    Setup::on(Engine::Sqlite).with("TURNPIKE_MAIL", url).with("TURNPIKE_MAIL_CA", &authority).run(body);
}

async fn is_put_off(app: App, reason: &str) {
    let ada = app.member().await;
    app.queues_unseen(&ada, "payment_failed:in_1", &payment_failed(None));
    assert_eq!(app.mailer().await.send_due().await.unwrap().failed, 1);
    assert_eq!(app.database.text("SELECT error FROM mails").unwrap(), reason);
    assert_eq!(app.mails_that("due_at IS NOT NULL AND sent_at IS NULL"), 1, "nothing is lost");
}

#[test]
fn a_certificate_of_an_unknown_authority_gets_neither_mail_nor_password() {
    for manner in ["tls", "starttls"] {
        let (server, other) = (MailServer::start(manner), MailServer::start(manner));
        let authority = other.authority().display().to_string();
        Setup::on(Engine::Sqlite)
            .with("TURNPIKE_MAIL", &server.url("ada:hunter%2F2@"))
            .with("TURNPIKE_MAIL_CA", &authority)
            .run(|app| is_put_off(app, "the connection to the mail server can't be encrypted"));
        assert!(server.mails().is_empty());
    }
}

#[test]
fn a_wrong_password_is_the_operators_matter_and_loses_nothing() {
    let server = MailServer::start("tls");
    with_mail(&server, &server.url("ada:hunter3@"), |app| is_put_off(app, "the mail server answered 535"));
    assert!(server.mails().is_empty());
}

#[test]
fn a_person_whom_the_server_does_not_know_is_tried_three_times() {
    let server = MailServer::start("refuses");
    with_mail(&server, &server.url(""), |app| async move {
        let ada = app.member().await;
        app.queues_unseen(&ada, "payment_failed:in_1", &payment_failed(None));
        let mailer = app.mailer().await;
        for _ in 0..3 {
            assert_eq!(mailer.send_due().await.unwrap().failed, 1);
            app.advance(TimeDelta::days(1));
        }
        assert_eq!(mailer.send_due().await.unwrap().failed, 0);
        assert_eq!(app.database.text("SELECT error FROM mails").unwrap(), "the mail server answered 550");
    });
}

#[test]
fn a_server_that_never_answers_holds_nobody_up_and_loses_nothing() {
    let server = MailServer::start("hangs");
    with_mail(&server, &server.url(""), |app| async move {
        let ada = app.member().await;
        app.queues(&ada, "payment_failed:in_1", payment_failed(None)).await;
        app.eventually("the try", || async { app.mails_that("attempts = 1") == 1 }).await;
        let within = tokio::time::timeout(Duration::from_secs(5), ada.get("/account")).await;
        within.expect("a page while the mail server hangs").is(200);
        assert_eq!(app.mails_that("due_at IS NOT NULL AND sent_at IS NULL"), 1);
    });
}

#[test]
fn mails_reach_it_encrypted_and_with_the_password() {
    for manner in ["tls", "starttls"] {
        let server = MailServer::start(manner);
        let taken = &server;
        with_mail(&server, &server.url("ada:hunter%2F2@"), |app| async move {
            let ada = app.member().await;
            app.queues(&ada, "payment_failed:in_1", payment_failed(None)).await;
            app.eventually("the mail", || async { app.mails_that("sent_at IS NOT NULL") == 1 }).await;
            let mails = taken.mails();
            let mail = mails.iter().find(|mail| mail.subject == "Your payment did not go through").unwrap();
            assert_eq!(mail.to.as_slice(), std::slice::from_ref(&ada.email));
            assert!(mail.file.ends_with("-tls.eml"), "{manner}: {}", mail.file);
        });
    }
}

#[test]
fn a_relay_on_this_machine_needs_neither() {
    let server = MailServer::start("plain");
    let taken = &server;
    with_mail(&server, &server.url(""), |app| async move {
        let ada = app.member().await;
        app.queues(&ada, "payment_failed:in_1", payment_failed(None)).await;
        app.eventually("the mail", || async { !taken.mails().is_empty() }).await;
    });
}

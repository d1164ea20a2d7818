//! Mails by SMTP.

use std::{net::TcpListener, time::Duration};

use chrono::TimeDelta;

use super::payment_failed;
use crate::support::{
    app::{App, Setup},
    database::Engine,
    smtp::{Manner, SmtpServer},
};

fn with_mail<F: Future<Output = ()>>(url: &str, body: impl FnOnce(App) -> F) {
    Setup::on(Engine::Sqlite).with("TURNPIKE_MAIL", url).run(body);
}

#[test]
fn an_address_that_nobody_has_is_tried_three_times_and_not_repeated_in_the_log() {
    let server = SmtpServer::start(Manner::RefusesThePerson);
    with_mail(&server.url(), |app| async move {
        let ada = app.member().await;
        app.queues_unseen(&ada, "payment_failed:in_1", &payment_failed(None));
        let mailer = app.mailer().await;
        for attempt in 1..=3 {
            assert_eq!(mailer.send_due().await.unwrap().failed, 1, "{attempt}");
            app.advance(TimeDelta::days(1));
        }
        assert_eq!(mailer.send_due().await.unwrap().failed, 0);
        assert_eq!(app.mails_that("due_at IS NULL AND sent_at IS NULL"), 1);
        assert_eq!(app.database.text("SELECT error FROM mails").unwrap(), "the mail server answered 550");
    });
    assert!(server.mails().is_empty());
}

#[test]
fn a_password_that_is_refused_is_the_operators_matter() {
    let server = SmtpServer::start(Manner::RefusesThePassword);
    let url = format!("smtp://ada:hunter2@{}", server.address);
    let caught = server.clone();
    with_mail(&url, |app| async move {
        let ada = app.member().await;
        app.queues_unseen(&ada, "payment_failed:in_1", &payment_failed(None));
        let mailer = app.mailer().await;
        for _ in 1..=4 {
            assert_eq!(mailer.send_due().await.unwrap().failed, 1);
            app.advance(TimeDelta::days(1));
        }
        assert_eq!(app.database.text("SELECT error FROM mails").unwrap(), "the mail server answered 535");
        caught.becomes(Manner::Takes);
        assert_eq!(mailer.send_due().await.unwrap().sent, 1);
    });
    assert_eq!(server.mails().len(), 1);
}

#[test]
fn nothing_is_said_in_clear_where_encryption_is_asked_for() {
    let server = SmtpServer::start(Manner::Takes);
    for url in [
        format!("smtp://ada:hunter2@{}?tls=required", server.address),
        format!("smtps://ada:hunter2@{}", server.address),
    ] {
        with_mail(&url, |app| async move {
            let ada = app.member().await;
            app.queues(&ada, "payment_failed:in_1", payment_failed(None)).await;
            app.eventually("the failure", || async { app.mails_that("error IS NOT NULL AND due_at IS NOT NULL") == 1 })
                .await;
        });
    }
    let said = server.said();
    assert!(
        server.mails().is_empty() && !said.iter().any(|line| line.contains("AUTH") || line.contains("MAIL")),
        "{said:?}"
    );
}

#[test]
fn a_server_that_is_down_gets_the_mail_when_it_is_up() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    with_mail(&format!("smtp://{closed}"), |app| async move {
        let ada = app.member().await;
        for number in 0..8 {
            app.queues_unseen(&ada, &format!("payment_failed:in_{number}"), &payment_failed(None));
        }
        assert_eq!(app.mailer().await.send_due().await.unwrap().failed, 5, "who does not answer is left alone");
        let error = app.database.text("SELECT max(error) FROM mails").unwrap();
        assert_eq!(error, "the mail server can't be reached: connection refused");
        assert_eq!(app.mails_that("attempts = 0 AND due_at IS NOT NULL"), 3);
    });
}

#[test]
fn a_mail_reaches_the_server_with_the_operators_password() {
    let server = SmtpServer::start(Manner::Takes);
    let url = format!("smtp://ada%40example.com:hunter%2F2@{}", server.address);
    let caught = server.clone();
    with_mail(&url, |app| async move {
        let ada = app.member().await;
        app.queues(&ada, "payment_failed:in_1", payment_failed(None)).await;
        app.eventually("the mail", || async { app.mails_that("sent_at IS NOT NULL") == 1 }).await;
        let [mail] = caught.mails().try_into().unwrap();
        assert_eq!(
            (mail.to.as_slice(), mail.subject.as_str()),
            (&[ada.email.clone()][..], "Your payment did not go through")
        );
        assert!(mail.text.contains("€9.00") && mail.html.contains("€9.00"), "{mail:?}");
        let said = caught.said();
        let credentials = data_encoding::BASE64.encode(b"\0ada@example.com\0hunter/2");
        for line in ["EHLO 127.0.0.1", &format!("AUTH PLAIN {credentials}"), &format!("RCPT TO:<{}>", ada.email)] {
            assert!(said.iter().any(|said| said == line), "{line}: {said:?}");
        }
    });
}

#[test]
fn a_server_that_stops_finishes_the_mail_that_is_under_way() {
    let server = SmtpServer::start(Manner::TakesSlowly(Duration::from_secs(2)));
    let caught = server.clone();
    with_mail(&server.url(), |app| async move {
        let ada = app.member().await;
        for number in 0..3 {
            app.queues_unseen(&ada, &format!("payment_failed:in_{number}"), &payment_failed(None));
        }
        let second = app.second_server();
        app.eventually("the first mail", || async { caught.said().iter().any(|line| line == "DATA") }).await;
        drop(second);
        assert_eq!(caught.mails().len(), 1);
        assert_eq!(app.mails_that("sent_at IS NOT NULL"), 1, "it was sent, and that was not noted");
        assert_eq!(app.mails_that("attempts = 0 AND due_at IS NOT NULL"), 2, "the others are not where they were");
    });
}

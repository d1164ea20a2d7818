//! Mails as files.

use std::fs;

use super::{LEASE, payment_failed};
use crate::{
    on_both,
    support::{app::App, outbox},
};

on_both! {
    a_folder_that_can_not_be_written_loses_nothing,
    a_mail_that_is_sent_again_after_a_crash_is_still_one_file,
    what_is_told_comes_as_a_mail,
}

async fn a_folder_that_can_not_be_written_loses_nothing(app: App) {
    let ada = app.member().await;
    fs::write(app.outbox_folder(), "a file where the folder should be").unwrap();
    app.queues(&ada, "payment_failed:in_1", payment_failed(None)).await;
    app.eventually("the failure", || async { app.mails_that("error IS NOT NULL") == 1 }).await;
    assert_eq!(app.mails_that("sent_at IS NULL AND due_at IS NOT NULL AND attempts = 1"), 1);
    let error = app.database.text("SELECT error FROM mails").unwrap();
    assert!(error.starts_with("the outbox can't be written: ") && !error.contains('@'), "{error}");

    fs::remove_file(app.outbox_folder()).unwrap();
    app.advance(chrono::TimeDelta::seconds(59));
    assert_eq!(app.run_jobs().await.mails_waiting, 1);
    assert_eq!(outbox::names(&app.outbox_folder()), [""; 0], "tried before its time");
    app.advance(chrono::TimeDelta::seconds(1));
    let report = app.run_jobs().await;
    assert_eq!((report.mails_sent, report.mails_waiting), (1, 0));
    assert_eq!(app.outbox().await.len(), 1);
    assert_eq!(app.mails_that("sent_at IS NOT NULL AND due_at IS NULL AND error IS NULL AND attempts = 2"), 1);
}

async fn a_mail_that_is_sent_again_after_a_crash_is_still_one_file(app: App) {
    let ada = app.member().await;
    app.queues(&ada, "payment_failed:in_1", payment_failed(None)).await;
    let [first] = app.outbox().await.try_into().unwrap();
    // As if the process had died after the file was written and before that was noted.
    let lease_end = (app.now() + LEASE).timestamp_micros();
    app.database.execute(&format!("UPDATE mails SET sent_at = NULL, due_at = {lease_end}"));
    app.advance(LEASE);
    assert_eq!(app.run_jobs().await.mails_sent, 1);
    let [second] = app.outbox().await.try_into().unwrap();
    assert_eq!((&second.file, &second.message_id), (&first.file, &first.message_id));
    assert_eq!(second.date - first.date, LEASE.num_seconds());
    assert_eq!(outbox::names(&app.outbox_folder()), [second.file], "something is left over");
}

async fn what_is_told_comes_as_a_mail(app: App) {
    let ada = app.member().await;
    let again = app.now() + chrono::TimeDelta::days(3);
    app.queues(&ada, "payment_failed:in_1", payment_failed(Some(again))).await;
    let [mail] = app.outbox().await.try_into().unwrap();
    assert_eq!((mail.from.as_str(), mail.to.as_slice()), ("turnpike@localhost", &[ada.email.clone()][..]));
    assert_eq!(mail.subject, "Your payment did not go through");
    assert_eq!(mail.date, app.now().timestamp());
    assert!(mail.head.contains("\r\nAuto-Submitted: auto-generated\r\n"), "{}", mail.head);
    let account = format!("http://{}/account", app.address);
    for words in ["Hello Ada,", "€9.00", "Monthly", "3 September 2026, 12:15 CEST", &account] {
        assert!(mail.text.contains(words) && mail.html.contains(words), "{words}: {}", mail.text);
    }
    ada.get("/account").await.is(200);
}

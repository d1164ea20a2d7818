//! The queue: every cause once, nothing lost, nothing twice.

use chrono::TimeDelta;
use turnpike::store::{StoreError, mails};

use super::{LEASE, payment_failed};
use crate::{on_both, support::app::App};

on_both! {
    a_transaction_that_fails_tells_nobody,
    the_same_cause_is_told_once,
    a_mail_goes_with_its_person,
    two_senders_at_once_send_each_mail_once,
    a_sender_that_died_keeps_a_mail_for_ten_minutes,
    what_another_process_queued_is_sent_at_the_start,
    a_mail_of_a_later_version_waits_for_it,
    a_mail_is_given_up_in_the_end,
    many_mails_are_sent_in_the_order_in_which_they_were_queued,
}

async fn a_transaction_that_fails_tells_nobody(app: App) {
    let ada = app.member().await;
    let (user, now) = (app.row_of(&ada), app.now());
    let failed = app.store.write(move |conn| {
        mails::queue(conn, user, "payment_failed:in_1", &payment_failed(None), now)?;
        Err::<(), _>(StoreError::Refused("something else went wrong".to_owned()))
    });
    assert!(failed.await.is_err());
    assert_eq!(app.mails_that("1 = 1"), 0);
    assert_eq!(app.run_jobs().await.mails_sent, 0);
    assert!(app.outbox().await.is_empty());
}

async fn the_same_cause_is_told_once(app: App) {
    let (ada, bob) = (app.member().await, app.member().await);
    assert!(app.queues(&ada, "payment_failed:in_1", payment_failed(None)).await);
    assert!(!app.queues(&ada, "payment_failed:in_1", payment_failed(None)).await);
    assert_eq!(app.outbox().await.len(), 1);
    // Also when it was told long ago.
    app.advance(TimeDelta::days(20));
    assert!(!app.queues(&ada, "payment_failed:in_1", payment_failed(None)).await);
    assert!(app.queues(&bob, "payment_failed:in_2", payment_failed(None)).await);
    app.run_jobs().await;
    let [first, second] = app.outbox().await.try_into().unwrap();
    assert_eq!((first.to, second.to), (vec![ada.email.clone()], vec![bob.email.clone()]));
}

async fn a_mail_goes_with_its_person(app: App) {
    let ada = app.member().await;
    app.queues_unseen(&ada, "payment_failed:in_1", &payment_failed(None));
    app.forget_everybody();
    assert_eq!(app.mails_that("1 = 1"), 0);
    assert_eq!(app.run_jobs().await.mails_sent, 0);
    assert!(app.outbox().await.is_empty());
}

async fn two_senders_at_once_send_each_mail_once(app: App) {
    let ada = app.member().await;
    for number in 0..24 {
        app.queues_unseen(&ada, &format!("payment_failed:in_{number}"), &payment_failed(None));
    }
    let (first, second, third) = (app.mailer().await, app.mailer().await, app.mailer().await);
    let rounds = tokio::join!(first.send_due(), second.send_due(), third.send_due());
    let sent = [rounds.0, rounds.1, rounds.2].map(|round| round.unwrap().sent);
    assert_eq!(sent.iter().sum::<usize>(), 24, "{sent:?}");
    assert!(sent.iter().filter(|sent| **sent > 0).count() > 1, "they did not work at the same time: {sent:?}");
    assert_eq!(app.mails_that("attempts = 1 AND sent_at IS NOT NULL AND due_at IS NULL"), 24);
    assert_eq!(app.outbox().await.len(), 24);
}

async fn a_sender_that_died_keeps_a_mail_for_ten_minutes(app: App) {
    let ada = app.member().await;
    app.queues_unseen(&ada, "payment_failed:in_1", &payment_failed(None));
    let now = app.now();
    let taken = app.store.write(move |conn| mails::claim(conn, now, now + LEASE)).await.unwrap();
    assert_eq!(taken.unwrap().attempts, 1);
    app.advance(LEASE - TimeDelta::seconds(1));
    assert_eq!(app.run_jobs().await.mails_sent, 0);
    app.advance(TimeDelta::seconds(1));
    assert_eq!(app.run_jobs().await.mails_sent, 1);
    assert_eq!(app.outbox().await.len(), 1);
}

async fn what_another_process_queued_is_sent_at_the_start(app: App) {
    let ada = app.member().await;
    app.queues_unseen(&ada, "payment_failed:in_1", &payment_failed(None));
    let _second = app.second_server();
    assert_eq!(app.outbox().await.len(), 1);
}

async fn a_mail_of_a_later_version_waits_for_it(app: App) {
    let ada = app.member().await;
    app.queues_unseen(&ada, "moon:1", &payment_failed(None));
    app.database.execute("UPDATE mails SET notice = '{\"kind\":\"full_moon\"}'");
    app.queues(&ada, "payment_failed:in_1", payment_failed(None)).await;
    assert_eq!(app.outbox().await.len(), 1, "it stands in the way of the others");
    assert_eq!(app.mails_that("error IS NOT NULL AND due_at IS NOT NULL AND cause = 'moon:1'"), 1);
}

async fn a_mail_is_given_up_in_the_end(app: App) {
    let ada = app.member().await;
    std::fs::write(app.outbox_folder(), "a file where the folder should be").unwrap();
    app.queues_unseen(&ada, "payment_failed:in_1", &payment_failed(None));
    let mailer = app.mailer().await;
    let mut tries = 0;
    while mailer.send_due().await.unwrap().failed == 1 {
        tries += 1;
        app.advance(TimeDelta::hours(6));
    }
    assert_eq!(tries, 28);
    assert_eq!(app.mails_that("sent_at IS NULL AND due_at IS NULL AND error IS NOT NULL"), 1);
}

async fn many_mails_are_sent_in_the_order_in_which_they_were_queued(app: App) {
    let ada = app.member().await;
    for number in 0..103 {
        app.queues_unseen(&ada, &format!("payment_failed:in_{number}"), &payment_failed(None));
    }
    let mailer = app.mailer().await;
    assert_eq!(mailer.send_due().await.unwrap().sent, 100, "a round is bounded");
    let last_sent = app.database.number("SELECT max(id) FROM mails WHERE sent_at IS NOT NULL");
    let first_waiting = app.database.number("SELECT min(id) FROM mails WHERE sent_at IS NULL");
    assert!(last_sent < first_waiting, "{last_sent:?} {first_waiting:?}");
    assert_eq!(mailer.send_due().await.unwrap().sent, 3);
}

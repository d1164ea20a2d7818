//! Background work. It helps, and nothing depends on it (`docs/rules.md §9`): every step is a conditional update, so
//! that two servers, two runs at once, or a run that is killed half way do no harm.

use std::time::Duration;

use crate::{
    billing::Billing,
    mail::Mailer,
    store::{StoreError, mails, recurring, roster, sessions, subscriptions, tokens, webhook_events},
};

/// How many subscriptions Stripe is asked about in one run.
const REFRESHES: i64 = 50;
/// How many failed events are tried again in one run.
const RETRIES: i64 = 50;
/// How many payloads are dropped in one transaction.
const CUT_AT_ONCE: i64 = 500;

/// What one run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Subscriptions that ran out and are marked so now.
    pub expired: usize,
    /// Subscriptions that Stripe was asked about.
    pub refreshed: usize,
    /// Events that had failed and are applied now.
    pub retried: usize,
    /// Events whose payload was kept long enough.
    pub payloads_dropped: usize,
    /// Sessions that ran out and were removed.
    pub sessions_removed: usize,
    /// Mails that were sent.
    pub mails_sent: usize,
    /// Mails that wait for another try.
    pub mails_waiting: i64,
}

/// Everything that is due now, once.
///
/// # Errors
/// The database failed. Stripe's and the mail server's failures are logged, and tried again at a later run.
pub async fn run_once(billing: &Billing, mailer: &Mailer) -> Result<Report, StoreError> {
    let now = billing.clock.now();
    let expired = billing.store.write(move |conn| subscriptions::expire_all(conn, now)).await?;
    let refreshed = refresh_due(billing).await?;
    let retried = retry_failed(billing).await?;
    billing.end_what_was_left().await?;
    let payloads_dropped = cut_the_journal(billing).await?;
    let sessions_removed = billing.store.write(move |conn| sessions::delete_expired(conn, now)).await?;
    billing.store.write(move |conn| tokens::delete_expired(conn, now)).await?;
    // Whoever opens the list of subscribers does this too, and has less to wait for.
    roster::bring_up_to_date(&billing.store, billing.policy, now).await?;
    // The last step, because the others may queue some.
    let mails_sent = mailer.send_due().await?.sent;
    let mails_waiting = billing.store.read(mails::waiting).await?;
    Ok(Report { expired, refreshed, retried, payloads_dropped, sessions_removed, mails_sent, mails_waiting })
}

async fn refresh_due(billing: &Billing) -> Result<usize, StoreError> {
    let now = billing.clock.now();
    let due = billing.store.read(move |conn| recurring::refresh_due(conn, now, REFRESHES)).await?;
    let mut refreshed = 0;
    for (id, provider_id) in due {
        refreshed += usize::from(billing.settle(id, provider_id).await?);
    }
    Ok(refreshed)
}

async fn retry_failed(billing: &Billing) -> Result<usize, StoreError> {
    let now = billing.clock.now();
    let failed = billing.store.read(move |conn| webhook_events::to_retry(conn, now, RETRIES)).await?;
    let mut retried = 0;
    for event in failed {
        retried += usize::from(billing.retry(event).await?);
    }
    Ok(retried)
}

/// A few at a time, so that webhooks need not wait long for their turn to write.
async fn cut_the_journal(billing: &Billing) -> Result<usize, StoreError> {
    let before = billing.clock.now() - billing.journal_retention;
    let mut cut = 0;
    loop {
        let some = billing.store.write(move |conn| webhook_events::drop_payloads(conn, before, CUT_AT_ONCE)).await?;
        cut += some;
        if some == 0 {
            return Ok(cut);
        }
    }
}

/// Runs everything at each interval, until it is dropped.
pub async fn run_forever(billing: Billing, mailer: Mailer, interval: Duration) {
    loop {
        actix_web::rt::time::sleep(interval).await;
        billing.load_prices().await;
        match run_once(&billing, &mailer).await {
            Ok(report) => tracing::debug!(?report, "background work is done"),
            Err(error) => tracing::error!(%error, "background work failed"),
        }
    }
}

//! Background work. It helps, and nothing depends on it (`docs/rules.md §9`): every step is a conditional update, so
//! that two servers, two runs at once, or a run that is killed half way do no harm.

use std::time::Duration;

use chrono::TimeDelta;

use crate::{
    billing::{Billing, BillingError, CallError},
    mail::Mailer,
    store::{Conn, StoreError, mails, recurring, sessions, subscriptions},
};

/// How many subscriptions Stripe is asked about in one run.
const REFRESHES: i64 = 50;
/// How long a subscription waits that could not be asked about.
const PUT_OFF: TimeDelta = TimeDelta::minutes(5);

/// What one run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Subscriptions that ran out and are marked so now.
    pub expired: usize,
    /// Subscriptions that Stripe was asked about.
    pub refreshed: usize,
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
    let sessions_removed = billing.store.write(move |conn| sessions::delete_expired(conn, now)).await?;
    // The last step, because the others may queue some.
    let mails_sent = mailer.send_due().await?.sent;
    let mails_waiting = billing.store.read(mails::waiting).await?;
    Ok(Report { expired, refreshed, sessions_removed, mails_sent, mails_waiting })
}

async fn refresh_due(billing: &Billing) -> Result<usize, StoreError> {
    let now = billing.clock.now();
    let due = billing.store.read(move |conn| recurring::refresh_due(conn, now, REFRESHES)).await?;
    let mut refreshed = 0;
    for (id, provider_id) in due {
        match billing.refresh_if_due(id, &provider_id).await {
            Ok(asked) => refreshed += usize::from(asked),
            Err(error) => {
                tracing::warn!(subscription = %provider_id, %error, "could not be refreshed");
                put_off(billing, provider_id, &error).await?;
            }
        }
    }
    Ok(refreshed)
}

/// One that can't be asked about must not keep the others waiting; one that Stripe does not know is asked no more.
async fn put_off(billing: &Billing, provider_id: String, error: &BillingError) -> Result<(), StoreError> {
    let gone = matches!(error, BillingError::Call(CallError::Missing(_)));
    let again = billing.clock.now() + PUT_OFF;
    let put_off = move |conn: &mut Conn| {
        if gone {
            recurring::refresh_done(conn, &provider_id)
        } else {
            recurring::queue_refresh(conn, &provider_id, again)
        }
    };
    billing.store.write(put_off).await
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

//! Takes what is due out of the queue and hands it over.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use chrono::TimeDelta;
use tokio::sync::Mutex;

use super::{
    envelope::{self, Mark},
    message::{Letter, Reader},
    transport::{Failure, Transport},
};
use crate::{
    clock::Clock,
    domain::{
        access::premium_access,
        plan::Plans,
        subscription::{AccessPolicy, Subscription},
    },
    store::{
        Store, StoreError,
        mails::{self, Claimed},
        subscriptions,
        users::{self, User},
    },
};

/// For how long one sender may keep a mail to itself. Longer than a transport ever takes.
const LEASE: TimeDelta = TimeDelta::minutes(10);
/// How many mails one round hands over at the most.
const ROUND: usize = 100;
/// After so many failures in a row, the fault is hardly the mails'.
const FAILURES_IN_A_ROW: usize = 5;
/// The pause after the first failure, in minutes; it doubles with each one.
const FIRST_PAUSE: i64 = 1;
/// And never grows beyond this.
const LONGEST_PAUSE: i64 = 6 * 60;
/// After so many tries, which take about five days, a mail is given up.
const TRIES: i64 = 28;
/// A refusal of the mail itself, which may still be a server's mood.
const TRIES_WHEN_REFUSED: i64 = 3;
/// What is queued together is sent together.
const GATHERING: Duration = Duration::from_millis(20);
/// How long a stop waits for the mail that is under way.
const STOPPING: Duration = Duration::from_secs(10);

/// Sends mails. Clones share it.
#[derive(Clone)]
pub struct Mailer(Arc<Inner>);

struct Inner {
    store: Store,
    clock: Clock,
    plans: Arc<Plans>,
    policy: AccessPolicy,
    site: String,
    transport: Transport,
    /// One round at a time in this process.
    round: Mutex<()>,
    stopping: AtomicBool,
}

/// What one round did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Mails that were handed over.
    pub sent: usize,
    /// Mails that were not, and wait for another try or were given up.
    pub failed: usize,
}

impl Mailer {
    /// A sender for the site at `site`, an address without a slash at the end.
    pub fn new(
        store: Store,
        clock: Clock,
        plans: Arc<Plans>,
        policy: AccessPolicy,
        site: &str,
        transport: Transport,
    ) -> Self {
        let (site, round, stopping) = (site.to_owned(), Mutex::new(()), AtomicBool::new(false));
        Self(Arc::new(Inner { store, clock, plans, policy, site, transport, round, stopping }))
    }

    /// Sends what is due, and then at once whatever is queued in this process, until it is dropped.
    pub async fn run(self) {
        loop {
            match self.send_due().await {
                // There may be more.
                Ok(round) if round.sent + round.failed >= ROUND => continue,
                Ok(_) => {}
                Err(error) => tracing::error!(%error, "mails can't be taken out of the queue"),
            }
            self.0.store.mail_queued().await;
            tokio::time::sleep(GATHERING).await;
        }
    }

    /// Sends what is due now, a bounded number of mails.
    ///
    /// # Errors
    /// The database failed. Failures of the mail server are logged, and tried again after a pause.
    pub async fn send_due(&self) -> Result<Round, StoreError> {
        let _alone = self.0.round.lock().await;
        let (mut round, mut in_a_row) = (Round::default(), 0);
        while round.sent + round.failed < ROUND && in_a_row < FAILURES_IN_A_ROW {
            if self.0.stopping.load(Ordering::Acquire) {
                break;
            }
            let Some(mail) = self.claim().await? else { break };
            if self.deliver(mail).await? {
                (round.sent, in_a_row) = (round.sent + 1, 0);
            } else {
                (round.failed, in_a_row) = (round.failed + 1, in_a_row + 1);
            }
        }
        Ok(round)
    }

    /// Takes no further mail, and waits a while for the one that is under way. What is not sent stays queued.
    pub async fn stop(&self) {
        self.0.stopping.store(true, Ordering::Release);
        if tokio::time::timeout(STOPPING, self.0.round.lock()).await.is_err() {
            tracing::warn!("stopped while a mail was under way; it will be sent again");
        }
    }

    async fn claim(&self) -> Result<Option<Claimed>, StoreError> {
        let now = self.0.clock.now();
        // Nothing is due most of the time, and looking is cheaper than a write.
        if self.0.store.read(move |conn| mails::due(conn, now)).await? == 0 {
            return Ok(None);
        }
        self.0.store.write(move |conn| mails::claim(conn, now, now + LEASE)).await
    }

    async fn deliver(&self, mail: Claimed) -> Result<bool, StoreError> {
        let user_id = mail.user_id;
        let read = self.0.store.read(move |conn| {
            let user = users::by_id(conn, user_id)?;
            Ok((user, subscriptions::of_user(conn, user_id)?))
        });
        // The account was deleted this very moment, and the mail's row with it.
        let (Some(user), subscriptions) = read.await? else { return Ok(true) };
        let now = || self.0.clock.now();
        match self.hand_over(&mail, &user, &subscriptions).await {
            Ok(()) => {
                let (id, now) = (mail.id, now());
                self.0.store.write(move |conn| mails::sent(conn, id, now)).await?;
                tracing::info!(mail = mail.id, "sent a mail");
                Ok(true)
            }
            Err(failure) => {
                let next = next_try(mail.attempts, failure.lasting).map(|pause| now() + pause);
                if next.is_some() {
                    tracing::warn!(mail = mail.id, attempts = mail.attempts, reason = %failure.reason, "a mail has to wait");
                } else {
                    tracing::error!(mail = mail.id, attempts = mail.attempts, reason = %failure.reason, "gave up a mail");
                }
                self.0
                    .store
                    .write(move |conn| mails::failed(conn, mail.id, mail.attempts, &failure.reason, next))
                    .await?;
                Ok(false)
            }
        }
    }

    async fn hand_over(&self, mail: &Claimed, user: &User, subscriptions: &[Subscription]) -> Result<(), Failure> {
        let now = self.0.clock.now();
        let notice = mail.notice.as_ref().ok_or_else(|| Failure::passing("this version does not know such a mail"))?;
        let reader = Reader {
            user,
            access: premium_access(subscriptions, &self.0.policy, now),
            plans: &self.0.plans,
            site: &self.0.site,
            now,
        };
        let letter = Letter::new(notice, &reader).map_err(|error| Failure::passing(error.to_string()))?;
        let mark = Mark { id: mail.id, queued_at: mail.queued_at };
        let message = envelope::seal(&letter, &self.0.transport.from, &user.email, mark, now);
        let message = message.map_err(|error| Failure::lasting(error.to_string()))?;
        self.0.transport.send(&mark.name(), message).await
    }
}

/// How long to wait after so many tries; nothing when it is enough.
fn next_try(attempts: i64, lasting: bool) -> Option<TimeDelta> {
    let enough = if lasting { TRIES_WHEN_REFUSED } else { TRIES };
    let doubled = u32::try_from(attempts - 1).ok().and_then(|times| FIRST_PAUSE.checked_shl(times.min(20)));
    (attempts < enough).then(|| TimeDelta::minutes(doubled.unwrap_or(LONGEST_PAUSE).min(LONGEST_PAUSE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_come_to_an_end() {
        let pauses: Vec<_> = (1..).map_while(|attempts| next_try(attempts, false)).collect();
        let minutes: Vec<_> = pauses.iter().map(TimeDelta::num_minutes).collect();
        assert_eq!(minutes[..10], [1, 2, 4, 8, 16, 32, 64, 128, 256, 360]);
        assert!(minutes[10..].iter().all(|pause| *pause == 360) && pauses.len() == 27, "{minutes:?}");
        let total: TimeDelta = pauses.iter().sum();
        assert_eq!(total.num_days(), 4);
    }

    #[test]
    fn a_refused_mail_is_tried_three_times() {
        let tries: Vec<_> = (1..5).map(|attempts| next_try(attempts, true).is_some()).collect();
        assert_eq!(tries, [true, true, false, false]);
    }
}

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
    errand::Errand,
    message::{Letter, Reader},
    pauses::pause,
    transport::{Failure, Transport},
};
use crate::{
    auth::token::{random_token, token_hash},
    clock::{Clock, Entropy},
    domain::{
        access::premium_access,
        notice::Notice,
        plan::Plans,
        subscription::{AccessPolicy, Subscription},
    },
    store::{
        Store, StoreError,
        mails::{self, Claimed},
        subscriptions, tokens,
        users::{self, User},
    },
};

/// For how long one sender may keep a mail to itself. Longer than a transport ever takes.
const LEASE: TimeDelta = TimeDelta::minutes(10);
/// How many mails one round hands over at the most.
const ROUND: usize = 100;
/// After so many failures in a row, the fault is hardly the mails'.
const FAILURES_IN_A_ROW: usize = 5;
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
    entropy: Entropy,
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

/// What became of a mail.
enum Delivery {
    Done,
    Failed,
    /// The account was deleted this very moment, and the mail with it; or there is nothing to tell any more.
    Gone,
}

impl Mailer {
    /// A sender for the site at `site`, an address without a slash at the end.
    pub fn new(
        store: Store,
        clock: Clock,
        entropy: Entropy,
        plans: Arc<Plans>,
        policy: AccessPolicy,
        site: &str,
        transport: Transport,
    ) -> Self {
        let (site, round, stopping) = (site.to_owned(), Mutex::new(()), AtomicBool::new(false));
        Self(Arc::new(Inner { store, clock, entropy, plans, policy, site, transport, round, stopping }))
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
            match self.deliver(mail).await? {
                Delivery::Done => (round.sent, in_a_row) = (round.sent + 1, 0),
                Delivery::Failed => (round.failed, in_a_row) = (round.failed + 1, in_a_row + 1),
                Delivery::Gone => {}
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
        if !self.0.store.read(move |conn| mails::any_due(conn, now)).await? {
            return Ok(None);
        }
        self.0.store.write(move |conn| mails::claim(conn, now, now + LEASE)).await
    }

    async fn deliver(&self, mail: Claimed) -> Result<Delivery, StoreError> {
        let (id, user_id) = (mail.id, mail.user_id);
        let known = self.0.store.read(move |conn| match users::by_id(conn, user_id)? {
            Some(user) => Ok(Some((user, subscriptions::of_user(conn, user_id)?))),
            None => Ok(None),
        });
        let Some((user, subscriptions)) = known.await? else { return Ok(Delivery::Gone) };
        if !mail.notice.as_ref().is_none_or(|notice| Errand::is_wanted(notice, &user)) {
            return self.drop_unwanted(id, mail.attempts).await;
        }
        match self.hand_over(&mail, &user, &subscriptions).await {
            Ok(()) => {
                let now = self.0.clock.now();
                self.0.store.write(move |conn| mails::sent(conn, id, now)).await?;
                tracing::info!(mail = id, "sent a mail");
                Ok(Delivery::Done)
            }
            Err(failure) => {
                self.put_off(id, mail.attempts, failure).await?;
                Ok(Delivery::Failed)
            }
        }
    }

    /// What it was to tell is no longer so.
    async fn drop_unwanted(&self, id: i64, attempts: i64) -> Result<Delivery, StoreError> {
        tracing::info!(mail = id, "left out a mail that nobody waits for any more");
        self.0.store.write(move |conn| mails::failed(conn, id, attempts, "no longer wanted", None)).await?;
        Ok(Delivery::Gone)
    }

    async fn put_off(&self, id: i64, attempts: i64, failure: Failure) -> Result<(), StoreError> {
        let next = pause(attempts, failure.refused).map(|pause| self.0.clock.now() + pause);
        if next.is_some() {
            tracing::warn!(mail = id, attempts, reason = %failure.reason, "a mail has to wait");
        } else {
            tracing::error!(mail = id, attempts, reason = %failure.reason, "gave up a mail");
        }
        self.0.store.write(move |conn| mails::failed(conn, id, attempts, &failure.reason, next)).await
    }

    async fn hand_over(&self, mail: &Claimed, user: &User, subscriptions: &[Subscription]) -> Result<(), Failure> {
        let now = self.0.clock.now();
        let notice = mail.notice.as_ref().ok_or_else(|| Failure::passing("this version does not know such a mail"))?;
        let token = self.token(notice, user).await?;
        let reader = Reader {
            user,
            access: premium_access(subscriptions, user.email_confirmed, &self.0.policy, now),
            plans: &self.0.plans,
            site: &self.0.site,
            now,
            token: &token,
        };
        let letter = Letter::new(notice, &reader);
        let to = mail.recipient.as_deref().unwrap_or(&user.email);
        let mark = Mark { id: mail.id, queued_at: mail.queued_at };
        let message = envelope::seal(&letter, &self.0.transport.from, to, mark, now);
        let message = message.map_err(|error| Failure::refused(error.to_string()))?;
        self.0.transport.send(&mark.name(), message).await
    }

    /// A new token for what the mail asks its reader to do, in the place of the one before; nothing where it asks for
    /// nothing. Only its hash is kept.
    async fn token(&self, notice: &Notice, user: &User) -> Result<String, Failure> {
        let Some(errand) = Errand::of(notice, user) else { return Ok(String::new()) };
        let (token, now) = (random_token(self.0.entropy), self.0.clock.now());
        let (hash, ends) = (token_hash(&token), now + errand.valid_for);
        let kept =
            self.0.store.write(move |conn| tokens::insert(conn, &hash, errand.purpose, &errand.token, now, ends));
        kept.await.map_err(|error| Failure::passing(format!("no token could be kept: {error}")))?;
        Ok(token)
    }
}

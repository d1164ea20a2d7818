//! Slows down whoever fails too often: guesses passwords, tries addresses, asks for resets.

mod address;
mod failures;

use std::{net::IpAddr, num::NonZeroU32, sync::Arc, time::Duration};

use governor::{Quota, RateLimiter, clock::Clock as _, middleware::NoOpMiddleware, nanos::Nanos};

pub use address::client_address;
use failures::{Ask, Failures, LimiterClock};

use crate::clock::Clock;

/// How many failures are forgiven, and how fast they are forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// So many failures at once.
    pub failures: u32,
    /// One of them is forgotten each time that this has passed.
    pub forgotten_after: Duration,
}

impl Allowance {
    /// For one address: a whole office may share it.
    pub const ADDRESS: Self = Self { failures: 30, forgotten_after: Duration::from_secs(10) };
    /// For one account: its owner must get in again soon after somebody else was guessing.
    pub const ACCOUNT: Self = Self { failures: 10, forgotten_after: Duration::from_mins(1) };

    /// For the six digits of one account, to somebody who knows its password: about 150 guesses a day, of which each has
    /// three chances in a million.
    pub const CODE: Self = Self { failures: 5, forgotten_after: Duration::from_mins(10) };

    fn quota(self) -> Quota {
        let failures = NonZeroU32::new(self.failures).unwrap_or(NonZeroU32::MIN);
        Quota::with_period(self.forgotten_after).unwrap_or(Quota::per_hour(failures)).allow_burst(failures)
    }
}

/// Too many failures: 429 with Retry-After.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Too many failed attempts. Try again in {}.", minutes(*.seconds))]
pub struct TooManyFailures {
    /// When the next attempt is allowed, at least one second from now.
    pub seconds: u64,
}

/// Counts the failures of one kind of attempt, for each exact address and each account. Successes cost nothing.
/// Clones share the counts.
#[derive(Clone)]
pub struct FailureLimit(Arc<Inner>);

struct Inner {
    addresses: Limiter<IpAddr>,
    accounts: Limiter<String>,
}

type Limiter<K> = RateLimiter<Ask<K>, Failures<K>, LimiterClock, NoOpMiddleware<Nanos>>;

impl FailureLimit {
    /// Nobody has failed yet.
    pub fn new(address: Allowance, account: Allowance, clock: &Clock) -> Self {
        let clock = LimiterClock(clock.clone());
        Self(Arc::new(Inner {
            addresses: RateLimiter::new(address.quota(), Failures::default(), clock.clone()),
            accounts: RateLimiter::new(account.quota(), Failures::default(), clock),
        }))
    }

    /// Whether an attempt is allowed. `account` is the canonical e-mail address, known or not.
    pub fn check(&self, address: IpAddr, account: Option<&str>) -> Result<(), TooManyFailures> {
        allowed(&self.0.addresses, &Ask::whether(address))?;
        account.map_or(Ok(()), |account| allowed(&self.0.accounts, &Ask::whether(account.to_owned())))
    }

    /// Notes that an attempt failed.
    pub fn record_failure(&self, address: IpAddr, account: Option<&str>) {
        // One more failure than forgiven changes nothing: the answer of the limiter is the one that `check` gives.
        let _ = self.0.addresses.check_key(&Ask::counting(address));
        if let Some(account) = account {
            let _ = self.0.accounts.check_key(&Ask::counting(account.to_owned()));
        }
    }

    /// Counts an attempt against an account before its outcome is known, so that many at once can't outrun the count. One
    /// that succeeds is [forgiven](Self::forgive).
    pub fn attempt(&self, address: IpAddr, account: &str) -> Result<(), TooManyFailures> {
        allowed(&self.0.addresses, &Ask::whether(address))?;
        allowed(&self.0.accounts, &Ask::counting(account.to_owned()))
    }

    /// Forgets the failures of an account, whose owner has just succeeded.
    pub fn forgive(&self, account: &str) {
        let _ = self.0.accounts.check_key(&Ask::forgiving(account.to_owned()));
    }

    /// Forgets those whose failures are all forgiven. The memory is bounded without it; this frees it sooner.
    pub fn clean(&self) {
        self.0.addresses.retain_recent();
        self.0.accounts.retain_recent();
    }
}

fn allowed<K: Clone + Eq + std::hash::Hash>(limiter: &Limiter<K>, ask: &Ask<K>) -> Result<(), TooManyFailures> {
    limiter.check_key(ask).map_err(|until| {
        let wait = until.wait_time_from(limiter.clock().now());
        TooManyFailures { seconds: wait.as_secs() + 1 }
    })
}

fn minutes(seconds: u64) -> String {
    match seconds.div_ceil(60) {
        1 => "1 minute".to_owned(),
        minutes => format!("{minutes} minutes"),
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    const TWICE: Allowance = Allowance { failures: 2, forgotten_after: Duration::from_mins(1) };
    const OFTEN: Allowance = Allowance { failures: 1_000, forgotten_after: Duration::from_secs(1) };

    fn ip(last: u8) -> IpAddr {
        [192, 0, 2, last].into()
    }

    fn clock() -> Clock {
        Clock::frozen_at(DateTime::from_timestamp(1_780_000_000, 0).unwrap())
    }

    #[test]
    fn an_address_that_failed_too_often_waits_and_no_other_does() {
        let clock = clock();
        let limit = FailureLimit::new(TWICE, OFTEN, &clock);
        for _ in 0..2 {
            assert_eq!(limit.check(ip(1), Some("ada@example.com")), Ok(()));
            limit.record_failure(ip(1), Some("ada@example.com"));
        }
        let refused = limit.check(ip(1), Some("bob@example.com")).unwrap_err();
        assert!((60..=61).contains(&refused.seconds), "{refused:?}");
        assert_eq!(limit.check(ip(2), Some("ada@example.com")), Ok(()));
        assert_eq!(limit.check(ip(1), None), Err(refused));

        clock.advance(59).unwrap();
        assert!(limit.check(ip(1), None).is_err());
        clock.advance(1).unwrap();
        assert_eq!(limit.check(ip(1), None), Ok(()));
        limit.record_failure(ip(1), None);
        assert!(limit.check(ip(1), None).is_err());
        clock.advance(120).unwrap();
        limit.record_failure(ip(1), None);
        assert_eq!(limit.check(ip(1), None), Ok(()), "all was forgiven");
    }

    #[test]
    fn an_account_that_failed_too_often_waits_from_every_address() {
        let limit = FailureLimit::new(OFTEN, TWICE, &clock());
        for last in 1..=2 {
            limit.record_failure(ip(last), Some("ada@example.com"));
        }
        assert!(limit.check(ip(3), Some("ada@example.com")).is_err());
        assert_eq!(limit.check(ip(1), Some("bob@example.com")), Ok(()));
        assert_eq!(limit.check(ip(1), None), Ok(()));
    }

    #[test]
    fn asking_and_succeeding_cost_nothing() {
        let limit = FailureLimit::new(TWICE, TWICE, &clock());
        for _ in 0..100 {
            assert_eq!(limit.check(ip(1), Some("ada@example.com")), Ok(()));
        }
        limit.record_failure(ip(1), Some("ada@example.com"));
        assert_eq!(limit.check(ip(1), Some("ada@example.com")), Ok(()));
    }

    #[test]
    fn attempts_at_once_do_not_outrun_the_count_and_a_success_forgives() {
        let limit = FailureLimit::new(OFTEN, TWICE, &clock());
        let allowed = |account| (0..9).filter(|_| limit.attempt(ip(1), account).is_ok()).count();
        assert_eq!((allowed("ada"), allowed("bob"), allowed("ada")), (2, 2, 0));
        limit.forgive("ada");
        assert_eq!((allowed("ada"), allowed("bob")), (2, 0));
        assert_eq!(limit.check(ip(1), None), Ok(()), "the address is counted by record_failure");
    }

    #[test]
    fn failures_beyond_the_limit_do_not_lengthen_the_wait() {
        let clock = clock();
        let limit = FailureLimit::new(TWICE, TWICE, &clock);
        for _ in 0..1_000 {
            limit.record_failure(ip(1), None);
        }
        clock.advance(60).unwrap();
        assert_eq!(limit.check(ip(1), None), Ok(()));
    }

    #[test]
    fn those_who_are_forgiven_are_forgotten() {
        let clock = clock();
        let limit = FailureLimit::new(TWICE, TWICE, &clock);
        limit.record_failure(ip(1), Some("ada@example.com"));
        limit.clean();
        assert_eq!((limit.0.addresses.len(), limit.0.accounts.len()), (1, 1));
        clock.advance(200).unwrap();
        limit.clean();
        assert_eq!((limit.0.addresses.len(), limit.0.accounts.len()), (0, 0));
    }

    #[test]
    fn the_sentence_says_how_long() {
        assert_eq!(TooManyFailures { seconds: 61 }.to_string(), "Too many failed attempts. Try again in 2 minutes.");
        assert_eq!(TooManyFailures { seconds: 60 }.to_string(), "Too many failed attempts. Try again in 1 minute.");
    }
}

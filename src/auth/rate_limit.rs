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
    /// For one account, from browsers that were never signed in to it: under a hundred guesses an hour.
    pub const ACCOUNT: Self = Self { failures: 10, forgotten_after: Duration::from_mins(1) };

    /// For the mails that others' wishes bring to one address.
    pub const MAILS: Self = Self { failures: 5, forgotten_after: Duration::from_hours(1) };

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

/// Counts the failures of one kind of attempt, for each exact address and each account. Clones share the counts.
///
/// An attempt counts before its outcome is known, so that many at once can't outrun the count; one that does not fail is
/// [given back](Attempt::give_back).
#[derive(Clone)]
pub struct FailureLimit(Arc<Inner>);

struct Inner {
    addresses: Limiter<IpAddr>,
    accounts: Limiter<String>,
    address: Allowance,
    account: Allowance,
}

type Limiter<K> = RateLimiter<Ask<K>, Failures<K>, LimiterClock, NoOpMiddleware<Nanos>>;

/// An attempt that counts as a failure unless it is given back: also when whoever made it goes away.
#[must_use = "an attempt that succeeds is given back"]
pub struct Attempt {
    limit: FailureLimit,
    address: Option<IpAddr>,
    account: Option<String>,
}

impl Attempt {
    /// It did not fail after all.
    pub fn give_back(self) {
        let inner = &self.limit.0;
        if let Some(address) = self.address {
            let _ = inner.addresses.check_key(&Ask::giving_back(address, inner.address.forgotten_after));
        }
        if let Some(account) = self.account {
            let _ = inner.accounts.check_key(&Ask::giving_back(account, inner.account.forgotten_after));
        }
    }
}

impl FailureLimit {
    /// Nobody has failed yet.
    pub fn new(address: Allowance, account: Allowance, clock: &Clock) -> Self {
        let clock = LimiterClock(clock.clone());
        Self(Arc::new(Inner {
            addresses: RateLimiter::new(address.quota(), Failures::default(), clock.clone()),
            accounts: RateLimiter::new(account.quota(), Failures::default(), clock),
            address,
            account,
        }))
    }

    /// Whether an attempt is allowed; it counts from now on. `account` names whose secret is guessed, known or not; without
    /// an `address` it counts against that alone.
    ///
    /// # Errors
    /// Too many failed; this one is not counted then.
    pub fn attempt(
        &self,
        address: impl Into<Option<IpAddr>>,
        account: Option<&str>,
    ) -> Result<Attempt, TooManyFailures> {
        let address = address.into();
        if let Some(address) = address {
            allowed(&self.0.addresses, &Ask::counting(address))?;
        }
        let from_address = Attempt { limit: self.clone(), address, account: None };
        match account.map(|account| allowed(&self.0.accounts, &Ask::counting(account.to_owned()))) {
            Some(Err(refused)) => {
                from_address.give_back();
                Err(refused)
            }
            _ => Ok(Attempt { account: account.map(str::to_owned), ..from_address }),
        }
    }

    /// Forgets the failures of an account, whose owner has just shown to be its owner.
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

    fn fail(limit: &FailureLimit, last: u8, account: Option<&str>) -> Result<(), TooManyFailures> {
        limit.attempt(ip(last), account).map(drop)
    }

    fn succeed(limit: &FailureLimit, last: u8, account: Option<&str>) -> Result<(), TooManyFailures> {
        limit.attempt(ip(last), account).map(Attempt::give_back)
    }

    #[test]
    fn an_address_that_failed_too_often_waits_and_no_other_does() {
        let clock = clock();
        let limit = FailureLimit::new(TWICE, OFTEN, &clock);
        for _ in 0..2 {
            assert_eq!(fail(&limit, 1, Some("ada@example.com")), Ok(()));
        }
        let refused = succeed(&limit, 1, Some("bob@example.com")).unwrap_err();
        assert!((60..=61).contains(&refused.seconds), "{refused:?}");
        assert_eq!(succeed(&limit, 2, Some("ada@example.com")), Ok(()));
        assert_eq!(succeed(&limit, 1, None), Err(refused));

        clock.advance(59).unwrap();
        assert!(succeed(&limit, 1, None).is_err());
        clock.advance(1).unwrap();
        assert_eq!(fail(&limit, 1, None), Ok(()));
        assert!(fail(&limit, 1, None).is_err());
        clock.advance(120).unwrap();
        assert_eq!(fail(&limit, 1, None), Ok(()), "all was forgiven");
        assert_eq!(succeed(&limit, 1, None), Ok(()));
    }

    #[test]
    fn an_account_that_failed_too_often_waits_from_every_address() {
        let limit = FailureLimit::new(OFTEN, TWICE, &clock());
        for last in 1..=2 {
            assert_eq!(fail(&limit, last, Some("ada@example.com")), Ok(()));
        }
        assert!(succeed(&limit, 3, Some("ada@example.com")).is_err());
        assert_eq!(succeed(&limit, 1, Some("bob@example.com")), Ok(()));
        assert_eq!(succeed(&limit, 1, None), Ok(()));
    }

    #[test]
    fn an_attempt_without_an_address_counts_against_the_account_alone() {
        let limit = FailureLimit::new(TWICE, TWICE, &clock());
        for _ in 0..2 {
            assert_eq!(fail(&limit, 1, None), Ok(()));
        }
        assert!(fail(&limit, 1, Some("ada")).is_err());
        let without = |account| limit.attempt(None, Some(account));
        for _ in 0..9 {
            without("ada").unwrap().give_back();
        }
        assert!(without("ada").map(drop).is_ok() && without("ada").map(drop).is_ok());
        assert!(without("ada").is_err() && without("bob").is_ok());
        assert!(fail(&limit, 1, None).is_err(), "nothing was given back to the address");
    }

    #[test]
    fn tries_at_a_closed_account_do_not_count_against_the_address() {
        let limit = FailureLimit::new(Allowance { failures: 3, ..TWICE }, TWICE, &clock());
        for _ in 0..2 {
            assert_eq!(fail(&limit, 1, Some("ada")), Ok(()));
        }
        for _ in 0..9 {
            assert!(fail(&limit, 1, Some("ada")).is_err());
        }
        assert_eq!(fail(&limit, 1, Some("bob")), Ok(()));
        assert!(fail(&limit, 1, Some("bob")).is_err(), "the third was the last of this address");
    }

    #[test]
    fn succeeding_costs_nothing_and_takes_no_failure_away() {
        let limit = FailureLimit::new(TWICE, TWICE, &clock());
        assert_eq!(fail(&limit, 1, Some("ada@example.com")), Ok(()));
        for _ in 0..100 {
            assert_eq!(succeed(&limit, 1, Some("ada@example.com")), Ok(()));
        }
        assert_eq!(fail(&limit, 1, Some("ada@example.com")), Ok(()));
        assert!(fail(&limit, 1, Some("ada@example.com")).is_err());
    }

    #[test]
    fn attempts_at_once_do_not_outrun_the_count() {
        let limit = FailureLimit::new(TWICE, OFTEN, &clock());
        let under_way: Vec<Attempt> = (0..9).filter_map(|_| limit.attempt(ip(1), Some("ada")).ok()).collect();
        assert_eq!(under_way.len(), 2);
        under_way.into_iter().for_each(Attempt::give_back);
        assert_eq!(succeed(&limit, 1, Some("ada")), Ok(()));
    }

    #[test]
    fn an_owner_is_forgiven_alone() {
        let limit = FailureLimit::new(OFTEN, TWICE, &clock());
        let allowed = |account| (0..9).filter(|_| fail(&limit, 1, Some(account)).is_ok()).count();
        assert_eq!((allowed("ada"), allowed("bob"), allowed("ada")), (2, 2, 0));
        limit.forgive("ada");
        assert_eq!((allowed("ada"), allowed("bob")), (2, 0));
    }

    #[test]
    fn failures_beyond_the_limit_do_not_lengthen_the_wait() {
        let clock = clock();
        let limit = FailureLimit::new(TWICE, TWICE, &clock);
        for _ in 0..1_000 {
            drop(limit.attempt(ip(1), None));
        }
        clock.advance(60).unwrap();
        assert_eq!(succeed(&limit, 1, None), Ok(()));
    }

    #[test]
    fn those_who_are_forgiven_are_forgotten() {
        let clock = clock();
        let limit = FailureLimit::new(TWICE, TWICE, &clock);
        assert_eq!(fail(&limit, 1, Some("ada@example.com")), Ok(()));
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

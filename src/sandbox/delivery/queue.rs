//! What waits to be sent, and what was.

use std::{
    collections::{HashSet, VecDeque},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::{Order, Settings};
use crate::{clock::Entropy, sandbox::calendar::DAY};

/// As many attempts are remembered.
const REMEMBERED: usize = 2_000;
/// The end of trying: this long after the first attempt, by the sandbox's clock, but not before so many attempts, so
/// that a clock moved by months does not lose an event to one failure.
const GIVE_UP_AFTER: i64 = 3 * DAY;
const ATTEMPTS_AT_LEAST: u32 = 12;
/// Seconds between two attempts, at most. Stripe waits for hours, but here a person waits beside the program.
const LONGEST_PAUSE: u32 = 60;

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Deliveries {
    pub settings: Settings,
    last_number: u64,
    waiting: Vec<Delivery>,
    #[serde(skip)]
    log: VecDeque<Attempt>,
    /// So many of the newest attempts are not in their file yet.
    #[serde(skip)]
    unkept: usize,
}

#[derive(Clone, Serialize, Deserialize)]
struct Delivery {
    number: u64,
    event: String,
    kind: String,
    endpoint: String,
    attempts: u32,
    first_attempt_at: Option<i64>,
    /// When the pause after a failure is over by the sandbox's clock.
    #[serde(default)]
    again_at: i64,
    #[serde(skip)]
    not_before: Option<Instant>,
    #[serde(skip)]
    under_way: bool,
}

/// One try to deliver, and what came of it.
#[expect(clippy::struct_field_names, reason = "the names are those of the JSON answer")]
#[derive(Clone, Serialize, Deserialize)]
pub struct Attempt {
    pub event: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub endpoint: String,
    pub url: String,
    /// Counted from 1.
    pub attempt: u32,
    /// UNIX seconds by the sandbox's clock.
    pub at: i64,
    /// The HTTP status of the answer; none when there was no answer.
    pub status: Option<u16>,
    pub error: Option<String>,
    /// The beginning of the answer's body.
    pub answer: String,
    pub signature: String,
    /// What was sent, to the byte. Not kept over a restart.
    #[serde(skip)]
    pub body: String,
}

impl Attempt {
    pub fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }
}

/// An order to the sender.
#[derive(Clone, Debug)]
pub struct Job {
    pub number: u64,
    pub event: String,
    pub kind: String,
    pub endpoint: String,
    pub attempt: u32,
}

impl Deliveries {
    pub fn enqueue(&mut self, event: &str, kind: &str, endpoint: &str) {
        let delay = Duration::from_millis(self.settings.delay_ms);
        let not_before = (!delay.is_zero()).then(|| Instant::now().checked_add(delay)).flatten();
        for _ in 0..self.settings.copies {
            self.last_number += 1;
            self.waiting.push(Delivery {
                number: self.last_number,
                event: event.to_owned(),
                kind: kind.to_owned(),
                endpoint: endpoint.to_owned(),
                attempts: 0,
                first_attempt_at: None,
                again_at: 0,
                not_before,
                under_way: false,
            });
        }
    }

    /// Changes the switches. What waits and was never tried gets as many copies as are wanted now.
    pub fn set(&mut self, settings: Settings) {
        let more = settings.copies.saturating_sub(self.settings.copies);
        self.settings = settings;
        let fresh: Vec<Delivery> =
            self.waiting.iter().filter(|row| row.attempts == 0 && !row.under_way).cloned().collect();
        let mut seen = HashSet::new();
        for row in fresh.iter().filter(|row| seen.insert((row.event.clone(), row.endpoint.clone()))) {
            for _ in 0..more {
                self.last_number += 1;
                self.waiting.push(Delivery { number: self.last_number, ..row.clone() });
            }
        }
    }

    /// Takes the next delivery that may go now. `reachable`: has this endpoint an address?
    pub fn take(&mut self, now: Instant, reachable: impl Fn(&str) -> bool) -> Option<Job> {
        if self.settings.hold {
            return None;
        }
        let order = self.settings.order;
        let ready: Vec<&mut Delivery> = self
            .waiting
            .iter_mut()
            .filter(|row| !row.under_way && row.not_before.is_none_or(|at| at <= now) && reachable(&row.endpoint))
            .collect();
        let place = match order {
            Order::AsIs => 0,
            Order::Reversed => ready.len().saturating_sub(1),
            Order::Shuffled => usize::from(u16::from_le_bytes(Entropy.bytes::<2>())) % ready.len().max(1),
        };
        let row = ready.into_iter().nth(place)?;
        row.under_way = true;
        Some(Job {
            number: row.number,
            event: row.event.clone(),
            kind: row.kind.clone(),
            endpoint: row.endpoint.clone(),
            attempt: row.attempts + 1,
        })
    }

    /// When the next delivery may go that may not yet.
    pub fn next_wake(&self) -> Option<Instant> {
        self.waiting.iter().filter(|row| !row.under_way).filter_map(|row| row.not_before).min()
    }

    /// Notes what came of a job: done, or tried again after 1, 2, 4 … seconds.
    pub fn record(&mut self, job: &Job, attempt: Attempt, now: Instant) {
        let (done, at) = (attempt.succeeded(), attempt.at);
        self.log.push_back(attempt);
        self.unkept += 1;
        while self.log.len() > REMEMBERED {
            self.log.pop_front();
        }
        let Some(row) = self.waiting.iter_mut().find(|row| row.number == job.number) else { return };
        row.under_way = false;
        row.attempts += 1;
        let first = *row.first_attempt_at.get_or_insert(at);
        let wait = 1_u32.checked_shl(row.attempts - 1).unwrap_or(LONGEST_PAUSE).clamp(1, LONGEST_PAUSE);
        row.not_before = now.checked_add(Duration::from_secs(u64::from(wait)));
        row.again_at = at + i64::from(wait);
        let lost = row.attempts >= ATTEMPTS_AT_LEAST && at - first >= GIVE_UP_AFTER;
        if done || lost {
            self.waiting.retain(|row| row.number != job.number);
        }
    }

    /// Drops a job whose event or endpoint is gone.
    pub fn drop_job(&mut self, job: &Job) {
        self.waiting.retain(|row| row.number != job.number);
    }

    /// The clock was moved to `now`: whatever has waited long enough by it is tried again at once.
    pub fn hurry(&mut self, now: i64) {
        for row in self.waiting.iter_mut().filter(|row| row.attempts > 0 && row.again_at <= now) {
            row.not_before = None;
        }
    }

    pub fn pending(&self) -> usize {
        self.waiting.len()
    }

    pub fn pending_for(&self, event: &str) -> usize {
        self.waiting.iter().filter(|row| row.event == event).count()
    }

    pub fn pending_events(&self) -> HashSet<String> {
        self.waiting.iter().map(|row| row.event.clone()).collect()
    }

    /// Event, type and number of attempts of everything that waits.
    pub fn waiting(&self) -> impl Iterator<Item = (&str, &str, u32)> {
        self.waiting.iter().map(|row| (row.event.as_str(), row.kind.as_str(), row.attempts))
    }

    /// Everything that was tried, oldest first.
    pub fn log(&self) -> impl DoubleEndedIterator<Item = &Attempt> {
        self.log.iter()
    }

    /// The attempts that are not in their file yet, oldest first.
    pub fn unkept(&self) -> impl Iterator<Item = &Attempt> {
        self.log.iter().skip(self.log.len().saturating_sub(self.unkept))
    }

    pub fn all_kept(&mut self) {
        self.unkept = 0;
    }

    /// Attempts of an earlier start.
    pub fn remember(&mut self, attempts: impl Iterator<Item = Attempt>) {
        self.log.extend(attempts);
    }

    pub fn forget(&mut self, events: &HashSet<String>) {
        self.waiting.retain(|row| !events.contains(&row.event));
    }

    pub fn forget_endpoint(&mut self, endpoint: &str) {
        self.waiting.retain(|row| row.endpoint != endpoint);
    }
}

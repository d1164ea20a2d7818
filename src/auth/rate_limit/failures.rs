//! governor's algorithm on our clock, with a memory that can be asked without being changed.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use governor::{
    clock,
    nanos::Nanos,
    state::{StateStore, keyed::ShrinkableKeyedStateStore},
};

use crate::clock::Clock;

/// Keys that are remembered; then the half that is forgiven soonest is forgotten. About 10 MB of addresses.
const MOST_KEYS: usize = 100_000;

/// One of us, as governor sees time.
#[derive(Clone)]
pub(super) struct LimiterClock(pub(super) Clock);

impl clock::Clock for LimiterClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        let micros = u64::try_from(self.0.now().timestamp_micros()).unwrap_or_default();
        Nanos::new(micros.saturating_mul(1_000))
    }
}

/// A key, and what the question does to its failures.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Ask<K> {
    key: K,
    effect: Effect,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Effect {
    OneMore,
    OneLess(Duration),
    Forgotten,
}

impl<K> Ask<K> {
    pub(super) fn counting(key: K) -> Self {
        Self { key, effect: Effect::OneMore }
    }

    /// Takes one failure back, which weighs so long.
    pub(super) fn giving_back(key: K, weight: Duration) -> Self {
        Self { key, effect: Effect::OneLess(weight) }
    }

    pub(super) fn forgiving(key: K) -> Self {
        Self { key, effect: Effect::Forgotten }
    }
}

/// Until when the failures of each key weigh.
pub(super) struct Failures<K>(Mutex<HashMap<K, Nanos>>);

impl<K> Default for Failures<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Hash + Eq> Failures<K> {
    fn lock(&self) -> MutexGuard<'_, HashMap<K, Nanos>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Hash + Eq + Clone> StateStore for Failures<K> {
    type Key = Ask<K>;

    fn measure_and_replace<T, F, E>(&self, ask: &Ask<K>, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut kept = self.lock();
        match ask.effect {
            Effect::OneLess(weight) => {
                if let Some(until) = kept.get_mut(&ask.key) {
                    *until = until.saturating_sub(weight.into());
                }
            }
            Effect::Forgotten => drop(kept.remove(&ask.key)),
            Effect::OneMore => {}
        }
        let (outcome, weighs_until) = decide(kept.get(&ask.key).copied())?;
        if ask.effect == Effect::OneMore {
            if kept.len() >= MOST_KEYS && !kept.contains_key(&ask.key) {
                forget_half(&mut kept);
            }
            kept.insert(ask.key.clone(), weighs_until);
        }
        Ok(outcome)
    }
}

impl<K: Hash + Eq + Clone> ShrinkableKeyedStateStore<Ask<K>> for Failures<K> {
    fn retain_recent(&self, drop_below: Nanos) {
        self.lock().retain(|_, weighs_until| *weighs_until > drop_below);
    }

    fn shrink_to_fit(&self) {
        self.lock().shrink_to_fit();
    }

    fn len(&self) -> usize {
        self.lock().len()
    }

    fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }
}

fn forget_half<K: Hash + Eq>(kept: &mut HashMap<K, Nanos>) {
    let mut ends: Vec<Nanos> = kept.values().copied().collect();
    let middle = ends.len() / 2;
    let (_, middle, _) = ends.select_nth_unstable(middle);
    kept.retain(|_, weighs_until| *weighs_until > *middle);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(failures: &Failures<usize>, key: usize, weighs_until: u64) {
        let _: Result<(), ()> =
            failures.measure_and_replace(&Ask::counting(key), |_| Ok(((), Nanos::new(weighs_until))));
    }

    #[test]
    fn the_memory_is_bounded_and_the_worst_are_kept() {
        let failures = Failures::default();
        count(&failures, usize::MAX, u64::MAX);
        for key in 0..MOST_KEYS * 3 {
            count(&failures, key, key as u64);
        }
        assert!(failures.len() <= MOST_KEYS);
        let kept = failures.lock();
        assert!(kept.contains_key(&usize::MAX) && kept.contains_key(&(MOST_KEYS * 3 - 1)));
    }

    #[test]
    fn equal_weights_are_bounded_too() {
        let failures = Failures::default();
        for key in 0..=MOST_KEYS {
            count(&failures, key, 5);
        }
        assert_eq!(failures.len(), 1);
    }
}

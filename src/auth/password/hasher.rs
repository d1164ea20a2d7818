use std::sync::{Arc, Mutex, PoisonError};

use argon2::{
    Algorithm, Argon2, Block, Params, PasswordHash, Version,
    password_hash::phc::{Output, ParamsString, Salt},
};
use subtle::ConstantTimeEq;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{Password, PasswordError, Typed};
use crate::clock::Entropy;

/// OWASP's parameters for argon2id: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
const HASH_BYTES: usize = 32;
/// A stored hash that asks for more was not made by us, and would take the machine's memory.
const MOST_MEMORY_KIB: u32 = 262_144;

/// Why there is no answer about a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    /// Too many wait already: 503 with Retry-After.
    #[error("too many passwords are being checked at the moment")]
    Busy,
    /// The stored hash can't be read.
    #[error("the stored password hash can't be read")]
    Stored,
    /// The work could not be done.
    #[error("hashing failed")]
    Failed,
}

/// The one place where passwords are hashed, so that a storm of log-ins takes neither the memory nor the processors
/// of everybody else: a few at a time, a few waiting, the others refused.
#[derive(Clone)]
pub struct Hasher(Arc<Inner>);

struct Inner {
    running: Arc<Semaphore>,
    /// Running and waiting.
    present: Arc<Semaphore>,
    capacity: usize,
    memory: Mutex<Vec<Vec<Block>>>,
    entropy: Entropy,
}

impl Hasher {
    /// Hashes `permits` passwords at a time while `queue` more may wait.
    pub fn new(permits: usize, queue: usize, entropy: Entropy) -> Self {
        let permits = permits.max(1);
        let capacity = permits.saturating_add(queue).min(Semaphore::MAX_PERMITS);
        Self(Arc::new(Inner {
            running: Arc::new(Semaphore::new(permits)),
            present: Arc::new(Semaphore::new(capacity)),
            capacity,
            memory: Mutex::default(),
            entropy,
        }))
    }

    /// Judges a new password, as [`Password::parse`] does.
    pub async fn judge(&self, typed: &str, personal: &[&str]) -> Result<Result<Password, PasswordError>, HashError> {
        // What the cheap limits refuse must not wait, nor be copied.
        if let Err(error) = Typed::parse(typed) {
            return Ok(Err(error));
        }
        let typed = typed.to_owned();
        let personal: Vec<String> = personal.iter().map(|&text| text.to_owned()).collect();
        self.run(move |_| {
            let personal: Vec<&str> = personal.iter().map(String::as_str).collect();
            Password::parse(&typed, &personal)
        })
        .await
    }

    /// The text to store for a password (a PHC string).
    pub async fn hash(&self, password: &Password) -> Result<String, HashError> {
        let typed = password.0.clone();
        let salt: [u8; 16] = self.0.entropy.bytes();
        self.run(move |memory| hash(&typed, &salt, memory)).await?
    }

    /// Whether what was typed is the password whose stored text is given. Without one (nobody has that address) it
    /// takes as long and is false.
    pub async fn verify(&self, typed: &Typed, stored: Option<&str>) -> Result<bool, HashError> {
        let (typed, stored) = (typed.clone(), stored.map(str::to_owned));
        self.run(move |memory| match stored {
            Some(stored) => verify(&typed, &stored, memory),
            None => hash(&typed, &[0; 16], memory).map(|_| false),
        })
        .await?
    }

    /// Does `work` when its turn comes. A caller that goes away while waiting leaves the queue; work that has begun
    /// is finished first, as the processor is not free before.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Vec<Block>) -> T + Send + 'static,
    ) -> Result<T, HashError> {
        let present = self.0.present.clone().try_acquire_owned().map_err(|_| HashError::Busy)?;
        let running = self.0.running.clone().acquire_owned().await.map_err(|_| HashError::Failed)?;
        let inner = self.0.clone();
        let turn = move || {
            let mut memory = inner.take_memory();
            let result = work(&mut memory);
            inner.give_back(memory, present);
            drop(running);
            result
        };
        tokio::task::spawn_blocking(turn).await.map_err(|_| HashError::Failed)
    }
}

impl Inner {
    fn take_memory(&self) -> Vec<Block> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Keeps the memory for those who follow; the last one frees all of it.
    fn give_back(&self, memory: Vec<Block>, present: OwnedSemaphorePermit) {
        drop(present);
        let mut kept = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if self.present.available_permits() == self.capacity {
            kept.clear();
        } else {
            kept.push(memory);
        }
    }
}

fn hash(typed: &Typed, salt: &[u8], memory: &mut Vec<Block>) -> Result<String, HashError> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, Some(HASH_BYTES)).map_err(|_| HashError::Failed)?;
    let written = ParamsString::try_from(&params).map_err(|_| HashError::Failed)?;
    let output = compute(Algorithm::Argon2id, Version::V0x13, params, typed, salt, memory)?;
    let phc = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: written,
        salt: Some(Salt::new(salt).map_err(|_| HashError::Failed)?),
        hash: Some(Output::new(&output).map_err(|_| HashError::Failed)?),
    };
    Ok(phc.to_string())
}

fn verify(typed: &Typed, stored: &str, memory: &mut Vec<Block>) -> Result<bool, HashError> {
    let phc = PasswordHash::new(stored).map_err(|_| HashError::Stored)?;
    let (Some(salt), Some(expected)) = (&phc.salt, &phc.hash) else { return Err(HashError::Stored) };
    let algorithm = Algorithm::try_from(phc.algorithm.as_str()).map_err(|_| HashError::Stored)?;
    let version = phc.version.map_or(Ok(Version::V0x13), Version::try_from).map_err(|_| HashError::Stored)?;
    let params =
        Params::try_from(&phc).ok().filter(|params| params.m_cost() <= MOST_MEMORY_KIB).ok_or(HashError::Stored)?;
    let output = compute(algorithm, version, params, typed, salt, memory)?;
    Ok(output.ct_eq(expected.as_bytes()).into())
}

fn compute(
    algorithm: Algorithm,
    version: Version,
    params: Params,
    typed: &Typed,
    salt: &[u8],
    memory: &mut Vec<Block>,
) -> Result<Vec<u8>, HashError> {
    memory.resize(params.block_count().max(memory.len()), Block::default());
    let mut output = vec![0; params.output_len().unwrap_or(HASH_BYTES)];
    let argon2 = Argon2::new(algorithm, version, params);
    argon2
        .hash_password_into_with_memory(typed.as_bytes(), salt, &mut output, memory.as_mut_slice())
        .map_err(|_| HashError::Failed)?;
    Ok(output)
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            atomic::{AtomicUsize, Ordering},
            mpsc,
        },
        time::{Duration, Instant},
    };

    use super::*;

    fn hasher(permits: usize, queue: usize) -> Hasher {
        Hasher::new(permits, queue, Entropy)
    }

    fn typed(text: &str) -> Typed {
        Typed::parse(text).unwrap()
    }

    #[tokio::test]
    async fn a_password_is_recognised_and_another_is_not() {
        let hasher = hasher(1, 8);
        let password = hasher.judge("fjord-lantern-café", &["ada"]).await.unwrap().unwrap();
        let stored = hasher.hash(&password).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert!(!stored.contains("fjord"));
        assert_ne!(stored, hasher.hash(&password).await.unwrap(), "the salt is not random");
        for (text, same) in [
            ("fjord-lantern-café", true),
            ("fjord-lantern-cafe\u{301}", true),
            ("fjord-lantern-cafe", false),
            ("Fjord-lantern-café", false),
        ] {
            assert_eq!(hasher.verify(&typed(text), Some(&stored)).await, Ok(same), "{text}");
        }
    }

    #[tokio::test]
    async fn a_hash_of_other_parameters_is_still_read() {
        // argon2id of "password", made by the reference implementation with m=65536,t=2,p=1 and salt "somesalt".
        let stored = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        let hasher = hasher(1, 8);
        assert_eq!(hasher.verify(&typed("password"), Some(stored)).await, Ok(true));
        assert_eq!(hasher.verify(&typed("passw0rd"), Some(stored)).await, Ok(false));
        for unreadable in [
            "",
            "plain",
            "$argon2id$v=19$m=19456,t=2,p=1",
            "$bcrypt$x$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
            "$argon2id$v=19$m=262145,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
            "$argon2id$v=19$m=0,t=0,p=0$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        ] {
            assert_eq!(hasher.verify(&typed("x"), Some(unreadable)).await, Err(HashError::Stored), "{unreadable}");
        }
    }

    #[tokio::test]
    async fn an_unknown_person_costs_as_much_as_a_known_one() {
        let hasher = hasher(1, 8);
        let stored = hasher.hash(&Password::parse("fjord-lantern-42", &[]).unwrap()).await.unwrap();
        let wrong = typed("some other text");
        let mut costs = [Duration::MAX; 2];
        for _ in 0..12 {
            for (cost, stored) in costs.iter_mut().zip([Some(stored.as_str()), None]) {
                let start = Instant::now();
                assert_eq!(hasher.verify(&wrong, stored).await, Ok(false));
                *cost = start.elapsed().min(*cost);
            }
        }
        let [known, unknown] = costs;
        // Without its hash an unknown person would cost a thousandth; the bound leaves room for a busy machine.
        assert!(unknown * 4 > known && known * 4 > unknown, "{known:?} {unknown:?}");
    }

    #[tokio::test]
    async fn only_so_many_run_at_once_and_wait() {
        let hasher = hasher(2, 3);
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let tasks: Vec<_> = (0..20)
            .map(|_| {
                let (hasher, now, most) = (hasher.clone(), now.clone(), most.clone());
                tokio::spawn(async move {
                    hasher
                        .run(move |_| {
                            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                            std::thread::sleep(Duration::from_millis(50));
                            now.fetch_sub(1, Ordering::SeqCst);
                        })
                        .await
                })
            })
            .collect();
        let mut busy = 0;
        for task in tasks {
            busy += usize::from(task.await.unwrap() == Err(HashError::Busy));
        }
        assert_eq!((busy, most.load(Ordering::SeqCst)), (15, 2));
        assert_eq!(hasher.run(|_| 7).await, Ok(7));
    }

    #[tokio::test]
    async fn whoever_goes_away_leaves_the_queue() {
        let hasher = hasher(1, 1);
        let (release, held) = mpsc::channel::<()>();
        let first = tokio::spawn({
            let hasher = hasher.clone();
            async move { hasher.run(move |_| held.recv().is_ok()).await }
        });
        let waiting = tokio::spawn({
            let hasher = hasher.clone();
            async move { hasher.run(|_| ()).await }
        });
        while hasher.0.present.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(hasher.run(|_| ()).await, Err(HashError::Busy));
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        assert_eq!(hasher.0.present.available_permits(), 1);

        first.abort();
        assert!(first.await.is_err());
        assert_eq!(hasher.0.running.available_permits(), 0, "work that has begun was forgotten");
        let next = tokio::spawn({
            let hasher = hasher.clone();
            async move { hasher.run(|_| 7).await }
        });
        release.send(()).unwrap();
        assert_eq!(next.await.unwrap(), Ok(7));
        assert_eq!((hasher.0.running.available_permits(), hasher.0.present.available_permits()), (1, 2));
    }

    #[tokio::test]
    async fn work_that_panics_gives_its_place_back() {
        let hasher = hasher(1, 0);
        assert_eq!(hasher.run(|_| -> u8 { panic!("as if") }).await, Err(HashError::Failed));
        assert_eq!(hasher.run(|_| 7).await, Ok(7));
    }

    #[tokio::test]
    async fn memory_is_kept_in_a_storm_and_freed_after_it() {
        let hasher = hasher(1, 4);
        let (release, held) = mpsc::channel::<()>();
        let first = tokio::spawn({
            let hasher = hasher.clone();
            async move { hasher.run(move |memory| (memory.resize(100, Block::default()), held.recv().is_ok())).await }
        });
        let second = tokio::spawn({
            let hasher = hasher.clone();
            async move { hasher.run(|memory| memory.len()).await }
        });
        while hasher.0.present.available_permits() > 3 {
            tokio::task::yield_now().await;
        }
        release.send(()).unwrap();
        first.await.unwrap().unwrap();
        assert_eq!(second.await.unwrap(), Ok(100));
        assert!(hasher.0.memory.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn what_the_cheap_limits_refuse_does_not_wait() {
        let hasher = hasher(1, 0);
        let _held = hasher.0.present.clone().try_acquire_owned().unwrap();
        let huge = "x".repeat(5_000_000);
        assert_eq!(hasher.judge(&huge, &[]).await, Ok(Err(PasswordError::TooLong)));
        assert_eq!(hasher.judge("fjord-lantern-42", &[]).await, Err(HashError::Busy));
    }
}

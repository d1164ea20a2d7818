//! The sandbox that all requests and tasks share: one state behind one lock, kept in its file after each change.

use std::{
    io,
    path::Path,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use tokio::sync::{Notify, futures::Notified};

use super::{
    control::{Fault, Faults, Request, Requests},
    delivery::{Attempt, Job},
    file::Files,
    json::shape::NEWEST,
    world::{APP_ENDPOINT, Cause, Metadata, State, WebhookEndpoint, World},
};
use crate::clock::Clock;

pub struct Sandbox {
    clock: Clock,
    files: Files,
    state: Mutex<State>,
    requests: Mutex<Requests>,
    faults: Mutex<Faults>,
    wake: Notify,
    /// Something changed that is not in the files yet.
    unkept: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sandbox {
    /// Opens what is kept in the folder, or begins with the stock of prices. `base` is the sandbox's own address.
    ///
    /// # Errors
    /// The folder can't be made, or its file can't be read.
    pub fn open(data_dir: &Path, base: &str, clock: Clock) -> io::Result<Self> {
        let files = Files::in_folder(data_dir)?;
        let mut state = if let Some(state) = files.read()? {
            state
        } else {
            let mut state = State::default();
            state.stock(clock.now().timestamp());
            state
        };
        base.clone_into(&mut state.base);
        Ok(Self {
            clock,
            files,
            state: Mutex::new(state),
            requests: Mutex::default(),
            faults: Mutex::default(),
            wake: Notify::new(),
            unkept: AtomicBool::new(false),
        })
    }

    /// UNIX seconds by the shared clock.
    pub fn now(&self) -> i64 {
        self.clock.now().timestamp()
    }

    /// The clock's time as HTTP writes it.
    pub fn http_date(&self) -> String {
        self.clock.now().format("%a, %d %b %Y %H:%M:%S GMT").to_string()
    }

    /// Looks at the world as it is now; what was due meanwhile has happened.
    pub fn look<R>(&self, question: impl FnOnce(&mut World) -> R) -> R {
        let mut state = lock(&self.state);
        let (answer, happened) = {
            let mut world = World::new(&mut state, self.now());
            let happened = world.run_until(self.now());
            (question(&mut world), happened)
        };
        if happened {
            self.keep(&mut state);
        }
        answer
    }

    /// Changes the world as it is now, and keeps the change.
    pub fn change<R>(&self, cause: Cause, change: impl FnOnce(&mut World) -> R) -> R {
        let mut state = lock(&self.state);
        let mut world = World::new(&mut state, self.now());
        world.run_until(self.now());
        world.cause = cause;
        let answer = change(&mut world);
        self.keep(&mut state);
        answer
    }

    /// Moves the clock forward for everybody who shares it, and lets everything happen that lies between.
    ///
    /// # Errors
    /// The clock can't be moved so.
    pub fn advance(&self, seconds: i64) -> io::Result<i64> {
        let mut state = lock(&self.state);
        let mut world = World::new(&mut state, self.now());
        world.run_until(self.now());
        self.clock.advance(seconds)?;
        world.run_until(self.now());
        let now = self.now();
        world.state.deliveries.hurry(now);
        self.keep(&mut state);
        Ok(self.now())
    }

    fn keep(&self, state: &mut State) {
        if let Err(error) = self.files.keep(state) {
            tracing::error!(%error, "the sandbox can't keep its state");
        }
        self.unkept.store(false, Ordering::Release);
        self.wake.notify_one();
    }

    /// Keeps what may wait: the outcome of deliveries. When it is lost, an event goes out once more.
    pub fn keep_rest(&self) {
        if self.unkept.swap(false, Ordering::AcqRel) {
            self.keep(&mut lock(&self.state));
        }
    }

    /// Sets the address or the secret of the app's own endpoint.
    pub fn set_app_endpoint(&self, url: Option<String>, secret: Option<String>) {
        self.change(Cause::default(), |world| {
            if world.get::<WebhookEndpoint>(APP_ENDPOINT).is_none() {
                world.state.webhook_endpoints.add(WebhookEndpoint {
                    id: APP_ENDPOINT.to_owned(),
                    created: world.now,
                    url: None,
                    secret: String::new(),
                    enabled: true,
                    enabled_events: vec!["*".to_owned()],
                    api_version: None,
                    description: Some(format!("Turnpike beside this sandbox (API {NEWEST})")),
                    metadata: Metadata::new(),
                });
            }
            world.edit::<WebhookEndpoint>(APP_ENDPOINT, |endpoint| {
                endpoint.url = url.or(endpoint.url.take());
                endpoint.secret = secret.unwrap_or_else(|| std::mem::take(&mut endpoint.secret));
            });
        });
    }

    pub fn woken(&self) -> Notified<'_> {
        self.wake.notified()
    }

    pub fn parallel(&self) -> usize {
        lock(&self.state).deliveries.settings.parallel
    }

    pub fn take_job(&self) -> Option<Job> {
        let mut state = lock(&self.state);
        let ready: Vec<String> = state
            .webhook_endpoints
            .iter()
            .filter(|endpoint| endpoint.enabled && endpoint.url.is_some())
            .map(|endpoint| endpoint.id.clone())
            .collect();
        state.deliveries.take(Instant::now(), |endpoint| ready.iter().any(|id| id == endpoint))
    }

    pub fn next_wake(&self) -> Option<Instant> {
        let state = lock(&self.state);
        state.deliveries.next_wake().filter(|_| !state.deliveries.settings.hold)
    }

    pub fn record(&self, job: &Job, attempt: Attempt) {
        let mut state = lock(&self.state);
        state.deliveries.record(job, attempt, Instant::now());
        self.unkept.store(true, Ordering::Release);
    }

    pub fn drop_job(&self, job: &Job) {
        lock(&self.state).deliveries.drop_job(job);
    }

    /// Remembers a request; the number to note its answer under.
    pub fn note_request(&self, request: Request) -> u64 {
        lock(&self.requests).add(request)
    }

    pub fn note_answer(&self, entry: u64, status: u16) {
        lock(&self.requests).answered(entry, status);
    }

    pub fn requests(&self) -> Vec<Request> {
        lock(&self.requests).all()
    }

    /// The fault that this request is to meet, if one was asked for.
    pub fn take_fault(&self, method: &str, path: &str) -> Option<Fault> {
        lock(&self.faults).take(method, path)
    }

    pub fn faults<R>(&self, change: impl FnOnce(&mut Faults) -> R) -> R {
        change(&mut lock(&self.faults))
    }
}

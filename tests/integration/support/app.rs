//! The real program on a free port, with a clock that the test moves, on either database.

use std::{
    net::SocketAddr,
    ops::Deref,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, mpsc},
    thread::JoinHandle,
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use turnpike::{
    billing::Billing,
    clock::Clock,
    config::{Config, Secret},
    jobs::{self, Report},
    mail::Mailer,
    startup::{self, Application, StopHandle},
    store::{Location, Store},
};

use super::{
    client::{Answer, JSON, Visitor, http_client},
    database::{Database, Engine},
    member::Member,
    outbox::{self, Mail},
    postgres::PostgresDatabase,
    stripe,
};

/// The moment at which every test begins, unless it says otherwise: the first row of the table of `docs/rules.md §2`.
pub const START: &str = "2026-08-31T10:15:30Z";

/// A running program. Clones are handles on the same one; it stops with the test.
#[derive(Clone)]
pub struct App(Arc<Running>);

/// What a running program consists of.
pub struct Running {
    pub clock: Clock,
    pub address: SocketAddr,
    pub database: Database,
    pub store: Store,
    sandbox: Option<SocketAddr>,
    config: Config,
    _server: Server,
    folder: TempDir,
}

/// How an app differs from the usual one.
pub struct Setup {
    engine: Engine,
    clock: Clock,
    settings: Vec<(String, String)>,
    file: String,
}

/// Runs `body` on a fresh app of the usual kind.
pub fn run<F: Future<Output = ()>>(engine: Engine, body: impl FnOnce(App) -> F) {
    Setup::on(engine).run(body);
}

impl Setup {
    /// The usual one: a clock that stands at [`START`], the sandbox as Stripe, no background work.
    pub fn on(engine: Engine) -> Self {
        let setup =
            Self { engine, clock: Clock::frozen_at(START.parse().unwrap()), settings: Vec::new(), file: String::new() };
        setup
            .with("TURNPIKE_LISTEN", "127.0.0.1:0")
            .with("TURNPIKE_SANDBOX_LISTEN", "127.0.0.1:0")
            .with("TURNPIKE_STRIPE_WEBHOOK_SECRET", stripe::WEBHOOK_SECRET)
            .with("TURNPIKE_JOBS_INTERVAL_SECONDS", "0")
    }

    /// With this setting.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.settings.retain(|(known, _)| known != name);
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With this settings file.
    pub fn with_file(self, text: &str) -> Self {
        Self { file: text.to_owned(), ..self }
    }

    /// With this setting, unless it is set.
    fn or(self, name: &str, value: &str) -> Self {
        if self.settings.iter().any(|(known, _)| known == name) { self } else { self.with(name, value) }
    }

    /// Starts it, runs `body`, and stops it.
    pub fn run<F: Future<Output = ()>>(self, body: impl FnOnce(App) -> F) {
        let app = self.start();
        // Declared after the app, so that it ends first: a stopping server waits for open connections.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(body(app.clone()));
    }

    fn start(self) -> App {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("turnpike.toml"), &self.file).unwrap();
        let database = match self.engine {
            Engine::Sqlite => Database::Sqlite(folder.path().join("data").join("turnpike.db")),
            Engine::Postgres => Database::Postgres(PostgresDatabase::copy_of(template())),
        };
        let settings = self
            .or("TURNPIKE_MAIL", &format!("dir:{}", folder.path().join("outbox").display()))
            .with("TURNPIKE_DATABASE_URL", &database.url())
            .with("TURNPIKE_CONTENT_DIR", concat!(env!("CARGO_MANIFEST_DIR"), "/content"));
        let mut config = config(folder.path(), &settings.settings);
        let server = Server::start(config.clone(), settings.clock.clone()).unwrap();
        super::letters::keep_new_people_unasked(&database);
        // For those who work beside the server.
        config.bound_to(server.address);
        config.sandbox_listen = server.sandbox.unwrap_or(config.sandbox_listen);
        App(Arc::new(Running {
            clock: settings.clock,
            address: server.address,
            sandbox: server.sandbox,
            store: server.store.clone(),
            database,
            config,
            _server: server,
            folder,
        }))
    }
}

impl Deref for App {
    type Target = Running;
    fn deref(&self) -> &Running {
        &self.0
    }
}

impl App {
    /// Somebody without a session.
    pub fn visitor(&self) -> Visitor {
        Visitor::new(self.address)
    }

    /// Somebody who signed up just now, and so is in the trial.
    pub async fn member(&self) -> Member {
        Member::sign_up(self, &format!("person{}@example.com", next_number())).await
    }

    /// Somebody who signed up just now, and whose address is confirmed.
    pub async fn confirmed_member(&self) -> Member {
        let member = self.member().await;
        self.knows_address_of(&member);
        member
    }

    /// Takes the address of somebody for confirmed.
    pub fn knows_address_of(&self, member: &Member) {
        let row = format!("email = '{}' AND email_confirmed_at IS NULL", member.email);
        self.database.execute(&format!("UPDATE users SET email_confirmed_at = created_at WHERE {row}"));
    }

    /// Somebody who signed up so long ago that the trial is just over.
    pub async fn member_after_trial(&self) -> Member {
        let member = self.member().await;
        if self.now() < member.trial_end {
            self.move_to(member.trial_end);
        }
        member.log_in().await;
        member
    }

    /// Deletes all accounts; the hashes of addresses that had a trial stay.
    pub fn forget_everybody(&self) {
        self.database.execute("DELETE FROM sessions; DELETE FROM subscriptions; DELETE FROM users");
    }

    /// The folder of the mails.
    pub fn outbox_folder(&self) -> PathBuf {
        self.folder.path().join("outbox")
    }

    /// All mails that were sent, oldest first. Waits for those that are about to be.
    pub async fn outbox(&self) -> Vec<Mail> {
        let untried = || async { self.database.count("mails", "due_at IS NOT NULL AND error IS NULL") == 0 };
        self.eventually("the mails in the queue", untried).await;
        outbox::read(&self.outbox_folder())
    }

    /// What `turnpike jobs run` works with: the same database and Stripe, and the app's clock.
    async fn beside(&self) -> (Billing, Mailer) {
        startup::open_work(&self.config, self.clock.clone()).await.unwrap()
    }

    /// A second one of all that we do with Stripe.
    pub async fn billing(&self) -> Billing {
        self.beside().await.0
    }

    /// A second sender of mails.
    pub async fn mailer(&self) -> Mailer {
        self.beside().await.1
    }

    /// Background work, once.
    pub async fn run_jobs(&self) -> Report {
        let (billing, mailer) = self.beside().await;
        jobs::run_once(&billing, &mailer).await.unwrap()
    }

    /// A second server on the same database, with a sandbox of its own.
    pub fn second_server(&self) -> Server {
        let mut config = self.config.clone();
        config.listen.set_port(0);
        config.sandbox_listen.set_port(0);
        config.data_dir = self.folder.path().join("second");
        Server::start(config, self.clock.clone()).unwrap()
    }

    /// A second server on the same database and with the same data, but with these secrets.
    pub fn server_with_cookie_secret(&self, secret: &str) -> Server {
        let mut config = self.config.clone();
        config.listen.set_port(0);
        config.sandbox_listen.set_port(0);
        config.data_dir = self.folder.path().join("other");
        config.cookie_secret = Some(Secret::new(secret));
        Server::start(config, self.clock.clone()).unwrap()
    }

    /// How many events the journal holds.
    pub fn events_recorded(&self) -> i64 {
        self.database.count("webhook_events", "1 = 1")
    }

    /// What the clock says.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: TimeDelta) {
        self.clock.advance(by.num_seconds()).unwrap();
    }

    /// Moves the clock to `moment`, which must not be past.
    pub fn move_to(&self, moment: DateTime<Utc>) {
        self.advance(moment - self.now());
        assert_eq!(self.now(), moment);
    }

    /// Sends an event as Stripe does, signed now.
    pub async fn deliver(&self, event: &Value) -> Answer {
        self.deliver_bytes(event.to_string().into_bytes()).await
    }

    /// The same with any body.
    pub async fn deliver_bytes(&self, body: Vec<u8>) -> Answer {
        let signature = stripe::signature(stripe::WEBHOOK_SECRET, self.now().timestamp(), &body);
        self.deliver_signed(body, &signature).await
    }

    /// The same with any signature.
    pub async fn deliver_signed(&self, body: Vec<u8>, signature: &str) -> Answer {
        let request = http_client().post(format!("http://{}/webhooks/stripe", self.address));
        let request =
            request.header("Stripe-Signature", signature).header("Content-Type", "application/json; charset=utf-8");
        Answer::read(request.body(body).send().await.unwrap()).await
    }

    /// Asks the sandbox's control surface, or Stripe's paths beside it.
    pub async fn sandbox(&self, method: Method, path: &str, body: Value) -> Value {
        let mut request = http_client().request(method, format!("http://{}{path}", self.sandbox_address()));
        request = request.header("Accept", JSON).bearer_auth("sk_test_of_the_tests");
        if !body.is_null() {
            request = request.header("Content-Type", JSON).body(body.to_string());
        }
        let answer = Answer::read(request.send().await.unwrap()).await;
        assert!((200..300).contains(&answer.status), "{path}: {} {}", answer.status, answer.text());
        answer.json()
    }

    /// Where the sandbox listens.
    pub fn sandbox_address(&self) -> SocketAddr {
        self.sandbox.expect("this app has no sandbox")
    }

    /// Moves the sandbox's clock, and so the app's, and waits until everything that lies between has arrived.
    pub async fn advance_stripe(&self, by: TimeDelta) {
        self.move_stripe(by).await;
        self.deliveries_done().await;
    }

    /// Moves the sandbox's clock, and so the app's, and waits for nothing.
    pub async fn move_stripe(&self, by: TimeDelta) {
        self.sandbox(Method::POST, "/_sandbox/clock", json!({ "advance_seconds": by.num_seconds() })).await;
    }

    /// Waits until the sandbox has nothing more to send.
    pub async fn deliveries_done(&self) {
        let done = self.sandbox(Method::GET, "/_sandbox/deliveries?wait_ms=20000", Value::Null).await;
        assert_eq!(done["pending"], 0, "the sandbox could not deliver: {done}");
    }

    /// Waits until `fulfilled` says so; for what happens behind a request.
    pub async fn eventually<F: Future<Output = bool>>(&self, what: &str, fulfilled: impl Fn() -> F) {
        for _ in 0..200 {
            if fulfilled().await {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("waited in vain for {what}");
    }
}

/// A server on a thread of its own.
pub struct Server {
    pub address: SocketAddr,
    pub sandbox: Option<SocketAddr>,
    pub store: Store,
    stop: Option<StopHandle>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Builds and runs it; the reason if it can't be built.
    pub fn start(config: Config, clock: Clock) -> Result<Self, String> {
        let (ready, answer) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let application = match Application::build(config, clock).await {
                    Ok(application) => application,
                    Err(error) => return ready.send(Err(error.to_string())).unwrap(),
                };
                let addresses = (application.address(), application.sandbox_address());
                let started = (addresses, application.store(), application.stop_handle());
                ready.send(Ok(started)).unwrap();
                application.run().await.unwrap();
            });
        });
        let ((address, sandbox), store, stop) = answer.recv().expect("the server's thread ended")?;
        Ok(Self { address, sandbox, store, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Some(stop) = self.stop.take() else { return };
        let stopping = std::thread::spawn(move || actix_web::rt::System::new().block_on(stop.stop()));
        let stopped = stopping.join().is_ok() && self.thread.take().is_none_or(|thread| thread.join().is_ok());
        assert!(stopped || std::thread::panicking(), "the server panicked");
    }
}

/// The settings as the environment would give them, in this folder.
pub fn config(folder: &Path, settings: &[(String, String)]) -> Config {
    let environment = settings.iter().map(|(name, value)| (name.into(), value.into()));
    Config::load(environment, folder).unwrap()
}

/// A migrated database, from which all others are copied.
fn template() -> &'static str {
    static TEMPLATE: OnceLock<PostgresDatabase> = OnceLock::new();
    let database = TEMPLATE.get_or_init(|| {
        let database = PostgresDatabase::empty();
        Store::migrate(&Location::Postgres(database.url())).unwrap();
        database
    });
    database.name()
}

fn next_number() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

/// Runs each of these functions as a test on both databases: `name::sqlite` and `name::postgres`.
#[macro_export]
macro_rules! on_both {
    ($($name:ident),+ $(,)?) => { $(
        mod $name {
            use $crate::support::{app::run, database::Engine};

            #[test]
            fn sqlite() {
                run(Engine::Sqlite, super::$name);
            }

            #[test]
            fn postgres() {
                run(Engine::Postgres, super::$name);
            }
        }
    )+ };
}

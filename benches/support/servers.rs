//! The servers that are measured.

use std::{
    env,
    net::SocketAddr,
    path::Path,
    process,
    sync::{Arc, mpsc},
    thread,
};

use actix_web::{App, HttpResponse, HttpServer, rt::System, web};
use askama::Template;
use chrono_tz::Tz;
use diesel::{Connection, PgConnection, RunQueryDsl};
use tempfile::TempDir;
use turnpike::{
    clock::Clock,
    config::Config,
    content::Library,
    pages::{
        frame::{Frame, Viewer},
        moment::Moment,
        premium::{Pass, PremiumArticle},
    },
    startup::Application,
};

const PAGE: &str = "/premium/how-access-is-decided";
/// With what webhooks are signed.
pub const WEBHOOK_SECRET: &str = "whsec_of_the_measurement";
const CONTENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/content");

/// One server and what it is measured with.
pub struct Contestant {
    pub name: &'static str,
    pub address: SocketAddr,
    pub requests: Arc<[Vec<u8>]>,
    /// Removed at the end.
    _folder: Option<TempDir>,
    _database: Option<Database>,
}

/// A handler that renders the same page, and nothing else: no session, no database, no middleware.
pub fn bare() -> Contestant {
    let address = on_own_thread(|started| async move {
        let server = HttpServer::new(|| {
            let library = Library::open(Path::new(CONTENT)).unwrap();
            App::new().app_data(web::Data::new(library)).route("/premium/{slug}", web::get().to(page))
        });
        let server = server.bind("127.0.0.1:0").unwrap().disable_signals();
        started.send(server.addrs()[0]).unwrap();
        server.run().await.unwrap();
    });
    Contestant { name: "bare handler", address, requests: request(address, ""), _folder: None, _database: None }
}

async fn page(slug: web::Path<String>, library: web::Data<Library>) -> HttpResponse {
    let until = Moment::new(chrono::DateTime::UNIX_EPOCH, Tz::Europe__Berlin, turnpike::domain::user::Language::En);
    let viewer =
        Viewer { name: "Ada Lovelace".to_owned(), email: "ada@example.com".to_owned(), staff: false, admin: false };
    let frame = Frame::new(format!("/premium/{slug}")).with_viewer(viewer);
    let page = PremiumArticle {
        frame: frame.with_sandbox(Some("http://127.0.0.1:8081".to_owned())),
        article: library.article(&slug).unwrap(),
        next: library.after(&slug),
        pass: Pass { until, renews: false },
    };
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(page.render().unwrap())
}

/// The whole program on SQLite, with a member in the trial.
pub fn gate_on_sqlite() -> Contestant {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("turnpike.db").display().to_string();
    gate("gate on SQLite", folder, &file, None)
}

/// The same on the PostgreSQL that `TURNPIKE_TEST_POSTGRES` names.
pub fn gate_on_postgres() -> Option<Contestant> {
    let database = Database::on_test_server()?;
    let url = database.url();
    Some(gate("gate on PostgreSQL", tempfile::tempdir().unwrap(), &url, Some(database)))
}

fn gate(name: &'static str, folder: TempDir, database_url: &str, database: Option<Database>) -> Contestant {
    let address = program(folder.path(), database_url);
    let requests = request(address, &cookie_of_a_member(address));
    Contestant { name, address, requests, _folder: Some(folder), _database: database }
}

/// Starts the whole program on this database.
pub fn program(folder: &Path, database_url: &str) -> SocketAddr {
    program_with(folder, database_url, &[])
}

/// The same with more settings.
pub fn program_with(folder: &Path, database_url: &str, more: &[(&str, &str)]) -> SocketAddr {
    let usual = [
        ("TURNPIKE_LISTEN", "127.0.0.1:0"),
        ("TURNPIKE_SANDBOX_LISTEN", "127.0.0.1:0"),
        ("TURNPIKE_DATABASE_URL", database_url),
        ("TURNPIKE_CONTENT_DIR", CONTENT),
        ("TURNPIKE_STRIPE_WEBHOOK_SECRET", WEBHOOK_SECRET),
    ];
    let settings = usual.iter().chain(more).map(|(name, value)| ((*name).into(), (*value).into()));
    let config = Config::load(settings, folder).unwrap();
    on_own_thread(|started| async move {
        let application = Application::build(config, Clock::system()).await.unwrap();
        started.send(application.address()).unwrap();
        application.run().await.unwrap();
    })
}

/// Starts a server that lives as long as the process, and gives its address.
fn on_own_thread<F: Future<Output = ()>>(
    server: impl FnOnce(mpsc::Sender<SocketAddr>) -> F + Send + 'static,
) -> SocketAddr {
    let (started, address) = mpsc::channel();
    thread::spawn(move || System::new().block_on(server(started)));
    address.recv().unwrap()
}

fn request(address: SocketAddr, cookie: &str) -> Arc<[Vec<u8>]> {
    let request = format!("GET {PAGE} HTTP/1.1\r\nHost: {address}\r\nAccept: text/html\r\nCookie: {cookie}\r\n\r\n");
    Arc::new([request.into_bytes()])
}

/// Signs somebody up and gives the cookie.
pub fn cookie_of_a_member(address: SocketAddr) -> String {
    let form = [
        ("email", "ada@example.com"),
        ("password", "Correct horse, battery staple 7"),
        ("first_name", "Ada"),
        ("last_name", "Lovelace"),
        ("time_zone", "Europe/Berlin"),
        ("accept_terms", "on"),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build().unwrap();
        let answer = client.post(format!("http://{address}/signup")).form(&form).send().await.unwrap();
        assert_eq!(answer.status(), 303, "the member could not sign up");
        let cookies = answer.headers().get_all("set-cookie").iter();
        let mut pairs = cookies.map(|line| line.to_str().unwrap().split(';').next().unwrap().to_owned());
        pairs.find(|pair| pair.starts_with("turnpike=")).expect("a session's cookie")
    })
}

/// A database that is dropped at the end.
pub struct Database {
    server: String,
    name: String,
}

impl Database {
    /// A new one on the PostgreSQL that `TURNPIKE_TEST_POSTGRES` names.
    pub fn on_test_server() -> Option<Self> {
        let Ok(server) = env::var("TURNPIKE_TEST_POSTGRES") else {
            println!("PostgreSQL is left out: TURNPIKE_TEST_POSTGRES is not set (tests/run -- cargo bench ...)");
            return None;
        };
        let database = Self { server, name: format!("turnpike_bench_{}", process::id()) };
        database.on_server("CREATE DATABASE");
        Some(database)
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("{}/{}", self.server.rsplit_once('/').unwrap().0, self.name)
    }

    fn on_server(&self, what: &str) {
        let mut connection = PgConnection::establish(&self.server).unwrap();
        let end = if what.starts_with("DROP") { " WITH (FORCE)" } else { "" };
        diesel::sql_query(format!("{what} {}{end}", self.name)).execute(&mut connection).unwrap();
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.on_server("DROP DATABASE");
    }
}

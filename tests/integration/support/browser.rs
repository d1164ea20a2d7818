//! A real Chromium, driven over the WebDriver protocol.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{client::http_client, raw};

/// How long a page may take to show what is awaited.
const PATIENCE: Duration = Duration::from_secs(20);

/// The key Enter, as WebDriver writes it.
pub const ENTER: &str = "\u{E007}";

/// The key Tab.
pub const TAB: &str = "\u{E004}";

/// The key under which WebDriver gives an element's reference.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// One browser window with an empty profile. It ends with the value.
pub struct Browser {
    driver: Child,
    address: SocketAddr,
    http: reqwest::Client,
    session: String,
    profile: TempDir,
}

/// Something on a page.
pub struct Element<'a> {
    browser: &'a Browser,
    reference: String,
}

impl Browser {
    /// Starts a driver on a free port, and with it a browser.
    pub async fn start() -> Self {
        Self::start_with(json!({})).await
    }

    /// The same with more of Chromium's preferences, such as switched-off scripts.
    pub async fn start_without_scripts() -> Self {
        Self::start_with(json!({ "profile.managed_default_content_settings.javascript": 2 })).await
    }

    async fn start_with(preferences: Value) -> Self {
        for program in ["/usr/bin/chromium", "/usr/bin/chromedriver"] {
            assert!(Path::new(program).exists(), "these tests need {program}: run tests/run, which installs it");
        }
        let (driver, address) = start_driver();
        let profile = tempfile::tempdir().unwrap();
        let mut browser =
            Self { driver, address, http: http_client(), session: format!("http://{address}/session"), profile };
        let capabilities = browser.capabilities(&preferences);
        let answer = browser.command(Method::POST, "", Some(capabilities)).await.unwrap();
        browser.session = format!("{}/{}", browser.session, answer["sessionId"].as_str().unwrap());
        browser
    }

    fn capabilities(&self, preferences: &Value) -> Value {
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--lang=en-GB",
            "--window-size=1280,900",
        ];
        let mut arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
        arguments.push(format!("--user-data-dir={}", self.profile.path().display()));
        json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "binary": "/usr/bin/chromium", "args": arguments, "prefs": preferences },
            "goog:loggingPrefs": { "browser": "ALL" },
        } } })
    }

    /// Types an address.
    pub async fn open(&self, address: SocketAddr, path: &str) {
        self.command(Method::POST, "/url", Some(json!({ "url": format!("http://{address}{path}") }))).await.unwrap();
    }

    /// The button Back.
    pub async fn back(&self) {
        self.command(Method::POST, "/back", Some(json!({}))).await.unwrap();
    }

    /// The address that is shown.
    pub async fn url(&self) -> String {
        self.command(Method::GET, "/url", None).await.unwrap().as_str().unwrap().to_owned()
    }

    /// The words that can be seen on the page.
    pub async fn text(&self) -> String {
        let script = json!({ "script": "return document.body ? document.body.innerText : ''", "args": [] });
        self.command(Method::POST, "/execute/sync", Some(script)).await.unwrap().as_str().unwrap().to_owned()
    }

    /// Waits until the page shows these words.
    #[track_caller]
    pub fn shows(&self, words: &str) -> impl Future<Output = ()> {
        self.until(format!("the words {words:?}"), move |text, _| text.contains(words))
    }

    /// Waits until the address contains `part`.
    #[track_caller]
    pub fn arrives_at(&self, part: &str) -> impl Future<Output = ()> {
        self.until(format!("the address {part}"), move |_, url| url.contains(part))
    }

    async fn until(&self, what: String, fulfilled: impl Fn(&str, &str) -> bool) {
        let start = Instant::now();
        loop {
            let (text, url) = (self.text().await, self.url().await);
            if fulfilled(&text, &url) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "waited in vain for {what} at {url}:\n{text}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// The first element that the CSS selector names; waits for it.
    pub async fn find(&self, selector: &str) -> Element<'_> {
        self.locate("css selector", selector).await
    }

    /// The button or link with this text, or whose text starts with it.
    pub async fn named(&self, text: &str) -> Element<'_> {
        let start = format!("starts-with(normalize-space(.), '{text}')");
        self.locate("xpath", &format!("(//button[{start}] | //a[{start}] | //summary[{start}])[1]")).await
    }

    /// What has the focus.
    pub async fn focused(&self) -> Element<'_> {
        let active = self.command(Method::GET, "/element/active", None).await.unwrap();
        Element { browser: self, reference: active[ELEMENT].as_str().unwrap().to_owned() }
    }

    /// Presses Tab until what has this attribute has the focus, as somebody without a mouse does.
    pub async fn tabs_to(&self, attribute: &str, value: &str) -> Element<'_> {
        let mut seen = Vec::new();
        for _ in 0..60 {
            let focused = self.focused().await;
            let is = focused.attribute(attribute).await.unwrap_or_default();
            if is == value {
                return focused;
            }
            seen.push(is);
            focused.enter(TAB).await;
        }
        panic!("Tab never comes to {attribute}={value}, only to {seen:?}");
    }

    async fn locate(&self, using: &str, value: &str) -> Element<'_> {
        let start = Instant::now();
        loop {
            let found = self.command(Method::POST, "/element", Some(json!({ "using": using, "value": value }))).await;
            match found {
                Ok(found) => return Element { browser: self, reference: found[ELEMENT].as_str().unwrap().to_owned() },
                Err(_) if start.elapsed() < PATIENCE => tokio::time::sleep(Duration::from_millis(100)).await,
                Err(error) => panic!("{value} is not at {}: {error}\n{}", self.url().await, self.text().await),
            }
        }
    }

    /// What the browser complained about since the last look.
    pub async fn complaints(&self) -> Vec<String> {
        let log = self.command(Method::POST, "/se/log", Some(json!({ "type": "browser" }))).await.unwrap();
        let entries = log.as_array().unwrap().iter();
        entries
            .filter(|entry| entry["level"] != "INFO" && entry["level"] != "DEBUG")
            .map(|entry| entry["message"].to_string())
            .collect()
    }

    async fn command(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value, String> {
        let mut request = self.http.request(method, format!("{}{path}", self.session));
        if let Some(body) = body {
            request = request.header("Content-Type", "application/json").body(body.to_string());
        }
        let answer = request.send().await.map_err(|error| error.to_string())?;
        let succeeded = answer.status().is_success();
        let answer: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        let value = answer["value"].clone();
        if succeeded { Ok(value) } else { Err(value["message"].as_str().unwrap_or("no message").to_owned()) }
    }
}

impl Element<'_> {
    /// A click of the mouse, where the element stands.
    pub async fn click(&self) {
        self.act("click", json!({})).await;
    }

    /// Keys, as typed.
    pub async fn enter(&self, text: &str) {
        self.act("value", json!({ "text": text })).await;
    }

    /// An attribute as the page has it.
    pub async fn attribute(&self, name: &str) -> Option<String> {
        let path = format!("/element/{}/attribute/{name}", self.reference);
        self.browser.command(Method::GET, &path, None).await.unwrap().as_str().map(str::to_owned)
    }

    /// The words that can be seen in it.
    pub async fn text(&self) -> String {
        let path = format!("/element/{}/text", self.reference);
        self.browser.command(Method::GET, &path, None).await.unwrap().as_str().unwrap().to_owned()
    }

    async fn act(&self, what: &str, body: Value) {
        let path = format!("/element/{}/{what}", self.reference);
        self.browser.command(Method::POST, &path, Some(body)).await.unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Only the driver knows its browser; killed first, it would leave it behind.
        let path = self.session.split_once("/session").map_or("", |(_, id)| id);
        let request = format!("DELETE /session{path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address);
        let mut driver = raw::connect(self.address);
        let _ = driver.write_all(request.as_bytes());
        // It answers when the browser is gone, and keeps the connection.
        let _ = driver.read(&mut [0; 1024]);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// A driver on a port that the system chose.
fn start_driver() -> (Child, SocketAddr) {
    let mut driver = Command::new("/usr/bin/chromedriver")
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
    let port: Option<u16> = lines.by_ref().map_while(Result::ok).find_map(|line| {
        let (_, port) = line.split_once("started successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    });
    // Whatever else it prints is read, so that it never waits for us.
    std::thread::spawn(move || lines.for_each(drop));
    (driver, SocketAddr::from(([127, 0, 0, 1], port.expect("chromedriver did not say its port"))))
}

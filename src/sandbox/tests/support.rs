//! A sandbox on a free port, a clock that stands still, and an endpoint that records.

use std::{
    collections::VecDeque,
    net::TcpListener,
    sync::{Arc, Mutex},
};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    dev::ServerHandle,
    web::{self, Bytes, Data},
};
use chrono::DateTime;
use reqwest::{Client, Method, redirect::Policy};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    clock::Clock,
    sandbox::{Options, Running, start},
};

pub const SECRET: &str = "whsec_test_example_1";
/// 2026-06-01T10:00:00Z
pub const START: i64 = 1_780_308_000;
pub const DAY: i64 = 86_400;
pub const HOUR: i64 = 3_600;

pub struct Letter {
    pub signature: String,
    pub body: String,
}

impl Letter {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// What the endpoint was sent, and what it answers next (200 when nothing is said).
#[derive(Default)]
pub struct Endpoint {
    letters: Mutex<Vec<Letter>>,
    answers: Mutex<VecDeque<u16>>,
}

async fn receive(request: HttpRequest, body: Bytes, endpoint: Data<Endpoint>) -> HttpResponse {
    let signature = request.headers().get("stripe-signature").unwrap().to_str().unwrap().to_owned();
    endpoint.letters.lock().unwrap().push(Letter { signature, body: String::from_utf8(body.to_vec()).unwrap() });
    let status = endpoint.answers.lock().unwrap().pop_front().unwrap_or(200);
    HttpResponse::build(status.try_into().unwrap()).body("noted")
}

pub struct Bench {
    pub running: Option<Running>,
    pub clock: Clock,
    pub folder: TempDir,
    pub endpoint: Arc<Endpoint>,
    receiver: ServerHandle,
    pub webhook_url: String,
    pub http: Client,
}

/// An answer: status, headers and text.
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("{} {}", self.status, self.text))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The object, when all went well.
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.json()
    }

    /// The error, when it was refused with this status.
    pub fn refused(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        self.json()["error"].clone()
    }
}

impl Bench {
    pub fn boot() -> Self {
        let endpoint = Arc::new(Endpoint::default());
        let data = Data::from(Arc::clone(&endpoint));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let webhook_url = format!("http://{}/webhooks/stripe", listener.local_addr().unwrap());
        let server = HttpServer::new(move || {
            App::new().app_data(data.clone()).route("/webhooks/stripe", web::post().to(receive))
        })
        .workers(1)
        .disable_signals()
        .listen(listener)
        .unwrap()
        .run();
        let receiver = server.handle();
        tokio::spawn(server);
        let mut bench = Self {
            running: None,
            clock: Clock::frozen_at(DateTime::from_timestamp(START, 0).unwrap()),
            folder: tempfile::tempdir().unwrap(),
            endpoint,
            receiver,
            webhook_url,
            http: Client::builder().redirect(Policy::none()).build().unwrap(),
        };
        bench.start();
        bench
    }

    pub fn start(&mut self) {
        let options = Options {
            listen: "127.0.0.1:0".parse().unwrap(),
            data_dir: self.folder.path().to_owned(),
            webhook_url: Some(self.webhook_url.clone()),
            webhook_secret: SECRET.to_owned(),
            clock: self.clock.clone(),
        };
        self.running = Some(start(options).unwrap());
    }

    pub async fn stop(mut self) {
        self.halt().await;
        self.receiver.stop(false).await;
    }

    pub async fn halt(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop().await;
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.running.as_ref().unwrap().address)
    }

    pub fn now(&self) -> i64 {
        self.clock.now().timestamp()
    }

    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        let response = request.send().await.unwrap();
        Answer {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await.unwrap(),
        }
    }

    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, self.url(path)).header("Authorization", "Bearer sk_test_bench")
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, form: &[(&str, &str)]) -> Answer {
        self.send(self.request(Method::POST, path).form(form)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// The control surface, which takes JSON.
    pub async fn control(&self, path: &str, body: Value) -> Answer {
        self.send(self.http.post(self.url(path)).body(body.to_string())).await
    }

    pub async fn advance(&self, seconds: i64) {
        self.control("/_sandbox/clock", json!({"advance_seconds": seconds})).await.ok();
    }

    /// Waits until nothing is on its way; the events that came since the last call.
    pub async fn settled(&self) -> Vec<Value> {
        let state = self.get("/_sandbox/deliveries?wait_ms=10000").await.ok();
        assert_eq!(state["pending"], 0, "{state}");
        self.endpoint.take().iter().map(Letter::json).collect()
    }

    /// The types of the events that came since the last call.
    pub async fn types(&self) -> Vec<String> {
        self.settled().await.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    }

    pub async fn customer(&self) -> String {
        let form = [("email", "ada@example.com"), ("metadata[user]", "u1")];
        text(&self.post("/v1/customers", &form).await.ok()["id"])
    }

    /// A checkout session for `price` with these further parameters.
    pub async fn session(&self, customer: &str, price: &str, more: &[(&str, &str)]) -> Value {
        let kind = if price == "price_half_year" { "payment" } else { "subscription" };
        let mut form = vec![
            ("mode", kind),
            ("customer", customer),
            ("client_reference_id", "u1"),
            ("line_items[0][price]", price),
            ("line_items[0][quantity]", "1"),
            ("success_url", "http://127.0.0.1:9/checkout/return?session={CHECKOUT_SESSION_ID}"),
            ("cancel_url", "http://127.0.0.1:9/plans"),
        ];
        form.extend_from_slice(more);
        self.post("/v1/checkout/sessions", &form).await.ok()
    }

    /// A customer who has paid for a month; customer and subscription.
    pub async fn member(&self) -> (String, String) {
        let customer = self.customer().await;
        let session = self.session(&customer, "price_monthly", &[("subscription_data[metadata][user]", "u1")]).await;
        let session = self.finish(&session, json!({"outcome": "paid"})).await;
        self.settled().await;
        (customer, text(&session["subscription"]))
    }

    pub async fn finish(&self, session: &Value, act: Value) -> Value {
        self.control(&format!("/_sandbox/checkout/{}", text(&session["id"])), act).await.ok()
    }

    pub async fn subscription(&self, id: &str) -> Value {
        self.get(&format!("/v1/subscriptions/{id}")).await.ok()
    }
}

impl Endpoint {
    pub fn take(&self) -> Vec<Letter> {
        std::mem::take(&mut self.letters.lock().unwrap())
    }

    pub fn answer_with(&self, statuses: &[u16]) {
        self.answers.lock().unwrap().extend(statuses);
    }
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// Start and end of the period of the first item.
pub fn period(subscription: &Value) -> (i64, i64) {
    let item = &subscription["items"]["data"][0];
    (item["current_period_start"].as_i64().unwrap(), item["current_period_end"].as_i64().unwrap())
}

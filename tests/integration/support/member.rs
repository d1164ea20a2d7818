//! People with an account.

use std::ops::Deref;

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    app::App,
    client::{Answer, Visitor},
    stripe::Snapshot,
};

/// The password of everybody.
pub const PASSWORD: &str = "Correct horse, battery staple 7";

/// The fields of the form, filled in as a person does.
pub fn sign_up_form(email: &str) -> Vec<(&'static str, String)> {
    [
        ("email", email),
        ("password", PASSWORD),
        ("title", "Dr"),
        ("first_name", "Ada"),
        ("last_name", "Lovelace"),
        ("phone", "+44 20 7946 0958"),
        ("time_zone", "Europe/Berlin"),
        ("accept_terms", "on"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .to_vec()
}

/// The form with one field changed, or added if it is not there.
pub fn with_field<'a>(form: &'a [(&'static str, String)], name: &'a str, value: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut fields: Vec<(&str, &str)> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    match fields.iter_mut().find(|(known, _)| *known == name) {
        Some(field) => field.1 = value,
        None => fields.push((name, value)),
    }
    fields
}

/// Somebody who signed up.
pub struct Member {
    visitor: Visitor,
    app: App,
    pub email: String,
    pub trial_end: DateTime<Utc>,
}

impl Deref for Member {
    type Target = Visitor;
    fn deref(&self) -> &Visitor {
        &self.visitor
    }
}

impl App {
    /// What a log-in with these is answered with: 303 for the right ones.
    pub async fn log_in_status(&self, email: &str, password: &str) -> u16 {
        self.visitor().post("/login", &[("email", email), ("password", password)]).await.status
    }
}

impl Visitor {
    /// Sends the form of sign-up, filled in as a person does.
    pub async fn signs_up(&self, email: &str) -> Answer {
        let form = sign_up_form(email);
        self.send(Method::POST, "/signup", |request| request.form(&form)).await
    }
}

impl Member {
    /// Signs up through the form.
    pub async fn sign_up(app: &App, email: &str) -> Self {
        let visitor = app.visitor();
        visitor.signs_up(email).await.is(303);
        let me = visitor.get_json("/api/v1/me").await.is(200).json();
        let trial_end = instant(&me["subscription"]["current_period_end"]).unwrap_or_default();
        Self { visitor, app: app.clone(), email: email.to_owned(), trial_end }
    }

    /// What the program says about the person and their access.
    pub async fn me(&self) -> Value {
        self.get_json("/api/v1/me").await.is(200).json()
    }

    /// Logs in again, after a time in which the session ended.
    pub async fn log_in(&self) {
        self.post("/login", &[("email", &self.email), ("password", PASSWORD)]).await.is(303);
    }

    /// Their public id.
    pub async fn id(&self) -> String {
        self.me().await["user"]["id"].as_str().unwrap().to_owned()
    }

    /// Becomes a subscriber by Stripe's word alone: a recurring subscription whose period starts now.
    pub async fn is_subscribed_by_event(&self, subscription: &str) -> Snapshot {
        let user = self.id().await;
        let customer = format!("cus_of_{subscription}");
        let snapshot = Snapshot::active(subscription, &customer, &user, self.app.now());
        self.app.deliver(&snapshot.event(&format!("evt_{subscription}"), "created", self.app.now())).await.is(200);
        snapshot
    }

    /// Goes to the checkout for a plan and gives the sandbox's session id; nothing is paid yet.
    pub async fn opens_checkout(&self, plan: &str) -> String {
        let answer = self.post("/checkout", &[("plan", plan)]).await.is(303);
        let target = answer.location().unwrap();
        let start = target.find("cs_").unwrap_or_else(|| panic!("no checkout session in {target}"));
        target[start..].split(['?', '/', '#']).next().unwrap().to_owned()
    }

    /// Subscribes and pays in the sandbox, and waits until the app has heard of it.
    pub async fn pays_for(&self, plan: &str) {
        let session = self.opens_checkout(plan).await;
        self.app.sandbox(Method::POST, &format!("/_sandbox/checkout/{session}"), json!({ "outcome": "paid" })).await;
        self.app.deliveries_done().await;
        assert_eq!(self.me().await["subscription"]["kind"], "recurring");
    }

    /// Insists on an open gate.
    pub async fn reads(&self) -> Answer {
        self.get("/premium").await.is(200)
    }
}

/// An RFC 3339 instant, or nothing.
pub fn instant(value: &Value) -> Option<DateTime<Utc>> {
    value.as_str().map(|text| text.parse().unwrap())
}

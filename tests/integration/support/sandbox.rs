//! What the tests ask of the sandbox, and what it was asked.

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    app::App,
    client::{Answer, http_client},
    member::Member,
};

impl App {
    /// All calls that the sandbox got.
    pub async fn requests(&self) -> Vec<Value> {
        self.sandbox(Method::GET, "/_sandbox/requests", Value::Null).await["requests"].as_array().unwrap().clone()
    }

    /// The calls of one method and path.
    pub async fn asked(&self, method: &str, path: &str) -> Vec<Value> {
        self.requests().await.into_iter().filter(|call| call["method"] == method && call["path"] == path).collect()
    }

    /// How many calls Stripe got with this method to what begins with this path.
    pub async fn asked_for(&self, method: &str, prefix: &str) -> usize {
        let is_one = |call: &&Value| {
            call["method"] == method && call["path"].as_str().is_some_and(|path| path.starts_with(prefix))
        };
        self.requests().await.iter().filter(is_one).count()
    }

    /// From now on calls meet this fault.
    pub async fn stripe_fails(&self, how: Value) {
        self.sandbox(Method::POST, "/_sandbox/fail", how).await;
    }

    /// No fault any more.
    pub async fn stripe_works(&self) {
        self.sandbox(Method::DELETE, "/_sandbox/fail", Value::Null).await;
    }

    /// Events are kept back, or let go.
    pub async fn stripe_keeps_events(&self, hold: bool) {
        self.sandbox(Method::POST, "/_sandbox/delivery", json!({ "hold": hold })).await;
    }

    /// What somebody does on the checkout page.
    pub async fn at_checkout(&self, session: &str, outcome: &str) {
        self.sandbox(Method::POST, &format!("/_sandbox/checkout/{session}"), json!({ "outcome": outcome })).await;
    }

    /// A call of Stripe's API by somebody else than the program: the operator, or Stripe's own pages.
    pub async fn at_stripe(&self, method: Method, path: &str, fields: &[(&str, &str)]) -> Value {
        let request = http_client().request(method, format!("http://{}{path}", self.sandbox_address()));
        let request = request.bearer_auth("sk_test_of_the_tests").form(fields);
        let answer = Answer::read(request.send().await.unwrap()).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }

    /// `open`, `complete` or `expired`.
    pub async fn status_of(&self, session: &str) -> String {
        let session = self.sandbox(Method::GET, &format!("/v1/checkout/sessions/{session}"), Value::Null).await;
        session["status"].as_str().unwrap().to_owned()
    }

    /// Somebody who has paid at the sandbox for the plan `monthly`, after the trial.
    pub async fn subscriber(&self) -> Member {
        let member = self.member_after_trial().await;
        member.pays_for("monthly").await;
        member
    }

    /// The member's only subscription, as Stripe shows it.
    pub async fn subscription(&self, member: &Member) -> Value {
        let mut all = self.subscriptions_of(member).await;
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    /// Its id.
    pub async fn subscription_id(&self, member: &Member) -> String {
        self.subscription(member).await["id"].as_str().unwrap().to_owned()
    }

    /// What Stripe was told to change of subscriptions.
    pub async fn changes_asked(&self) -> Vec<Value> {
        let about = |call: &Value| call["path"].as_str().unwrap().starts_with("/v1/subscriptions/");
        self.requests().await.into_iter().filter(|call| call["method"] == "POST" && about(call)).collect()
    }

    /// The member's subscriptions at Stripe.
    pub async fn subscriptions_of(&self, member: &Member) -> Vec<Value> {
        let user = member.id().await;
        let list = self.sandbox(Method::GET, "/v1/subscriptions?status=all&limit=100", Value::Null).await;
        let mine = |one: &&Value| one["metadata"]["user_id"] == user;
        list["data"].as_array().unwrap().iter().filter(mine).cloned().collect()
    }
}

/// A parameter by the name under which it was sent, such as `subscription_data[trial_end]`.
pub fn parameter(call: &Value, name: &str) -> Option<String> {
    let value = &call["form"][name];
    (!value.is_null()).then(|| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

//! One person whose trial is over, for tables of cases: each case begins without anything that was paid for.

use std::cell::Cell;

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    app::App,
    client::Answer,
    member::{Member, instant},
    stripe::{Snapshot, event},
};

/// How long the period of a case is: short, so that many fit into one session.
pub const PERIOD: TimeDelta = TimeDelta::hours(2);
/// After this time a person logs in again; a session lasts thirty days.
const SESSION: TimeDelta = TimeDelta::days(20);

/// The person, and how far the cases are.
pub struct Cases {
    pub app: App,
    pub member: Member,
    /// The public id.
    pub user: String,
    number: Cell<u32>,
    events: Cell<u32>,
    logged_in_at: Cell<DateTime<Utc>>,
}

/// How access stands, as `/api/v1/me` and the gate say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub granted: bool,
    /// Why not.
    pub reason: Option<String>,
    /// The effective status of what is shown.
    pub status: String,
    /// Stripe's word.
    pub provider_status: Option<String>,
    pub until: Option<DateTime<Utc>>,
    pub renews: bool,
}

impl Cases {
    /// Somebody whose trial is over since yesterday.
    pub async fn after_trial(app: &App) -> Self {
        let member = app.member_after_trial().await;
        app.advance(TimeDelta::days(1));
        Self::of(app, member).await
    }

    /// Somebody who is there already.
    pub async fn of(app: &App, member: Member) -> Self {
        let user = member.id().await;
        let (number, events) = (Cell::new(0), Cell::new(0));
        Self { app: app.clone(), member, user, number, events, logged_in_at: Cell::new(app.now()) }
    }

    /// Forgets what was paid for, and gives the next subscription: active from now on, and not yet heard of.
    pub async fn next(&self) -> Snapshot {
        self.app.database.execute(&format!(
            "DELETE FROM subscriptions WHERE kind = 'recurring'; \
             UPDATE users SET stripe_customer_id = NULL WHERE public_id = '{}'",
            self.user
        ));
        if self.app.now() - self.logged_in_at.get() > SESSION {
            self.member.log_in().await;
            self.logged_in_at.set(self.app.now());
        }
        let number = next(&self.number);
        let start = self.app.now();
        let (id, customer) = (format!("sub_{number}"), format!("cus_{number}"));
        Snapshot { end: start + PERIOD, ..Snapshot::active(&id, &customer, &self.user, start) }
    }

    /// An event about this object, of the next second.
    pub fn event(&self, kind: &str, object: &Value) -> Value {
        self.app.advance(TimeDelta::seconds(1));
        event(&format!("evt_{}", next(&self.events)), kind, self.app.now(), object)
    }

    /// A second later Stripe shows the subscription so.
    pub async fn hears(&self, object: &Value) {
        self.takes(&self.event("customer.subscription.updated", object)).await;
    }

    /// The same in our own form.
    pub async fn hears_of(&self, snapshot: &Snapshot) {
        self.hears(&snapshot.object()).await;
    }

    /// Delivers an event that must be taken in.
    pub async fn takes(&self, event: &Value) -> Answer {
        let answer = self.app.deliver(event).await;
        assert_eq!(answer.status, 200, "{event:#}\n{}", answer.text());
        answer
    }

    /// What the API says; the gate must agree.
    pub async fn standing(&self, case: &str) -> Standing {
        let me = self.member.me().await;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let standing = Standing {
            granted: me["access"]["granted"].as_bool().unwrap(),
            reason: text(&me["access"]["reason"]),
            status: text(&me["subscription"]["status"]).unwrap_or_default(),
            provider_status: text(&me["subscription"]["provider_status"]),
            until: instant(&me["access"]["until"]),
            renews: me["access"]["renews"].as_bool().unwrap(),
        };
        let gate = self.member.get("/premium").await;
        let open = if standing.granted { 200 } else { 403 };
        assert_eq!(gate.status, open, "{case}: the gate does not agree with {me}");
        if let Some(reason) = &standing.reason {
            gate.says(&format!("data-reason=\"{reason}\""));
        }
        standing
    }

    /// Insists on an open gate, and says until when.
    pub async fn is_open(&self, case: &str) -> Standing {
        let standing = self.standing(case).await;
        assert!(standing.granted, "{case}: {standing:?}");
        standing
    }

    /// Insists on a closed gate.
    pub async fn is_closed(&self, case: &str) -> Standing {
        let standing = self.standing(case).await;
        assert!(!standing.granted, "{case}: {standing:?}");
        standing
    }

    /// What the journal says about an event.
    pub fn noted(&self, event: &Value, column: &str) -> Option<String> {
        let id = event["id"].as_str().unwrap();
        self.app.database.text(&format!("SELECT {column} FROM webhook_events WHERE event_id = '{id}'"))
    }

    /// How often Stripe was asked about the subscription, and has answered.
    pub async fn questions(&self, subscription: &str) -> usize {
        let asked = self.app.sandbox(Method::GET, "/_sandbox/requests", Value::Null).await;
        let path = json!(format!("/v1/subscriptions/{subscription}"));
        let about_it = |one: &&Value| one["path"] == path && !one["status"].is_null();
        asked["requests"].as_array().unwrap().iter().filter(about_it).count()
    }

    /// Waits until Stripe was asked about the subscription.
    pub async fn stripe_is_asked(&self, subscription: &str) {
        self.app.eventually("Stripe to be asked", || async { self.questions(subscription).await > 0 }).await;
    }
}

fn next(counter: &Cell<u32>) -> u32 {
    counter.set(counter.get() + 1);
    counter.get()
}

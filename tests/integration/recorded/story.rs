//! One story in which everything happens once: people use the app, and things happen at Stripe. The clock stands still
//! but for what is told, so that the story is the same each time.

use std::{collections::BTreeMap, sync::Mutex};

use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Files, plain::Plain, types};
use crate::support::{
    app::{App, Setup},
    client::{Answer, http_client},
    database::Engine,
    member::Member,
};

/// Tells it; what was answered and sent.
pub fn told() -> Files {
    let files = Mutex::new(Files::new());
    Setup::on(Engine::Sqlite).run(|app| {
        let mut story = Story { app, files: Files::new(), requests: BTreeMap::new(), asked: 0 };
        let files = &files;
        async move {
            story.people().await;
            story.money().await;
            story.trouble().await;
            story.endings().await;
            story.keep_events("events").await;
            story.older().await;
            story.keep_events("older_events").await;
            *files.lock().unwrap() = story.finished();
        }
    });
    files.into_inner().unwrap()
}

struct Story {
    app: App,
    files: Files,
    /// Method and path of each form.
    requests: BTreeMap<String, String>,
    /// So many requests of our own client have been looked at.
    asked: usize,
}

const DAY: i64 = 86_400;
const HOUR: i64 = 3_600;

impl Story {
    /// What our own client sends, and what people have at Stripe by it.
    async fn people(&mut self) {
        let ada = Member::sign_up(&self.app, "ada@example.com").await;
        let session = ada.opens_checkout("monthly").await;
        self.keep_forms(&["customer", "checkout_recurring_trial_end"]).await;
        self.keep("checkout_session_open", &format!("/v1/checkout/sessions/{session}")).await;
        let done = self.finish(&session, json!({ "outcome": "paid" })).await;
        self.keep("checkout_session_no_payment", &format!("/v1/checkout/sessions/{session}")).await;
        self.keep("subscription_trialing", &format!("/v1/subscriptions/{}", text(&done["subscription"]))).await;
        let portal = ada.post("/billing-portal", &[]).await.is(303).location().unwrap();
        self.keep_forms(&["billing_portal_session"]).await;
        self.advance(2).await;
        ada.post("/subscription/cancellation", &[]).await.is(303);
        self.keep_forms(&["subscription_cancellation"]).await;
        self.advance(2).await;
        ada.post("/subscription/resumption", &[]).await.is(303);
        self.keep_forms(&["subscription_resumption"]).await;
        self.advance(2).await;
        let act = [("act", "cancel_at_period_end"), ("subscription", &text(&done["subscription"]))];
        assert!(http_client().post(portal).form(&act).send().await.unwrap().status().is_redirection());
        self.advance(2).await;
        ada.post("/subscription/resumption", &[]).await.is(303);
        self.keep_forms(&["subscription_resumption_without_date"]).await;

        let bob = Member::sign_up(&self.app, "bob@example.com").await;
        self.app.move_to(bob.trial_end - TimeDelta::hours(47));
        bob.log_in().await;
        let session = bob.opens_checkout("monthly").await;
        self.keep_forms(&["customer_2", "checkout_recurring_trial_days"]).await;
        self.ask(&format!("/v1/checkout/sessions/{session}/expire"), &[]).await;
        self.keep("checkout_session_expired", &format!("/v1/checkout/sessions/{session}")).await;
        self.app.move_to(bob.trial_end);
        bob.opens_checkout("monthly").await;
        self.keep_forms(&["checkout_recurring"]).await;
        let session = bob.opens_checkout("half-year").await;
        self.keep_forms(&["checkout_prepaid", "checkout_expiry"]).await;
        self.finish(&session, json!({ "outcome": "paid" })).await;
        self.keep("checkout_session_prepaid", &format!("/v1/checkout/sessions/{session}")).await;
    }

    /// Everything that is bought, paid and given back.
    async fn money(&mut self) {
        let (customer, subscription) = self.member().await;
        self.keep("customer", &format!("/v1/customers/{customer}")).await;
        self.keep("payment_methods", &format!("/v1/customers/{customer}/payment_methods")).await;
        self.keep("subscription", &format!("/v1/subscriptions/{subscription}")).await;
        let invoice = text(&self.look(&format!("/v1/subscriptions/{subscription}")).await["latest_invoice"]);
        self.keep("invoice_paid", &format!("/v1/invoices/{invoice}?expand[]=payments")).await;
        self.keep("invoice_lines", &format!("/v1/invoices/{invoice}/lines")).await;
        self.keep("invoice_payments", &format!("/v1/invoice_payments?invoice={invoice}")).await;
        self.ask(&format!("/v1/customers/{customer}"), &[("name", "Ada Lovelace"), ("phone", "+44 20 7946 0958")])
            .await;
        let portal = self.ask("/v1/billing_portal/sessions", &[("customer", &customer)]).await;
        self.put("objects/billing_portal_session.json", &portal);

        let session = self.session(&customer, "price_half_year", &[]).await;
        let done = self.finish(&session, json!({ "outcome": "paid" })).await;
        self.keep("checkout_session_paid", &format!("/v1/checkout/sessions/{session}?expand[]=line_items")).await;
        self.keep("checkout_session_line_items", &format!("/v1/checkout/sessions/{session}/line_items")).await;
        let intent = text(&done["payment_intent"]);
        self.keep("payment_intent", &format!("/v1/payment_intents/{intent}")).await;
        self.ask("/v1/refunds", &[("payment_intent", &intent), ("amount", "900")]).await;
        self.ask("/v1/refunds", &[("payment_intent", &intent), ("reason", "requested_by_customer")]).await;
        self.keep("charges", &format!("/v1/charges?payment_intent={intent}")).await;
        self.keep("refunds", &format!("/v1/refunds?payment_intent={intent}")).await;
        for verdict in ["won", "lost"] {
            let session = self.session(&customer, "price_half_year", &[]).await;
            let intent = text(&self.finish(&session, json!({ "outcome": "paid" })).await["payment_intent"]);
            let dispute = self.control("/_sandbox/disputes", json!({ "payment_intent": intent })).await;
            self.keep("dispute_open", &format!("/v1/disputes/{}", text(&dispute["id"]))).await;
            self.control(&format!("/_sandbox/disputes/{}", text(&dispute["id"])), json!({ "status": verdict })).await;
            self.keep("dispute_closed", &format!("/v1/disputes/{}", text(&dispute["id"]))).await;
        }
        for outcome in ["unpaid_then_paid", "unpaid_then_failed"] {
            let session = self.session(&customer, "price_half_year", &[]).await;
            let done = self.finish(&session, json!({ "outcome": outcome })).await;
            self.keep("checkout_session_unpaid", &format!("/v1/checkout/sessions/{session}")).await;
            self.advance(HOUR).await;
            self.keep("payment_intent_failed", &format!("/v1/payment_intents/{}", text(&done["payment_intent"]))).await;
        }
        let product = self.ask("/v1/products", &[("name", "A book")]).await;
        let price = [("product", text(&product["id"])), ("currency", "eur".into()), ("unit_amount", "1500".into())];
        let price = self.ask("/v1/prices", &price.each_ref().map(|(name, value)| (*name, value.as_str()))).await;
        self.ask(&format!("/v1/prices/{}", text(&price["id"])), &[("nickname", "A book, once")]).await;
        self.ask(&format!("/v1/products/{}", text(&product["id"])), &[("description", "Hardcover")]).await;
        self.keep("products", "/v1/products").await;
        self.keep("prices", "/v1/prices").await;
        self.keep("webhook_endpoint", "/v1/webhook_endpoints/we_turnpike").await;
    }

    /// Renewals that fail, collection that is paused, trials without a card.
    async fn trouble(&mut self) {
        for behavior in ["void", "mark_uncollectible", "keep_as_draft"] {
            let (_, subscription) = self.member().await;
            let path = format!("/v1/subscriptions/{subscription}");
            self.ask(&path, &[("pause_collection[behavior]", behavior)]).await;
            self.advance(31 * DAY + 2 * HOUR).await;
            self.keep(&format!("subscription_paused_{behavior}"), &path).await;
            let invoice = text(&self.look(&path).await["latest_invoice"]);
            self.keep(&format!("invoice_paused_{behavior}"), &format!("/v1/invoices/{invoice}")).await;
            self.send(Method::DELETE, &path, &[]).await;
        }
        let (customer, subscription) = self.member().await;
        let path = format!("/v1/subscriptions/{subscription}");
        self.control(&format!("/_sandbox/customers/{customer}/card"), json!({ "card": "needs_second_step" })).await;
        self.advance(31 * DAY + 2 * HOUR).await;
        self.keep("subscription_past_due", &path).await;
        let invoice = text(&self.look(&path).await["latest_invoice"]);
        self.keep("invoice_open", &format!("/v1/invoices/{invoice}?expand[]=payments")).await;
        self.ask(&format!("/v1/invoices/{invoice}/pay"), &[("payment_method", "pm_card_visa")]).await;
        self.ask(&path, &[("cancel_at_period_end", "true")]).await;
        self.keep("subscription_ending", &path).await;
        let item = text(&self.look(&path).await["items"]["data"][0]["id"]);
        self.ask(&path, &[("items[0][id]", &item), ("items[0][price]", "price_yearly")]).await;
        let changed = text(&self.look(&path).await["latest_invoice"]);
        self.keep("invoice_of_a_plan_change", &format!("/v1/invoices/{changed}")).await;

        let customer = self.customer().await;
        let more = [
            ("payment_method_collection", "if_required"),
            ("subscription_data[trial_period_days]", "7"),
            ("subscription_data[trial_settings][end_behavior][missing_payment_method]", "pause"),
        ];
        let session = self.session(&customer, "price_monthly", &more).await;
        let done = self.finish(&session, json!({ "outcome": "paid" })).await;
        self.advance(8 * DAY).await;
        let path = format!("/v1/subscriptions/{}", text(&done["subscription"]));
        self.keep("subscription_paused", &path).await;
        self.ask(&format!("{path}/resume"), &[]).await;
    }

    async fn endings(&mut self) {
        let (customer, subscription) = self.member().await;
        self.send(Method::DELETE, &format!("/v1/customers/{customer}"), &[]).await;
        self.keep("subscription_canceled", &format!("/v1/subscriptions/{subscription}")).await;
        self.app.deliveries_done().await;
        self.keep("event", &format!("/v1/events/{}", self.event("customer.deleted").await)).await;
    }

    /// A little of it once more, as API versions before 2025-03-31 show it.
    async fn older(&mut self) {
        self.control("/_sandbox/delivery", json!({ "shape": "subscription" })).await;
        let (customer, subscription) = self.member().await;
        self.advance(31 * DAY + 2 * HOUR).await;
        self.control(&format!("/_sandbox/customers/{customer}/card"), json!({ "card": "declines" })).await;
        self.advance(31 * DAY + 2 * HOUR).await;
        self.send(Method::DELETE, &format!("/v1/subscriptions/{subscription}"), &[]).await;
        let paid = self.look("/v1/events?type=invoice.paid").await["data"][0]["data"]["object"].clone();
        self.ask("/v1/refunds", &[("payment_intent", &text(&paid["payment_intent"]))]).await;
        self.app.deliveries_done().await;
    }

    async fn customer(&self) -> String {
        text(&self.ask("/v1/customers", &[("email", "carol@example.com"), ("metadata[note]", "by hand")]).await["id"])
    }

    /// A checkout session; its id.
    async fn session(&self, customer: &str, price: &str, more: &[(&str, &str)]) -> String {
        let kind = if price == "price_half_year" { "payment" } else { "subscription" };
        let mut form = vec![
            ("mode", kind),
            ("customer", customer),
            ("line_items[0][price]", price),
            ("line_items[0][quantity]", "1"),
            ("success_url", "http://127.0.0.1:9/return"),
        ];
        form.extend(more);
        text(&self.ask("/v1/checkout/sessions", &form).await["id"])
    }

    /// Somebody who paid for a month without the app; customer and subscription.
    async fn member(&self) -> (String, String) {
        let customer = self.customer().await;
        let session = self.session(&customer, "price_monthly", &[]).await;
        let done = self.finish(&session, json!({ "outcome": "paid" })).await;
        (customer, text(&done["subscription"]))
    }

    async fn finish(&self, session: &str, act: Value) -> Value {
        self.control(&format!("/_sandbox/checkout/{session}"), act).await
    }

    async fn advance(&self, seconds: i64) {
        self.app.advance_stripe(TimeDelta::seconds(seconds)).await;
    }

    async fn control(&self, path: &str, body: Value) -> Value {
        self.app.sandbox(Method::POST, path, body).await
    }

    async fn look(&self, path: &str) -> Value {
        self.app.sandbox(Method::GET, path, Value::Null).await
    }

    async fn ask(&self, path: &str, form: &[(&str, &str)]) -> Value {
        self.send(Method::POST, path, form).await
    }

    async fn send(&self, method: Method, path: &str, form: &[(&str, &str)]) -> Value {
        let url = format!("http://{}{path}", self.app.sandbox_address());
        let request = http_client().request(method, url).bearer_auth("sk_test_of_the_tests").form(form);
        Answer::read(request.send().await.unwrap()).await.is(200).json()
    }

    async fn event(&self, kind: &str) -> String {
        text(&self.look(&format!("/v1/events?type={kind}")).await["data"][0]["id"])
    }
}

/// Keeping what was seen.
impl Story {
    fn put(&mut self, name: &str, value: &Value) {
        self.files.insert(name.to_owned(), format!("{value:#}\n"));
    }

    /// Keeps what the API shows at this path.
    async fn keep(&mut self, name: &str, path: &str) {
        let shown = self.look(path).await;
        self.put(&format!("objects/{name}.json"), &shown);
    }

    /// Keeps the forms that our own client has sent since the last time: they must be as many as these names.
    async fn keep_forms(&mut self, names: &[&str]) {
        let log = self.look("/_sandbox/requests").await;
        let own = log["requests"].as_array().unwrap().iter().filter(|request| {
            request["method"] == "POST"
                && request["idempotency_key"].as_str().is_some_and(|key| key.starts_with("turnpike-"))
        });
        let fresh: Vec<Value> = own.skip(self.asked).cloned().collect();
        self.asked += fresh.len();
        let asked: Vec<&Value> = fresh.iter().map(|request| &request["path"]).collect();
        assert_eq!(fresh.len(), names.len(), "{names:?} are to name {asked:?}");
        for (name, request) in names.iter().zip(&fresh) {
            let form: BTreeMap<String, String> = serde_json::from_value(request["form"].clone()).unwrap();
            let file = format!("{name}.form");
            self.requests.insert(file.clone(), format!("POST {}", text(&request["path"])));
            self.files.insert(format!("forms/{file}"), serde_urlencoded::to_string(form).unwrap() + "\n");
        }
    }

    /// Keeps one event of each kind, as it was sent: the one that shows the most, whichever came last; of the older ones
    /// the last, because those of one payment name each other.
    async fn keep_events(&mut self, folder: &str) {
        let log = self.look("/_sandbox/deliveries?body=1").await;
        let older = folder != "events";
        let mut best: BTreeMap<String, (String, Value)> = BTreeMap::new();
        for entry in log["deliveries"].as_array().unwrap() {
            let event: Value = serde_json::from_str(entry["body"].as_str().unwrap()).unwrap();
            let shows = types(&event).to_string();
            let more = |kept: &(String, Value)| older || (kept.0.len(), &kept.0) < (shows.len(), &shows);
            let kind = text(&entry["type"]);
            if older == (event["api_version"] == "2024-06-20") && best.get(&kind).is_none_or(more) {
                best.insert(kind, (shows, event));
            }
        }
        for (kind, (_, event)) in best {
            self.put(&format!("{folder}/{kind}.json"), &event);
        }
    }

    fn finished(mut self) -> Files {
        let requests = serde_json::to_string_pretty(&self.requests).unwrap();
        self.files.insert("forms/requests.json".to_owned(), requests + "\n");
        let (app, sandbox) = (self.app.address.to_string(), self.app.sandbox_address().to_string());
        let mut plain = Plain::default();
        let places = [(app, "127.0.0.1:8080"), (sandbox, "127.0.0.1:8081")];
        let written = |address: &str| address.replace(':', "%3A");
        let mut files = Files::new();
        for (name, mut text) in self.files {
            for (here, usual) in &places {
                text = text.replace(here, usual).replace(&written(here), &written(usual));
            }
            files.insert(name, plain.text(&text));
        }
        files
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

//! The task that sends what waits.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};
use reqwest::{Client, redirect::Policy};

use super::{Attempt, Job, signature::sign};
use crate::sandbox::{
    shared::Sandbox,
    world::{Event, Object, WebhookEndpoint},
};

/// How long an endpoint may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// So much of an answer is kept.
const KEPT_OF_ANSWER: usize = 2_000;

/// Sends until the task is dropped: in order, as many at once as the settings say.
pub async fn run(sandbox: Arc<Sandbox>, client: Client) {
    let mut under_way = FuturesUnordered::new();
    loop {
        let woken = sandbox.woken();
        while under_way.len() < sandbox.parallel() {
            let Some(job) = sandbox.take_job() else { break };
            under_way.push(deliver(Arc::clone(&sandbox), client.clone(), job));
        }
        let pause =
            sandbox.next_wake().map_or(Duration::from_mins(1), |at| at.saturating_duration_since(Instant::now()));
        let full = under_way.len() >= sandbox.parallel();
        tokio::select! {
            Some(()) = under_way.next() => {}
            () = woken => {}
            () = tokio::time::sleep(pause).boxed(), if !full => {}
        }
    }
}

/// The client for deliveries: no proxy, no redirects, as at Stripe.
pub fn client() -> reqwest::Result<Client> {
    Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .timeout(PATIENCE)
        .connect_timeout(Duration::from_secs(3))
        .build()
}

async fn deliver(sandbox: Arc<Sandbox>, client: Client, job: Job) {
    let Some(letter) = sandbox.look(|world| {
        let endpoint = world.get::<WebhookEndpoint>(&job.endpoint)?.clone();
        let body = body(world.get::<Event>(&job.event)?, &endpoint, world.state);
        Some((endpoint, body))
    }) else {
        return sandbox.drop_job(&job);
    };
    let (endpoint, body) = letter;
    let url = endpoint.url.unwrap_or_default();
    let at = sandbox.now();
    let signature = sign(&endpoint.secret, at, &body);
    let sent = client
        .post(&url)
        .header("Content-Type", "application/json; charset=utf-8")
        .header("User-Agent", "Turnpike-Sandbox/1.0 (webhooks)")
        .header("Stripe-Signature", &signature)
        .body(body.clone())
        .send()
        .await;
    let (status, error, answer) = match sent {
        Ok(response) => {
            let status = response.status().as_u16();
            let text = response.text().await.unwrap_or_default();
            (Some(status), None, text.chars().take(KEPT_OF_ANSWER).collect())
        }
        Err(error) => (None, Some(reason(&error)), String::new()),
    };
    let attempt = Attempt {
        event: job.event.clone(),
        kind: job.kind.clone(),
        endpoint: job.endpoint.clone(),
        url,
        attempt: job.attempt,
        at,
        status,
        error,
        answer,
        signature,
        body,
    };
    sandbox.record(&job, attempt);
}

fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        "no answer in time".to_owned()
    } else if error.is_connect() {
        "nobody listens there".to_owned()
    } else {
        "the connection broke".to_owned()
    }
}

/// The event's text, in the shape of the endpoint's version, or else of the account's.
fn body(event: &Event, endpoint: &WebhookEndpoint, state: &crate::sandbox::world::State) -> String {
    let mut event = endpoint.shape(state.deliveries.settings.shape).apply(event.json(state));
    if let (Some(version), Some(fields)) = (endpoint.api_version.as_deref(), event.as_object_mut()) {
        fields.insert("api_version".to_owned(), version.into());
    }
    serde_json::to_string_pretty(&event).unwrap_or_default()
}

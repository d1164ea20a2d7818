//! Our calls to Stripe: bounded in time, repeated where repeating helps, answered with tolerant JSON.
//!
//! How a call travels is known here alone; what is asked stands in the file of each purpose, in the client crate's
//! request types.

use std::{sync::Arc, time::Duration};

use serde_json::Value;
use sha2::{Digest, Sha256};
use stripe::{ClientBuilder, IdempotencyKey, RequestStrategy, StripeError};
use stripe_client_core::{RequestBuilder, StripeRequest};

use crate::{clock::Entropy, config::Secret};

/// The API version that our calls speak; the webhook endpoint is registered with the same.
pub const API_VERSION: stripe_shared::ApiVersion = stripe_client_core::VERSION;

/// For one call with all its repetitions.
const WHOLE: Duration = Duration::from_secs(10);
/// For one try.
const TRY: Duration = Duration::from_secs(6);
const TRIES: u32 = 3;
const TRIES_WHILE_BUSY: u32 = 8;

/// Why Stripe did not do what we asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CallError {
    /// It does not answer, is overloaded, or answers what is not JSON. Trying later may help.
    #[error("Stripe is not available: {0}")]
    Unavailable(String),
    /// What the named parameter points to is gone (`resource_missing`).
    #[error("Stripe does not know the {0} any more")]
    Missing(String),
    /// It refused the request.
    #[error("Stripe refused the request (parameter {param}): {message}")]
    Refused {
        /// The parameter at fault, or nothing.
        param: String,
        /// Stripe's reason, for the operator.
        message: String,
    },
}

/// A connection to Stripe, or to the sandbox: the same code with another address.
#[derive(Clone)]
pub struct Client {
    inner: Arc<stripe::Client>,
    entropy: Entropy,
}

impl Client {
    /// A client for the API at `base` (Stripe's own when there is none), without `/v1`.
    ///
    /// # Errors
    /// The key or the address can't be used.
    pub fn new(key: &Secret, base: Option<&str>, entropy: Entropy) -> Result<Self, CallError> {
        let mut builder = ClientBuilder::new(key.expose()).timeout(TRY);
        if let Some(base) = base {
            builder = builder.url(format!("{}/", base.trim_end_matches('/')));
        }
        let inner = builder.build().map_err(|error| CallError::Unavailable(error.to_string()))?;
        Ok(Self { inner: Arc::new(inner), entropy })
    }

    /// Asks for something.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn get(&self, request: &impl StripeRequest) -> Result<Value, CallError> {
        Box::pin(self.call(|| build(request), &RequestStrategy::Once)).await
    }

    /// Has something made or changed. The idempotency key is made of `purpose` and of what is asked, so that the same
    /// wish is carried out once and another wish is another one (Stripe's "Idempotent requests").
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn post(&self, request: &impl StripeRequest, purpose: &str) -> Result<Value, CallError> {
        let asked = build(request);
        let mut digest = Sha256::new();
        for part in [purpose, &asked.path, asked.body.as_deref().unwrap_or_default()] {
            digest.update(part.as_bytes());
            digest.update([0]);
        }
        let key = format!("turnpike-{}", data_encoding::HEXLOWER.encode(&digest.finalize()));
        let key = IdempotencyKey::new(key).map_err(|error| CallError::Unavailable(error.to_string()))?;
        Box::pin(self.call(|| build(request), &RequestStrategy::Idempotent(key))).await
    }

    /// The client crate does not repeat a call that has an idempotency key, so the repetition is ours.
    async fn call(&self, request: impl Fn() -> RequestBuilder, strategy: &RequestStrategy) -> Result<Value, CallError> {
        let repeated = async {
            let mut tries = 1;
            loop {
                let answer = request()
                    .customize::<miniserde::json::Value>()
                    .request_strategy(strategy.clone())
                    .send(self.inner.as_ref())
                    .await;
                match answer {
                    Ok(value) => return read(&value),
                    Err(error) if tries < tries_for(&error) && may_pass(&error) => {
                        tracing::warn!(error = %brief(&error), tries, "Stripe did not answer; trying again");
                        actix_web::rt::time::sleep(self.pause(tries)).await;
                        tries += 1;
                    }
                    Err(error) => return Err(refusal(error)),
                }
            }
        };
        actix_web::rt::time::timeout(WHOLE, repeated)
            .await
            .unwrap_or_else(|_| Err(CallError::Unavailable(format!("no answer within {} s", WHOLE.as_secs()))))
    }

    /// About 0.3 s, then 0.6 s, with jitter so that many servers do not come back together.
    fn pause(&self, tries: u32) -> Duration {
        let [jitter] = self.entropy.bytes::<1>();
        Duration::from_millis(u64::from(tries) * 200 + u64::from(jitter))
    }
}

/// The request with its parameters in one order, whatever order a map in it happens to have: an equal wish is to have
/// an equal key.
fn build(request: &impl StripeRequest) -> RequestBuilder {
    let mut built = request.build();
    built.body = built.body.map(|body| {
        let mut pairs: Vec<&str> = body.split('&').collect();
        pairs.sort_unstable();
        pairs.join("&")
    });
    built
}

fn read(value: &miniserde::json::Value) -> Result<Value, CallError> {
    serde_json::from_str(&miniserde::json::to_string(value))
        .map_err(|error| CallError::Unavailable(format!("an answer that is no JSON: {error}")))
}

/// Stripe says 409 as long as the same wish of a parallel request is being carried out: that passes soon.
fn tries_for(error: &StripeError) -> u32 {
    if matches!(error, StripeError::Stripe(_, 409)) { TRIES_WHILE_BUSY } else { TRIES }
}

/// 409, 429, 5xx, broken connections, and what a proxy in between says in HTML.
fn may_pass(error: &StripeError) -> bool {
    match error {
        StripeError::Stripe(_, status) => matches!(status, 409 | 429 | 500..),
        StripeError::JSONDeserialize(_) | StripeError::ClientError(_) | StripeError::Timeout => true,
        StripeError::ConfigError(_) => false,
    }
}

fn refusal(error: StripeError) -> CallError {
    let brief = brief(&error);
    let StripeError::Stripe(details, status) = error else { return CallError::Unavailable(brief) };
    if matches!(status, 401 | 403 | 409 | 429 | 500..) {
        return CallError::Unavailable(brief);
    }
    let param = details.param.unwrap_or_default();
    if status == 404 || details.code.is_some_and(|code| code.as_str() == "resource_missing") {
        return CallError::Missing(param);
    }
    CallError::Refused { param, message: details.message.unwrap_or(brief) }
}

/// The crate's own text repeats the whole error object, which may hold what does not belong into a log.
fn brief(error: &StripeError) -> String {
    match error {
        StripeError::Stripe(details, status) => {
            let code = details.code.as_ref().map_or("no code", |code| code.as_str());
            format!("status {status}, {code}")
        }
        other => other.to_string(),
    }
}

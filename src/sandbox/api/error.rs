//! Errors in Stripe's form.

use serde_json::{Value, json};

/// No kind of Stripe's: an answer of something in between.
const PROXY: &str = "proxy";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    pub status: u16,
    pub kind: &'static str,
    pub code: Option<&'static str>,
    pub message: String,
    pub param: Option<String>,
}

impl ApiError {
    fn new(status: u16, kind: &'static str, message: impl Into<String>) -> Self {
        Self { status, kind, code: None, message: message.into(), param: None }
    }

    /// 400: a parameter that can't be used.
    pub fn invalid(message: impl Into<String>, param: &str) -> Self {
        Self { param: Some(param.to_owned()), ..Self::new(400, "invalid_request_error", message) }
    }

    /// 400: a parameter that has to be there.
    pub fn missing(param: &str) -> Self {
        Self { code: Some("parameter_missing"), ..Self::invalid(format!("Missing required param: {param}."), param) }
    }

    /// 400: a parameter that nobody knows.
    pub fn unknown_param(param: &str) -> Self {
        Self { code: Some("parameter_unknown"), ..Self::invalid(format!("Received unknown parameter: {param}"), param) }
    }

    /// 404 when the thing stands in the path, 400 when a parameter names it. `param` is the parameter's name.
    pub fn no_such(status: u16, noun: &str, id: &str, param: &str) -> Self {
        Self { status, code: Some("resource_missing"), ..Self::invalid(format!("No such {noun}: '{id}'"), param) }
    }

    /// 400: what was asked does not fit the state of things.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(400, "invalid_request_error", message)
    }

    /// 401: no key, or not one for tests.
    pub fn unauthorized(message: impl Into<String>) -> Self {
        Self::new(401, "invalid_request_error", message)
    }

    /// 402: the card said no.
    pub fn card(code: &'static str, message: impl Into<String>) -> Self {
        Self { code: Some(code), ..Self::new(402, "card_error", message) }
    }

    /// 404: no such address.
    pub fn no_such_url(method: &str, path: &str) -> Self {
        let message = format!(
            "Unrecognized request URL ({method}: {path}). The sandbox speaks only what Turnpike needs of the API."
        );
        Self::new(404, "invalid_request_error", message)
    }

    /// 400: the same idempotency key with other parameters.
    pub fn idempotency(key: &str) -> Self {
        let message = format!(
            "Keys for idempotent requests can only be used with the same parameters they were first used with. \
             Try using a key other than '{key}' if you meant to execute a different request."
        );
        Self::new(400, "idempotency_error", message)
    }

    /// What a fault that was asked for answers.
    pub fn on_purpose(status: u16) -> Self {
        match status {
            502 | 504 => Self::new(status, PROXY, "Bad gateway: the sandbox was told to fail this request."),
            429 => Self {
                code: Some("rate_limit"),
                ..Self::new(429, "invalid_request_error", "Request rate limit exceeded.")
            },
            409 => Self {
                code: Some("lock_timeout"),
                ..Self::new(409, "invalid_request_error", "This object cannot be accessed right now.")
            },
            401 => Self::unauthorized("Invalid API Key provided."),
            status if status < 500 => {
                Self::new(status, "invalid_request_error", "The sandbox was told to refuse this request.")
            }
            status => Self::new(status, "api_error", "The sandbox was told to fail this request."),
        }
    }

    /// Said by what lies between the caller and the API, which speaks HTML.
    pub fn html(&self) -> Option<String> {
        let Self { status, message, .. } = self;
        let page = || {
            format!("<html><head><title>{status}</title></head><body><h1>{status}</h1><p>{message}</p></body></html>\n")
        };
        (self.kind == PROXY).then(page)
    }

    pub fn json(&self) -> Value {
        let mut error = json!({"type": self.kind, "message": self.message});
        if let Value::Object(fields) = &mut error {
            if let Some(code) = self.code {
                fields.insert("code".to_owned(), code.into());
                fields.insert(
                    "doc_url".to_owned(),
                    format!("https://docs.stripe.com/error-codes/{}", code.replace('_', "-")).into(),
                );
            }
            if self.kind == "card_error" {
                fields.insert("decline_code".to_owned(), "generic_decline".into());
            }
            if let Some(param) = &self.param {
                fields.insert("param".to_owned(), param.as_str().into());
            }
        }
        json!({"error": error})
    }
}

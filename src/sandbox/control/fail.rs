//! Faults on purpose: `/_sandbox/fail`.

use actix_web::{
    HttpResponse,
    web::{Bytes, Data},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{read, refuse};
use crate::sandbox::{api::ApiError, shared::Sandbox};

/// What requests under a path are to meet, so many times.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    pub path_prefix: String,
    pub method: Option<String>,
    pub status: Option<u16>,
    /// Wait so long before the work, or between work and answer when `after` is set.
    pub hang_ms: Option<u64>,
    #[serde(default = "once")]
    pub times: u32,
    /// Do the work first, then hang or fail: the caller does not learn what came of it.
    #[serde(default)]
    pub after: bool,
}

fn once() -> u32 {
    1
}

impl Fault {
    pub fn error(&self) -> Option<ApiError> {
        self.status.filter(|status| *status >= 400).map(ApiError::on_purpose)
    }

    fn meets(&self, method: &str, path: &str) -> bool {
        path.starts_with(&self.path_prefix)
            && self.method.as_deref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(method))
    }
}

#[derive(Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    pub fn take(&mut self, method: &str, path: &str) -> Option<Fault> {
        let fault = self.0.iter_mut().find(|fault| fault.meets(method, path))?;
        fault.times = fault.times.saturating_sub(1);
        let met = fault.clone();
        self.0.retain(|fault| fault.times > 0);
        Some(met)
    }
}

pub async fn list(sandbox: Data<Sandbox>) -> HttpResponse {
    HttpResponse::Ok().json(json!({"faults": sandbox.faults(|faults| faults.0.clone())}))
}

pub async fn add(body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let fault: Fault = match read(&body) {
        Ok(fault) => fault,
        Err(reason) => return refuse(reason),
    };
    if fault.status.is_none() && fault.hang_ms.is_none() {
        return refuse("Say a \"status\" from 400 to 599, or \"hang_ms\".");
    }
    if fault.status.is_some_and(|status| !(400..=599).contains(&status)) {
        return refuse("The status has to be from 400 to 599.");
    }
    if !fault.path_prefix.starts_with("/v1/") {
        return refuse("path_prefix has to begin with /v1/.");
    }
    sandbox.faults(|faults| {
        if fault.times == 0 {
            faults.0.retain(|known| known.path_prefix != fault.path_prefix);
        } else {
            faults.0.push(fault);
        }
    });
    list(sandbox).await
}

pub async fn clear(sandbox: Data<Sandbox>) -> HttpResponse {
    sandbox.faults(|faults| faults.0.clear());
    list(sandbox).await
}

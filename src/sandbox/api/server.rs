//! From an HTTP request to an answer: the log, faults on purpose, the key, idempotency, and the shape of the version.

use std::time::Duration;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{CONTENT_TYPE, ContentType},
    },
    web::{Bytes, Data},
};
use serde_json::Value;

use super::{ApiError, Call, auth, idempotency::fingerprint, params::Params, routes};
use crate::sandbox::{
    control::Request,
    ids,
    json::shape::{NEWEST, Shape},
    shared::Sandbox,
    world::{Cause, World},
};

/// Answers anything under `/v1`.
pub async fn answer(request: HttpRequest, body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
    let mut params = Params::parse(request.query_string().as_bytes());
    params.extend(Params::parse(&body));
    let call = Call {
        method: request.method().to_string(),
        path: request.path().trim_end_matches('/').to_owned(),
        params,
        cause: Cause { request_id: Some(ids::new("req_")), idempotency_key: header("idempotency-key") },
    };
    let version = header("stripe-version");
    let entry = sandbox.note_request(Request::of(&call, version.as_deref(), sandbox.now()));

    let work = || auth::check(request.headers()).and_then(|()| run(&sandbox, &call));
    let outcome = match sandbox.take_fault(&call.method, &call.path) {
        None => work(),
        Some(fault) => {
            let done = fault.after.then(work);
            actix_web::rt::time::sleep(Duration::from_millis(fault.hang_ms.unwrap_or(0))).await;
            match fault.error() {
                Some(error) => Err(error),
                None => done.unwrap_or_else(work),
            }
        }
    };
    let response = respond(&sandbox, &call, version.as_deref(), outcome);
    sandbox.note_answer(entry, response.status().as_u16());
    response
}

/// An answer, the request that first got it, and whether it was given before.
struct Given {
    status: StatusCode,
    body: Value,
    request_id: String,
    replayed: bool,
}

fn run(sandbox: &Sandbox, call: &Call) -> Result<Given, ApiError> {
    let path = call.path.strip_prefix("/v1/").unwrap_or_default();
    let parts: Vec<&str> = path.split('/').collect();
    let request_id = call.cause.request_id.clone().unwrap_or_default();
    if call.method == "GET" {
        let body = sandbox.look(|world| ask(world, call, &parts))?;
        return Ok(Given { status: StatusCode::OK, body, request_id, replayed: false });
    }
    sandbox.change(call.cause.clone(), |world| {
        let Some(key) = call.cause.idempotency_key.as_deref() else {
            let body = ask(world, call, &parts)?;
            return Ok(Given { status: StatusCode::OK, body, request_id, replayed: false });
        };
        let question = fingerprint(&call.method, &call.path, &call.params.flat().to_string());
        if let Some(earlier) = world.state.answers.find(key, &question, world.now)? {
            let body = serde_json::from_str(&earlier.body).unwrap_or_default();
            let status = StatusCode::from_u16(earlier.status).unwrap_or_default();
            return Ok(Given { status, body, request_id: earlier.request_id, replayed: true });
        }
        let (status, body) = match ask(world, call, &parts) {
            // The bank was asked: asking again with the same key must not ask it again.
            Err(error) if error.status == 402 => (StatusCode::PAYMENT_REQUIRED, error.json()),
            answer => (StatusCode::OK, answer?),
        };
        let kept = (status.as_u16(), body.to_string());
        world.state.answers.keep(key, question, world.now, kept, request_id.clone());
        Ok(Given { status, body, request_id, replayed: false })
    })
}

fn ask(world: &mut World, call: &Call, parts: &[&str]) -> Result<Value, ApiError> {
    let mut body = routes::dispatch(world, call, parts)?;
    call.expand(world, &mut body)?;
    Ok(body)
}

fn respond(sandbox: &Sandbox, call: &Call, version: Option<&str>, outcome: Result<Given, ApiError>) -> HttpResponse {
    let shape = version.map_or_else(|| sandbox.look(|world| world.state.deliveries.settings.shape), Shape::of_version);
    let spoken = version.unwrap_or(if shape.is_newest() { NEWEST } else { shape.api_version() });
    let request_id = call.cause.request_id.clone().unwrap_or_default();
    let (status, body, original, replayed) = match outcome {
        Ok(given) => (given.status, shape.apply(given.body), given.request_id, given.replayed),
        Err(error) => {
            let status = StatusCode::from_u16(error.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            if let Some(page) = error.html() {
                return HttpResponse::build(status).content_type(ContentType::html()).body(page);
            }
            (status, error.json(), request_id.clone(), false)
        }
    };
    let mut response = HttpResponse::build(status);
    response
        .insert_header((CONTENT_TYPE, "application/json"))
        .insert_header(("Request-Id", request_id))
        .insert_header(("Stripe-Version", spoken));
    if let Some(key) = &call.cause.idempotency_key {
        response.insert_header(("Idempotency-Key", key.as_str())).insert_header(("Original-Request", original));
    }
    if replayed {
        response.insert_header(("Idempotent-Replayed", "true"));
    }
    if status == StatusCode::TOO_MANY_REQUESTS {
        response.insert_header(("Retry-After", "1"));
    }
    response.body(serde_json::to_string_pretty(&body).unwrap_or_default())
}

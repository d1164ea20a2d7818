use std::{borrow::Cow, sync::Arc, time::Instant};

use actix_web::{
    Error, HttpMessage,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    error::InternalError,
    http::{
        StatusCode,
        header::{HeaderMap, HeaderName, HeaderValue},
    },
    middleware::Next,
    web::Data,
};
use data_encoding::HEXLOWER;
use percent_encoding::percent_decode_str;
use tracing::Instrument;

use super::Metrics;
use crate::clock::Entropy;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// What follows these in a path is a secret.
pub const SECRET_PATHS: [&str; 2] = ["/password/reset/", "/email/confirmation/"];

/// The id under which a request stands in the log. Among the request's extensions, for pages that report an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    fn new(entropy: Entropy) -> Self {
        Self(HEXLOWER.encode(&entropy.bytes::<8>()).into())
    }

    /// Sixteen hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Gives each request an id, says in one log line what became of it, and counts it:
/// `App::wrap(from_fn(observe))`, outermost, with [`Metrics`] in the app's data.
pub async fn observe(
    metrics: Data<Metrics>,
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let start = Instant::now();
    let id = RequestId::new(Entropy);
    let path = loggable(request.path()).into_owned();
    let span = tracing::info_span!("request", id = id.as_str(), method = %request.method());
    request.extensions_mut().insert(id.clone());
    let answer = next.call(request).instrument(span.clone()).await;

    let (status, answer) = identified(answer, &id);
    let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
    metrics.request(status.as_u16());
    span.in_scope(|| {
        if status.is_server_error() {
            tracing::error!(path, status = status.as_u16(), micros, "answered");
        } else {
            tracing::info!(path, status = status.as_u16(), micros, "answered");
        }
    });
    answer
}

/// The answer with the id in its headers, also when a layer below failed without making one.
fn identified<B>(
    answer: Result<ServiceResponse<B>, Error>,
    id: &RequestId,
) -> (StatusCode, Result<ServiceResponse<B>, Error>) {
    match answer {
        Ok(mut response) => {
            add(response.headers_mut(), id);
            (response.status(), Ok(response))
        }
        Err(error) => {
            let mut response = error.error_response();
            add(response.headers_mut(), id);
            (response.status(), Err(InternalError::from_response(error, response).into()))
        }
    }
}

fn add(headers: &mut HeaderMap, id: &RequestId) {
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        headers.insert(X_REQUEST_ID, value);
    }
}

/// The path up to a secret in it, also where its letters are written in another way.
fn loggable(path: &str) -> Cow<'_, str> {
    let read = percent_decode_str(path).decode_utf8_lossy();
    let secret_starts = SECRET_PATHS.iter().filter_map(|prefix| read.find(prefix).map(|at| at + prefix.len())).min();
    let known = secret_starts.and_then(|end| read.get(..end));
    known.map_or(Cow::Borrowed(path), |known| Cow::Owned(known.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Mutex, Once, PoisonError},
    };

    use actix_web::{
        App, HttpRequest, HttpResponse,
        dev::Service,
        error::ErrorImATeapot,
        middleware::from_fn,
        test,
        web::{self, get},
    };

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Lines {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()).unwrap()
        }
    }

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A line that is first met while nobody listens may count as one that nobody wants, also for who begins to listen in
    /// that moment. So somebody always listens.
    fn somebody_listens() {
        static FIRST: Once = Once::new();
        FIRST.call_once(|| {
            tracing::subscriber::set_global_default(tracing_subscriber::fmt().with_writer(io::sink).finish()).unwrap();
        });
    }

    async fn echo(request: HttpRequest) -> HttpResponse {
        tracing::info!("inside");
        HttpResponse::Ok().body(request.extensions().get::<RequestId>().unwrap().as_str().to_owned())
    }

    #[actix_web::test]
    async fn a_request_has_one_line_an_id_and_a_count() {
        somebody_listens();
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        let _guard = tracing::subscriber::set_default(subscriber);
        let metrics = Data::new(Metrics::default());
        let app = App::new().app_data(metrics.clone()).wrap(from_fn(observe)).route("/page", get().to(echo));
        let app = test::init_service(app.route("/password/reset/{token}", get().to(echo))).await;

        let answer = test::call_service(&app, test::TestRequest::get().uri("/page?secret=1").to_request()).await;
        let id = answer.headers().get(X_REQUEST_ID).unwrap().to_str().unwrap().to_owned();
        assert_eq!(id.len(), 16);
        assert_eq!(test::read_body(answer).await, id.as_bytes());
        for path in [
            "/password/reset/tok3n",
            "//password/reset/tok3n/",
            "/password/%72eset/tok3n",
            "/email/confirmation/tok3n?x=tok3n",
        ] {
            let again = test::call_service(&app, test::TestRequest::get().uri(path).to_request()).await;
            assert_ne!(again.headers().get(X_REQUEST_ID).unwrap().to_str().unwrap(), id);
        }

        let log = lines.text();
        let line = log.lines().find(|line| line.contains("answered")).unwrap();
        for part in [id.as_str(), "method=GET", "path=\"/page\"", "status=200", "micros="] {
            assert!(line.contains(part), "{line}");
        }
        assert!(log.lines().any(|line| line.contains("inside") && line.contains(&id)), "{log}");
        assert!(!log.contains("secret=1") && !log.contains("tok3n"), "{log}");
        assert_eq!(log.matches("answered").count(), 5);
        assert!(metrics.render().contains("turnpike_requests_total{class=\"2xx\"} 3"));
        assert!(metrics.render().contains("turnpike_requests_total{class=\"4xx\"} 2"));
    }

    #[actix_web::test]
    async fn a_layer_that_fails_is_answered_with_an_id_too() {
        somebody_listens();
        let metrics = Data::new(Metrics::default());
        let app = App::new()
            .wrap_fn(|request, _| async move { Err::<ServiceResponse, _>(ErrorImATeapot(request.path().to_owned())) })
            .app_data(metrics.clone())
            .wrap(from_fn(observe))
            .route("/", web::get().to(echo));
        let app = test::init_service(app).await;
        let error = app.call(test::TestRequest::get().uri("/").to_request()).await.err().unwrap();
        let response = error.error_response();
        assert_eq!(response.status(), StatusCode::IM_A_TEAPOT);
        assert!(response.headers().contains_key(X_REQUEST_ID));
        assert!(metrics.render().contains("turnpike_requests_total{class=\"4xx\"} 1"));
    }
}

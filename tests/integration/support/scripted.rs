//! Something that answers as Stripe does, after as long as the test wants: what a network does to answers.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, rt::System, web};
use serde_json::{Value, json};

/// Serves until the process ends.
#[derive(Clone)]
pub struct ScriptedStripe {
    pub address: SocketAddr,
    script: Arc<Mutex<Script>>,
}

#[derive(Default)]
struct Script {
    answers: VecDeque<(Duration, Value)>,
    asked: Vec<String>,
}

impl ScriptedStripe {
    pub fn start() -> Self {
        let script = Arc::new(Mutex::new(Script::default()));
        let (started, address) = mpsc::channel();
        let shared = Arc::clone(&script);
        std::thread::spawn(move || {
            System::new().block_on(async move {
                let server = HttpServer::new(move || {
                    App::new().app_data(web::Data::new(Arc::clone(&shared))).default_service(web::to(answer))
                });
                let server = server.workers(1).bind("127.0.0.1:0").unwrap().disable_signals();
                started.send(server.addrs()[0]).unwrap();
                server.run().await.unwrap();
            });
        });
        Self { address: address.recv().unwrap(), script }
    }

    /// What `TURNPIKE_STRIPE_API_BASE` must be.
    pub fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next question about a subscription that no other answer is for gets this one.
    pub fn will_answer(&self, after_ms: u64, object: &Value) {
        self.script.lock().unwrap().answers.push_back((Duration::from_millis(after_ms), object.clone()));
    }

    /// Method and path of each question about a subscription so far.
    pub fn asked(&self) -> Vec<String> {
        self.script.lock().unwrap().asked.clone()
    }
}

async fn answer(request: HttpRequest, script: web::Data<Arc<Mutex<Script>>>) -> HttpResponse {
    let next = if request.path().starts_with("/v1/subscriptions") {
        let mut script = script.lock().unwrap();
        script.asked.push(format!("{} {}", request.method(), request.path()));
        script.answers.pop_front()
    } else {
        None
    };
    let Some((delay, object)) = next else {
        let error = json!({ "error": { "type": "invalid_request_error", "code": "resource_missing", "message": "No such object" } });
        return HttpResponse::NotFound().json(error);
    };
    actix_web::rt::time::sleep(delay).await;
    HttpResponse::Ok().json(object)
}

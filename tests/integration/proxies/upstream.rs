//! An application that knows nothing of Turnpike. It says what it was asked, and counts how often.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer, dev::ServerHandle, http::header::UPGRADE, rt::System, web,
};
use futures_util::StreamExt;
use serde_json::json;

/// A running application. It ends with the value.
pub struct Upstream {
    pub address: SocketAddr,
    asked: Arc<AtomicUsize>,
    handle: ServerHandle,
}

impl Upstream {
    pub fn start() -> Self {
        let asked = Arc::new(AtomicUsize::new(0));
        let (counter, (started, ready)) = (web::Data::from(Arc::clone(&asked)), mpsc::channel());
        std::thread::spawn(move || {
            System::new().block_on(async move {
                let app = move || App::new().app_data(counter.clone()).default_service(web::to(echo));
                let server = HttpServer::new(app).workers(1).disable_signals().bind("127.0.0.1:0").unwrap();
                let address = server.addrs()[0];
                let server = server.run();
                started.send((address, server.handle())).unwrap();
                server.await.unwrap();
            });
        });
        let (address, handle) = ready.recv().unwrap();
        Self { address, asked, handle }
    }

    /// How often it was asked anything.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// Ends it now.
    pub async fn stop(&self) {
        self.handle.stop(false).await;
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}

/// What it was asked, as JSON; or the bytes back, to whoever wants to talk otherwise.
async fn echo(request: HttpRequest, mut body: web::Payload, asked: web::Data<AtomicUsize>) -> HttpResponse {
    asked.fetch_add(1, Ordering::SeqCst);
    if request.headers().get(UPGRADE).is_some_and(|value| value == "websocket") {
        return HttpResponse::SwitchingProtocols().upgrade("websocket").streaming(body);
    }
    let mut length = 0;
    while let Some(part) = body.next().await {
        length += part.unwrap().len();
    }
    let headers: Vec<(String, String)> = request
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    HttpResponse::Ok().json(json!({
        "method": request.method().as_str(),
        "uri": request.uri().to_string(),
        "headers": headers,
        "length": length,
    }))
}

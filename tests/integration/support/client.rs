//! A person in front of the program: a browser's headers, a cookie jar, no redirects of its own.

use std::{collections::BTreeMap, net::SocketAddr, sync::Mutex, time::Duration};

use reqwest::{
    Method, RequestBuilder, StatusCode,
    header::{ACCEPT, COOKIE, HeaderMap, LOCATION, SET_COOKIE},
};
use serde_json::Value;

/// What a browser says that it wants.
pub const HTML: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
/// What a program says that it wants.
pub const JSON: &str = "application/json";

/// One person with one cookie jar.
pub struct Visitor {
    http: reqwest::Client,
    address: SocketAddr,
    cookies: Mutex<BTreeMap<String, String>>,
}

impl Visitor {
    /// Somebody with an empty jar.
    pub fn new(address: SocketAddr) -> Self {
        Self { http: http_client(), address, cookies: Mutex::default() }
    }

    /// Somebody else who got hold of this one's cookies.
    pub fn copy(&self) -> Self {
        Self { http: self.http.clone(), address: self.address, cookies: Mutex::new(self.cookies()) }
    }

    /// Somebody with an empty jar in front of the same server.
    pub fn without_cookies(&self) -> Self {
        Self::new(self.address)
    }

    /// The same person and cookies in front of another server.
    pub fn at(&self, address: SocketAddr) -> Self {
        Self { address, ..self.copy() }
    }

    /// A page, as a browser asks for it.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, |request| request).await
    }

    /// The same, as a program asks for it.
    pub async fn get_json(&self, path: &str) -> Answer {
        self.send(Method::GET, path, |request| request.header(ACCEPT, JSON)).await
    }

    /// A form, as a browser sends it from a page of ours.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.send(Method::POST, path, |request| request.form(fields)).await
    }

    /// A form whose bytes are given as they are.
    pub async fn post_raw(&self, path: &str, body: impl Into<String>) -> Answer {
        let body = body.into();
        self.send(Method::POST, path, |request| {
            request.header("Content-Type", "application/x-www-form-urlencoded").body(body)
        })
        .await
    }

    /// Any request: a browser's headers first, then what `shape` sets in their place.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        shape: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Answer {
        let url = format!("http://{}{path}", self.address);
        let mut own = shape(self.http.request(method, url)).build().unwrap();
        let headers = own.headers_mut();
        let unless_given = |headers: &mut HeaderMap, name: &'static str, value: &str| {
            if !headers.contains_key(name) {
                headers.insert(name, value.parse().unwrap());
            }
        };
        unless_given(headers, "accept", HTML);
        unless_given(headers, "sec-fetch-site", "same-origin");
        unless_given(headers, "origin", &format!("http://{}", self.address));
        if let Some(cookies) = self.cookie_header() {
            headers.insert(COOKIE, cookies.parse().unwrap());
        }
        let answer = Answer::read(self.http.execute(own).await.unwrap()).await;
        self.keep_cookies(&answer.headers);
        answer
    }

    /// Follows redirects inside the program until there is an answer that is none.
    pub async fn follow(&self, answer: Answer) -> Answer {
        let mut answer = answer;
        for _ in 0..5 {
            let Some(target) = answer.location() else { return answer };
            answer = self.get(&target).await;
        }
        panic!("redirected in circles");
    }

    /// What is in the jar.
    pub fn cookies(&self) -> BTreeMap<String, String> {
        self.cookies.lock().unwrap().clone()
    }

    /// Puts a cookie into the jar.
    pub fn set_cookie(&self, name: &str, value: &str) {
        self.cookies.lock().unwrap().insert(name.to_owned(), value.to_owned());
    }

    fn cookie_header(&self) -> Option<String> {
        let cookies = self.cookies();
        let pairs: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }

    fn keep_cookies(&self, headers: &HeaderMap) {
        let mut jar = self.cookies.lock().unwrap();
        for line in headers.get_all(SET_COOKIE) {
            let line = line.to_str().unwrap();
            let (pair, attributes) = line.split_once(';').unwrap_or((line, ""));
            let (name, value) = pair.split_once('=').unwrap();
            let gone = value.is_empty() || attributes.to_ascii_lowercase().contains("max-age=0");
            if gone {
                jar.remove(name);
            } else {
                jar.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}

/// A client that follows nothing and gives up after a while.
pub fn http_client() -> reqwest::Client {
    let builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy();
    builder.timeout(Duration::from_mins(1)).build().unwrap()
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads the whole answer.
    pub async fn read(response: reqwest::Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Self { status, headers, body: response.bytes().await.unwrap().to_vec() }
    }

    /// Insists on the status, and shows the page if it is another.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.reason(), self.shown());
        self
    }

    /// Insists on these words on the page.
    #[track_caller]
    pub fn says(self, words: &str) -> Self {
        assert!(self.text().contains(words), "the answer does not say {words:?}:\n{}", self.shown());
        self
    }

    /// Insists that these words are not on the page.
    #[track_caller]
    pub fn keeps_quiet_about(self, words: &str) -> Self {
        assert!(!self.text().contains(words), "the answer says {words:?}:\n{}", self.shown());
        self
    }

    /// The body as text.
    #[track_caller]
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}:\n{}", self.shown()))
    }

    /// A header's value, or nothing.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Where it redirects to: the path and query of ours, or the whole address of somebody else's.
    pub fn location(&self) -> Option<String> {
        let target = self.headers.get(LOCATION).filter(|_| (300..400).contains(&self.status))?;
        Some(target.to_str().unwrap().to_owned())
    }

    fn reason(&self) -> String {
        format!("{} {:?}", StatusCode::from_u16(self.status).unwrap(), self.headers)
    }

    fn shown(&self) -> String {
        String::from_utf8_lossy(&self.body).chars().take(6_000).collect()
    }
}

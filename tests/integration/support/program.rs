//! Programs that read the list of subscribers with a token.

use reqwest::{Method, header::ACCEPT};

use super::{
    client::{Answer, JSON, Visitor},
    member::Member,
};

/// A program with a token and without cookies.
pub struct Program {
    visitor: Visitor,
    pub token: String,
}

/// The fields of the form for a token.
pub const TOKEN_FORM: [(&str, &str); 3] =
    [("name", "Newsletter"), ("expires", "90"), ("reason", "the newsletter needs names")];

/// Makes a token and reads it from the only page that shows it.
pub async fn make_token(admin: &Member) -> String {
    let page = admin.post("/admin/tokens", &TOKEN_FORM).await.is(200).text();
    let start = page.find(">tp_").expect("no token is shown") + 1;
    page[start..].split('<').next().unwrap().to_owned()
}

impl Program {
    /// A program with a token that this admin made just now.
    pub async fn of(admin: &Member) -> Self {
        Self::with(admin, make_token(admin).await)
    }

    /// A program with this token, in front of the same server as somebody else.
    pub fn with(somebody: &Visitor, token: impl Into<String>) -> Self {
        let visitor = somebody.without_cookies();
        Self { visitor, token: token.into() }
    }

    /// What it is answered.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path).await
    }

    /// The same with another method.
    pub async fn send(&self, method: Method, path: &str) -> Answer {
        self.shows(method, path, &[&format!("Bearer {}", self.token)]).await
    }

    /// What it is answered when it shows this instead.
    pub async fn shows(&self, method: Method, path: &str, authorization: &[&str]) -> Answer {
        self.visitor
            .send(method, path, |mut request| {
                for value in authorization {
                    request = request.header("Authorization", value.as_bytes());
                }
                request.header(ACCEPT, JSON)
            })
            .await
    }
}

//! The telephone of a person, with an app that shows codes.

use chrono::{DateTime, TimeDelta, Utc};
use turnpike::{auth::second_factor::TotpSecret, clock::Clock};

use super::{
    app::App,
    client::{Answer, Visitor},
    member::{Member, PASSWORD},
};

/// Where a second factor is set up.
pub const PAGE: &str = "/account/second-factor";

/// An app that has read the secret, and the paper with the recovery codes.
pub struct Device {
    clock: Clock,
    secret: TotpSecret,
    shown: String,
    pub recovery_codes: Vec<String>,
}

impl Device {
    /// Turns the second factor on, as a person does whose address is confirmed.
    pub async fn of(app: &App, member: &Member) -> Self {
        app.knows_address_of(member);
        Self::set_up(&app.clock, member).await
    }

    /// The same by another clock.
    pub async fn set_up(clock: &Clock, member: &Visitor) -> Self {
        let begun = member.post(PAGE, &[("password", PASSWORD)]).await.is(200);
        let mut device = Self::reading(clock, &begun);
        let answer = device.confirms(member, &begun, &device.code()).await.is(200);
        device.recovery_codes = recovery_codes(&answer);
        assert_eq!(device.recovery_codes.len(), 10);
        device
    }

    /// Reads the secret that the page shows.
    pub fn reading(clock: &Clock, page: &Answer) -> Self {
        let text = page.text();
        Self::with_secret(clock, between(&text, "<code class=\"key\">", "</code>"))
    }

    /// Types the secret in, as it is shown.
    pub fn with_secret(clock: &Clock, shown: &str) -> Self {
        let shown = shown.replace(' ', "");
        let bytes = data_encoding::BASE32_NOPAD.decode(shown.as_bytes()).unwrap();
        let secret = TotpSecret::from_bytes(bytes.try_into().unwrap());
        Self { clock: clock.clone(), secret, shown, recovery_codes: Vec::new() }
    }

    /// Sends the code for the page that was begun.
    pub async fn confirms(&self, visitor: &Visitor, begun: &Answer, code: &str) -> Answer {
        let enrolment = hidden(begun, "enrolment");
        visitor.post(&format!("{PAGE}/confirmation"), &[("enrolment", &enrolment), ("code", code)]).await
    }

    /// The secret, in the letters of the page.
    pub fn shown_secret(&self) -> String {
        self.shown.clone()
    }

    /// What the app shows now.
    pub fn code(&self) -> String {
        self.code_at(self.clock.now())
    }

    /// What it shows at another moment.
    pub fn code_at(&self, at: DateTime<Utc>) -> String {
        self.secret.digits(at).unwrap()
    }

    /// The next code: one that was never used, half a minute later.
    pub fn next_code(&self) -> String {
        self.clock.advance(30).unwrap();
        self.code()
    }

    /// Six digits that are no code at this moment.
    pub fn wrong_code(&self) -> String {
        let near = [-30, 0, 30].map(|seconds| self.code_at(self.clock.now() + TimeDelta::seconds(seconds)));
        (0..9).map(|n| format!("{n:06}")).find(|code| !near.contains(code)).unwrap()
    }
}

impl Visitor {
    /// The first step of a log-in: the page that asks for the code.
    pub async fn gives_password(&self, email: &str) -> Answer {
        self.post("/login", &[("email", email), ("password", PASSWORD)]).await.is(200).says("name=\"token\"")
    }

    /// The second step.
    pub async fn gives_code(&self, page: &Answer, code: &str) -> Answer {
        self.post("/login/code", &[("token", &hidden(page, "token")), ("code", code)]).await
    }

    /// The second step with a code on paper.
    pub async fn gives_recovery_code(&self, page: &Answer, code: &str) -> Answer {
        self.post("/login/code", &[("token", &hidden(page, "token")), ("recovery_code", code)]).await
    }

    /// Whether anybody is signed in.
    pub async fn is_signed_in(&self) -> bool {
        self.get_json("/api/v1/me").await.status == 200
    }
}

/// The value of a hidden field.
pub fn hidden(page: &Answer, name: &str) -> String {
    between(&page.text(), &format!("name=\"{name}\" value=\""), "\"").to_owned()
}

/// The recovery codes on a page.
pub fn recovery_codes(page: &Answer) -> Vec<String> {
    page.text().split("<li><code>").skip(1).map(|rest| rest.split('<').next().unwrap().to_owned()).collect()
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before} in {text}"));
    rest.split(after).next().unwrap()
}

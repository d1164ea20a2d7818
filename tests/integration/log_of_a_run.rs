//! The whole log of a run, at the level that tells the most: no secret, no address, no name.

use std::path::Path;

use turnpike::clock::Clock;

use crate::support::{
    app::App,
    client::Visitor,
    device::{Device, hidden},
    member::PASSWORD,
    outbox::mailed,
    process::Process,
};

const ADA: &str = "ada.of.the.log@example.com";
const NEW_ADDRESS: &str = "countess.of.the.log@example.org";
const NEW_PASSWORD: &str = "seven green kettles on a barge";
const WRONG: &str = "a wrong one that nobody may read";

/// What must not be read anywhere, with what it is.
#[derive(Default)]
struct Secrets(Vec<(&'static str, String)>);

impl Secrets {
    fn add(&mut self, what: &'static str, secret: impl Into<String>) {
        let secret = secret.into();
        assert!(secret.len() >= 6, "{what} is too short to look for: {secret:?}");
        self.0.push((what, secret));
    }

    fn add_cookies(&mut self, visitor: &Visitor) {
        for value in visitor.cookies().into_values() {
            self.add("a cookie", value);
        }
    }
}

#[test]
fn it_tells_no_secret_no_address_and_no_name() {
    let folder = tempfile::tempdir().unwrap();
    let settings = [("TURNPIKE_LOG", "trace"), ("TURNPIKE_JOBS_INTERVAL_SECONDS", "1")];
    let mut server = Process::serve(folder.path(), &settings);
    let address = server.address();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let secrets = runtime.block_on(live(address, folder.path()));
    let printed = server.printed();
    for done in
        ["signed up", "an address was confirmed", "set a new password by mail", "deleted the account", "sent a mail"]
    {
        assert!(printed.contains(done), "the run did not come to \"{done}\":\n{printed}");
    }
    assert!(printed.contains("TRACE"), "this is not the most telling level");
    for (what, secret) in &secrets.0 {
        assert!(!printed.contains(secret.as_str()), "the log tells {what}: {secret}");
    }
    assert!(server.terminate().success());
}

/// Everything that a person can do with an account, and what goes wrong on the way.
async fn live(address: std::net::SocketAddr, folder: &Path) -> Secrets {
    let mut secrets = Secrets::default();
    for (what, secret) in [
        ("a password", PASSWORD),
        ("a new password", NEW_PASSWORD),
        ("a wrong password", WRONG),
        ("an address", ADA),
        ("a new address", NEW_ADDRESS),
        ("a name", "Lovelace"),
        ("a telephone number", "7946 0958"),
        ("a hash", "$argon2id"),
    ] {
        secrets.add(what, secret);
    }
    let ada = Visitor::new(address);
    ada.signs_up(ADA).await.is(303);
    secrets.add_cookies(&ada);
    Visitor::new(address).signs_up(ADA).await.is(422);
    Visitor::new(address).post("/login", &[("email", ADA), ("password", WRONG)]).await.is(422);
    ada.get("/premium?email=ada.of.the.log@example.com").await.is(200);

    confirm(&ada, &mailed(folder, ADA, "/email/confirmation/").await, &mut secrets).await;
    ada.post("/account/email", &[("email", NEW_ADDRESS), ("password", PASSWORD)]).await.is(303);
    confirm(&ada, &mailed(folder, NEW_ADDRESS, "/email/confirmation/").await, &mut secrets).await;

    ada.post("/checkout", &[("plan", "monthly")]).await.is(303);
    ada.post_raw("/webhooks/stripe", "email=ada.of.the.log@example.com").await;
    second_factor(address, &ada, &mut secrets).await;

    ada.post("/account/password", &[("current_password", WRONG), ("password", NEW_PASSWORD)]).await.is(422);
    Visitor::new(address).post("/password/reset", &[("email", NEW_ADDRESS)]).await.is(200);
    let link = mailed(folder, NEW_ADDRESS, "/password/reset/").await;
    secrets.add("a token", App::token_of(&link));
    Visitor::new(address).get(&format!("{link}/more")).await.is(404);
    Visitor::new(address).get(&link).await.is(200);
    Visitor::new(address).post(&link, &[("password", NEW_PASSWORD)]).await.is(303);

    let back = Visitor::new(address);
    let page = back.post("/login", &[("email", NEW_ADDRESS), ("password", NEW_PASSWORD)]).await.is(200);
    let token = hidden(&page, "token");
    let code = secrets.0.iter().find(|(what, _)| *what == "a recovery code").unwrap().1.clone();
    back.post("/login/code", &[("token", &token), ("recovery_code", &code)]).await.is(303);
    secrets.add("a token", token);
    secrets.add_cookies(&back);
    back.get("/account/export").await.is(200);
    back.post("/account/deletion", &[("password", NEW_PASSWORD)]).await.is(200);
    mailed(folder, NEW_ADDRESS, "deleted").await;
    secrets
}

async fn confirm(ada: &Visitor, link: &str, secrets: &mut Secrets) {
    secrets.add("a token", App::token_of(link));
    ada.get(link).await.is(200);
    ada.get(&format!("{link}/more")).await.is(404);
    ada.post(link, &[]).await.is(303);
    ada.post(link, &[]).await.is(404);
}

async fn second_factor(address: std::net::SocketAddr, ada: &Visitor, secrets: &mut Secrets) {
    let device = Device::set_up(&Clock::system(), ada).await;
    secrets.add("the second factor's secret", device.shown_secret());
    for code in &device.recovery_codes {
        secrets.add("a recovery code", code.clone());
    }
    secrets.add_cookies(ada);
    let visitor = Visitor::new(address);
    let page = visitor.post("/login", &[("email", NEW_ADDRESS), ("password", PASSWORD)]).await.is(200);
    let token = hidden(&page, "token");
    visitor.post("/login/code", &[("token", &token), ("code", &device.wrong_code())]).await.is(422);
    secrets.add("a token", token);
}

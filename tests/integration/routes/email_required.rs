//! Where the operator demands a confirmed address, premium pages wait for it (`docs/rules.md §3`).

use crate::support::{
    app::{App, Setup},
    database::Engine,
    member::Member,
};

const ADA: &str = "ada@example.com";

#[test]
fn on_sqlite() {
    demanding(Engine::Sqlite);
}

#[test]
fn on_postgresql() {
    demanding(Engine::Postgres);
}

fn demanding(engine: Engine) {
    Setup::on(engine).with("TURNPIKE_REQUIRE_CONFIRMED_EMAIL", "true").run(closed_until_it_is_confirmed);
}

async fn closed_until_it_is_confirmed(app: App) {
    app.asks_new_people();
    let ada = Member::sign_up(&app, ADA).await;
    for path in ["/premium", "/premium/welcome", "/premium/nothing-here"] {
        let page = ada.get(path).await.is(403).says("Confirm your e\u{2011}mail address to read");
        page.says("action=\"/email/confirmation\"").keeps_quiet_about("Ended on");
        let told = ada.get_json(path).await.is(403).json();
        assert_eq!((&told["code"], &told["reason"]), (&"SUBSCRIPTION_REQUIRED".into(), &"email_unconfirmed".into()));
    }
    let me = ada.me().await;
    assert_eq!((&me["access"]["granted"], &me["access"]["reason"]), (&false.into(), &"email_unconfirmed".into()));
    assert_eq!(me["subscription"]["status"], "trialing", "the trial runs all the same");
    let account = ada.get("/account").await.is(200).says("Confirm your e\u{2011}mail address to read");
    account.says("Send the mail again").keeps_quiet_about("Ended on");
    // What is left of the trial is not lost on those who want to pay.
    ada.get("/plans").await.is(200).says("28 February 2027, 11:15 CET");

    ada.post(&app.mailed_link(ADA).await, &[]).await.is(303);
    ada.reads().await;
    assert_eq!(ada.me().await["access"]["granted"], true);

    // Whoever has nothing to read is told that, and not to confirm an address in vain.
    let bob = Member::sign_up(&app, "bob@example.com").await;
    app.move_to(bob.trial_end);
    bob.log_in().await;
    assert_eq!(bob.me().await["access"]["reason"], "trial_ended");
    bob.get("/premium").await.is(403).says("Your trial has ended");
}

//! `TURNPIKE_REQUIRE_ADMIN_SECOND_FACTOR`: who looks after other people's data has a second factor, or does nothing.

use crate::support::{
    app::{App, Setup},
    database::Engine,
    device::{Device, PAGE},
    member::Member,
};

fn required<F: Future<Output = ()>>(engine: Engine, body: impl FnOnce(App) -> F) {
    Setup::on(engine).with("TURNPIKE_REQUIRE_ADMIN_SECOND_FACTOR", "true").run(body);
}

async fn staff(app: &App, role: &str) -> Member {
    let member = app.member().await;
    app.database.execute(&format!("UPDATE users SET role = '{role}' WHERE email = '{}'", member.email));
    member
}

async fn without_it_nothing_is_open(app: App) {
    for role in ["admin", "support"] {
        let admin = staff(&app, role).await;
        for page in
            ["/", "/account", "/plans", "/premium", "/premium/how-access-is-decided", "/login", "/checkout/return"]
        {
            let answer = admin.get(page).await.is(303);
            assert_eq!(answer.location().as_deref(), Some(PAGE), "{role} {page}");
        }
        for form in ["/checkout", "/billing-portal", "/subscription/cancellation", "/account/sessions/revocation"] {
            let answer = admin.post(form, &[("plan", "monthly")]).await.is(303);
            assert_eq!(answer.location().as_deref(), Some(PAGE), "{role} {form}");
        }
        for path in ["/api/v1/me", "/premium"] {
            let refused = admin.get_json(path).await.is(403);
            assert_eq!(refused.json()["code"], "SECOND_FACTOR_REQUIRED", "{role} {path}");
        }
        admin.get(PAGE).await.is(200).says("needs a second factor").says("Confirm your e‑mail address first");
        let sent = admin.post("/email/confirmation", &[("for", "second-factor")]).await.is(303);
        admin.follow(sent).await.is(200).says("We have sent you another mail");
        admin.post("/logout", &[]).await.is(303);
        admin.get("/account").await.is(303);
    }
    let ada = app.member().await;
    ada.get("/premium").await.is(200);
}

async fn with_it_everything_is_open_and_turning_it_off_closes_again(app: App) {
    let admin = staff(&app, "admin").await;
    let device = Device::of(&app, &admin).await;
    assert!(admin.is_signed_in().await);
    admin.get("/premium").await.is(200);
    admin.get("/account").await.is(200);
    let fields = [("password", crate::support::member::PASSWORD), ("recovery_code", &device.recovery_codes[0])];
    admin.post("/account/second-factor/removal", &fields).await.is(303);
    assert_eq!(admin.get("/account").await.is(303).location().as_deref(), Some(PAGE));
    assert!(!admin.is_signed_in().await);
}

#[test]
fn closed_on_sqlite() {
    required(Engine::Sqlite, without_it_nothing_is_open);
}

#[test]
fn closed_on_postgres() {
    required(Engine::Postgres, without_it_nothing_is_open);
}

#[test]
fn open_on_sqlite() {
    required(Engine::Sqlite, with_it_everything_is_open_and_turning_it_off_closes_again);
}

#[test]
fn open_on_postgres() {
    required(Engine::Postgres, with_it_everything_is_open_and_turning_it_off_closes_again);
}

#[test]
fn without_the_setting_nobody_is_asked() {
    Setup::on(Engine::Sqlite).run(|app| async move {
        let admin = staff(&app, "admin").await;
        admin.get("/account").await.is(200);
        assert!(admin.is_signed_in().await);
    });
}

//! Every URL on one screen.

use actix_web::{
    FromRequest, Handler, Resource, Responder,
    web::{self, PayloadConfig, ServiceConfig},
};

use crate::pages::{
    account, account_deletion, account_email, account_password, account_profile, admin, api, checkout, checkout_return,
    email_confirmation, gate, health, home, login, login_code, password_reset, plans, premium, second_factor, sessions,
    signup, static_files, subscription, webhook,
};

/// The URLs for people. Below `/premium` every handler takes a `Subscriber`.
pub fn routes(app: &mut ServiceConfig) {
    app.service(get("/", home::show))
        .service(get_post("/signup", signup::form, signup::submit))
        .service(get_post("/login", login::form, login::submit))
        .service(get_post("/login/code", login_code::back, login_code::submit))
        .service(post("/logout", login::logout))
        .service(get("/account", account::show))
        .service(post("/account/sessions/revocation", sessions::end_others))
        .service(post("/account/sessions/{id}/revocation", sessions::end))
        .service(get_post("/account/second-factor", second_factor::show, second_factor::begin))
        .service(get_post("/account/second-factor/confirmation", second_factor::back, second_factor::confirm))
        .service(get_post("/account/second-factor/recovery-codes", second_factor::back, second_factor::renew))
        .service(get_post("/account/second-factor/removal", second_factor::back, second_factor::turn_off))
        .service(get_post("/account/profile", account_profile::form, account_profile::submit))
        .service(get("/account/export", account_profile::export))
        .service(get_post("/account/deletion", account_deletion::form, account_deletion::submit))
        .service(get_post("/account/password", account_password::form, account_password::submit))
        .service(get_post("/password/reset", password_reset::form, password_reset::submit))
        .service(get_post("/password/reset/{token}", password_reset::show, password_reset::set))
        .service(get_post("/account/email", account_email::form, account_email::submit))
        .service(post("/account/email/withdrawal", account_email::withdraw))
        .service(post("/email/confirmation", email_confirmation::ask_again))
        .service(get_post("/email/confirmation/{token}", email_confirmation::show, email_confirmation::confirm))
        .service(get("/plans", plans::show))
        .service(post("/checkout", checkout::start))
        .service(get("/checkout/return", checkout_return::show))
        .service(post("/billing-portal", checkout::portal))
        .service(post("/subscription/cancellation", subscription::cancel))
        .service(post("/subscription/resumption", subscription::resume))
        .service(get("/premium", premium::index))
        .service(get("/premium/{slug}", premium::article))
        .service(get("/premium/{tail:.*}", premium::nothing))
        .service(get("/api/v1/me", api::me::me))
        .service(get("/admin", admin::overview::show))
        .service(get("/admin/events", admin::events::list))
        .service(post("/admin/events/replay", admin::events::replay_failed))
        .service(get("/admin/events/{id}", admin::events::show))
        .service(post("/admin/events/{id}/replay", admin::events::replay))
        .service(get("/admin/audit", admin::audit::show))
        .service(get("/admin/audit.csv", admin::audit::file))
        .service(get_post("/admin/tokens", admin::tokens::show, admin::tokens::make))
        .service(get_post(
            "/admin/tokens/{id}/revocation",
            admin::token_revocation::ask,
            admin::token_revocation::revoke,
        ))
        .service(get("/admin/subscribers", admin::subscribers::show))
        .service(get("/admin/subscribers.csv", admin::subscribers_csv::show))
        .service(get("/admin/subscribers/{id}", admin::subscriber::show))
        .service(get_post("/admin/subscribers/{id}/{action}", admin::action::ask, admin::action::submit));
}

/// The URLs that take no session, ask no browser where it comes from, and set no cookie.
pub fn routes_without_session(app: &mut ServiceConfig) {
    app.service(post("/webhooks/stripe", webhook::receive).app_data(PayloadConfig::new(webhook::LARGEST)))
        .service(get("/api/v1/openapi.json", api::openapi::show))
        .service(get("/api/v1/subscribers", api::subscribers::list))
        .service(get("/api/v1/subscribers/{id}", api::subscribers::one))
        .service(get("/gate", gate::premium))
        .service(get("/gate/{key}", gate::named))
        .service(get("/return", gate::back))
        .service(get("/healthz", health::alive))
        .service(get("/readyz", health::ready))
        .service(get("/favicon.ico", static_files::icon))
        .service(get("/static/{file}", static_files::file));
}

/// HEAD works wherever GET does.
fn get<F, Args>(path: &str, handler: F) -> Resource
where
    F: Handler<Args> + Clone,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    web::resource(path).route(web::get().to(handler.clone())).route(web::head().to(handler))
}

fn post<F, Args>(path: &str, handler: F) -> Resource
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    web::resource(path).route(web::post().to(handler))
}

fn get_post<G, GetArgs, P, PostArgs>(path: &str, show: G, submit: P) -> Resource
where
    G: Handler<GetArgs> + Clone,
    GetArgs: FromRequest + 'static,
    G::Output: Responder + 'static,
    P: Handler<PostArgs>,
    PostArgs: FromRequest + 'static,
    P::Output: Responder + 'static,
{
    get(path, show).route(web::post().to(submit))
}

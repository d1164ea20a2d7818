//! `/account`, `/` and `/plans`.

use chrono::TimeDelta;
use reqwest::Method;

use crate::{on_both, support::app::App};

on_both! {
    a_stranger_is_sent_to_log_in,
    it_shows_how_access_stands_and_what_to_do,
    the_status_shown_is_the_effective_one_before_any_row_is_updated,
    it_is_kept_by_nobody,
    anyone_sees_the_first_page_and_the_plans,
    head_works_wherever_get_does,
}

async fn a_stranger_is_sent_to_log_in(app: App) {
    let stranger = app.visitor();
    assert_eq!(crate::support::next_of(&stranger.get("/account").await.is(303)).as_deref(), Some("/account"));
    stranger.get_json("/api/v1/me").await.is(401);
}

async fn it_shows_how_access_stands_and_what_to_do(app: App) {
    let ada = app.member().await;
    ada.get("/account").await.is(200).says("Trial").says("Ends on").says("28 February 2027, 11:15 CET").says("/plans");
    app.move_to(ada.trial_end);
    ada.log_in().await;
    ada.get("/account")
        .await
        .is(200)
        .says("Expired")
        .says("Your trial has ended")
        .says("28 February 2027, 11:15 CET")
        .says("/plans");
    assert_eq!(ada.me().await["subscription"]["status"], "expired");
    ada.is_subscribed_by_event("sub_1").await;
    ada.get("/account").await.is(200).says("Active").says("Renews on").says("20 March 2027, 11:15 CET");
}

async fn the_status_shown_is_the_effective_one_before_any_row_is_updated(app: App) {
    let ada = app.member().await;
    app.move_to(ada.trial_end + TimeDelta::seconds(1));
    ada.log_in().await;
    let me = ada.me().await;
    assert_eq!(me["subscription"]["status"], "expired");
    assert_eq!(me["access"]["granted"], false);
    assert_eq!(me["access"]["reason"], "trial_ended");
}

async fn it_is_kept_by_nobody(app: App) {
    let ada = app.member().await;
    for page in ["/account", "/api/v1/me"] {
        let cache = ada.get(page).await.is(200).header("cache-control").unwrap_or_default().to_owned();
        assert!(cache.contains("no-store"), "{page}: {cache}");
    }
}

async fn anyone_sees_the_first_page_and_the_plans(app: App) {
    let stranger = app.visitor();
    stranger.get("/").await.is(200).says("/signup").says("Monthly").keeps_quiet_about("Log out");
    let plans = stranger.get("/plans").await;
    assert!(matches!(plans.status, 200 | 303), "{}", plans.status);
    let ada = app.member().await;
    ada.get("/plans").await.is(200).says("Monthly").says("name=\"plan\" value=\"monthly\"").says("carried over");
}

async fn head_works_wherever_get_does(app: App) {
    let ada = app.member().await;
    for page in
        ["/", "/signup", "/login", "/account", "/plans", "/premium", "/api/v1/me", "/healthz", "/readyz", "/nowhere"]
    {
        let (get, head) = (ada.get(page).await, ada.send(Method::HEAD, page, |request| request).await);
        assert_eq!(head.status, get.status, "{page}");
        assert!(head.body.is_empty(), "{page}");
        assert_eq!(head.header("content-type"), get.header("content-type"), "{page}");
    }
}

//! The official client as the operator's hand at Stripe, beside the running app.

use chrono::TimeDelta;

use crate::{
    on_both,
    support::{app::App, official::python},
};

on_both! {
    the_app_follows_what_the_official_client_does,
}

async fn the_app_follows_what_the_official_client_does(app: App) {
    let ada = app.member().await;
    app.move_to(ada.trial_end - TimeDelta::days(10));
    ada.log_in().await;
    ada.opens_checkout("monthly").await;
    let cookie = ada.cookies().iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ");
    let user = ada.id().await;
    let (sandbox, own) = (format!("http://{}", app.sandbox_address()), format!("http://{}", app.address));
    let variables = [("SANDBOX_URL", &sandbox), ("APP_URL", &own), ("COOKIE", &cookie), ("USER_ID", &user)];
    let variables = variables.map(|(name, value)| (name, value.as_str()));
    python(&["-m", "unittest", "test_beside_the_app"], &variables, "");
    let me = ada.me().await;
    assert_eq!((&me["access"]["granted"], &me["access"]["renews"]), (&true.into(), &true.into()), "{me}");
}

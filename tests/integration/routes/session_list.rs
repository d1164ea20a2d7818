//! The sessions on the account page, and `/account/sessions/…/revocation`.

use chrono::TimeDelta;
use reqwest::{Method, header::USER_AGENT};

use crate::{
    on_both,
    support::{
        app::App,
        client::Visitor,
        device::Device,
        member::{Member, PASSWORD},
    },
};

on_both! {
    nobody_ends_the_session_of_another_person,
    ending_is_a_post_from_a_page_of_ours,
    the_page_lists_when_and_from_which_browser,
    one_session_is_ended_and_its_copied_cookie_with_it,
    all_others_are_ended,
    a_foreign_cookie_is_not_adopted,
    the_oldest_sessions_of_a_person_end,
    a_reset_second_factor_ends_copied_cookies,
}

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

async fn log_in_with(app: &App, email: &str, agent: &str) -> Visitor {
    let visitor = app.visitor();
    let form = [("email", email), ("password", PASSWORD)];
    visitor.send(Method::POST, "/login", |request| request.header(USER_AGENT, agent).form(&form)).await.is(303);
    visitor
}

/// The names of the sessions that the page offers to end.
async fn offered(visitor: &Visitor) -> Vec<String> {
    let text = visitor.get("/account").await.is(200).text();
    let forms = text.split("action=\"/account/sessions/").skip(1);
    let mut names: Vec<_> = forms.filter_map(|rest| Some(rest.split_once("/revocation\"")?.0.to_owned())).collect();
    names.retain(|name| name.starts_with("ses_"));
    names
}

fn path(name: &str) -> String {
    format!("/account/sessions/{name}/revocation")
}

async fn nobody_ends_the_session_of_another_person(app: App) {
    let (ada, eve) = (app.member().await, app.member().await);
    let elsewhere = log_in_with(&app, &ada.email, FIREFOX).await;
    let name = offered(&ada).await.remove(0);
    eve.post(&path(&name), &[]).await.is(404);
    app.visitor().post(&path(&name), &[]).await.is(303);
    let row = app.database.text("SELECT CAST(max(id) AS TEXT) FROM sessions").unwrap();
    for strange in ["x", "ses_", &name.to_uppercase(), &format!("{name}%20"), "%00", &"a".repeat(2_000), "1", &row] {
        eve.post(&path(strange), &[]).await.is(404);
        ada.post(&path(strange), &[]).await.is(404);
    }
    eve.post("/account/sessions/revocation", &[]).await.is(303);
    assert!(ada.is_signed_in().await && elsewhere.is_signed_in().await && eve.is_signed_in().await);
}

async fn ending_is_a_post_from_a_page_of_ours(app: App) {
    let ada = app.member().await;
    let elsewhere = log_in_with(&app, &ada.email, FIREFOX).await;
    let one = path(&offered(&ada).await[0]);
    for form in [one.as_str(), "/account/sessions/revocation"] {
        ada.get(form).await.is(405);
        ada.send(Method::POST, form, |request| request.header("Sec-Fetch-Site", "same-site")).await.is(403);
    }
    assert!(elsewhere.is_signed_in().await);
}

async fn the_page_lists_when_and_from_which_browser(app: App) {
    let ada = app.member().await;
    app.advance(TimeDelta::hours(1));
    log_in_with(&app, &ada.email, FIREFOX).await;
    log_in_with(&app, &ada.email, "<script>alert(1)</script>").await;
    let page = ada.get("/account").await.is(200).says("Firefox on Linux").keeps_quiet_about("<script>alert");
    let text = page.text();
    assert!(text.contains("An unknown browser") && text.contains("This browser"));
    assert!(text.contains("31 August 2026, 13:15 CEST"), "{text}");
    let list = text.split("id=\"sessions\"").nth(1).unwrap();
    let first = list.split("</li>").next().unwrap();
    assert!(first.contains("This browser") && first.contains("12:15 CEST"), "this one comes first: {first}");
    assert_eq!(list.split("</section>").next().unwrap().matches("This browser").count(), 1);
}

async fn one_session_is_ended_and_its_copied_cookie_with_it(app: App) {
    let ada = app.member().await;
    let (second, third) =
        (log_in_with(&app, &ada.email, FIREFOX).await, log_in_with(&app, &ada.email, "curl/8.14.1").await);
    let copy = second.copy();
    let names = offered(&ada).await;
    assert_eq!(names.len(), 2);
    let answer = ada.post(&path(&names[1]), &[]).await.is(303);
    ada.follow(answer).await.is(200).says("That browser is signed out");
    assert!(!second.is_signed_in().await && !copy.is_signed_in().await);
    assert!(third.is_signed_in().await);
    ada.post(&path(&names[1]), &[]).await.is(404);
}

async fn all_others_are_ended(app: App) {
    let ada = app.member().await;
    let others = [log_in_with(&app, &ada.email, FIREFOX).await, log_in_with(&app, &ada.email, FIREFOX).await];
    let copies = others.each_ref().map(Visitor::copy);
    let answer = ada.post("/account/sessions/revocation", &[]).await.is(303);
    ada.follow(answer).await.is(200).says("signed out everywhere but here");
    for gone in others.iter().chain(&copies) {
        assert!(!gone.is_signed_in().await);
    }
    assert!(offered(&ada).await.is_empty());
    ada.get("/account").await.keeps_quiet_about("/account/sessions/revocation");
}

async fn a_foreign_cookie_is_not_adopted(app: App) {
    let eve = app.member().await;
    let before = eve.cookies();
    let (name, value) = before.iter().next().unwrap();
    let made_up = format!("{}{}", "A".repeat(44), &value[44.min(value.len())..]);
    let victim = Member::sign_up(&app, "victim@example.com").await;
    for planted in [value.clone(), made_up, "A".repeat(87)] {
        let browser = app.visitor();
        browser.set_cookie(name, &planted);
        browser.post("/login", &[("email", &victim.email), ("password", PASSWORD)]).await.is(303);
        assert_ne!(browser.cookies()[name], planted);
        let thief = app.visitor();
        thief.set_cookie(name, &planted);
        thief.get_json("/api/v1/me").await.keeps_quiet_about("victim@example.com");
        assert_eq!(browser.get_json("/api/v1/me").await.json()["user"]["email"], "victim@example.com");
    }
}

async fn the_oldest_sessions_of_a_person_end(app: App) {
    let ada = app.member().await;
    let bob = app.member().await;
    for number in 0..48 {
        app.database.execute(&format!(
            "INSERT INTO sessions (token_hash, public_id, user_id, user_agent, created_at, expires_at) \
             SELECT 'hash{number}', 'ses_{number}', id, '', 0, 9000000000000000 FROM users WHERE email = '{}'",
            ada.email
        ));
    }
    log_in_with(&app, &ada.email, FIREFOX).await;
    assert!(ada.is_signed_in().await);
    let newest = log_in_with(&app, &ada.email, FIREFOX).await;
    assert!(!ada.is_signed_in().await, "there are more than fifty sessions");
    assert!(newest.is_signed_in().await && bob.is_signed_in().await);
    assert_eq!(app.database.count("sessions", "1 = 1"), 51);
}

async fn a_reset_second_factor_ends_copied_cookies(app: App) {
    let ada = app.member().await;
    Device::of(&app, &ada).await;
    let copy = ada.copy();
    assert!(copy.is_signed_in().await);
    let user_id = app.database.number("SELECT id FROM users").unwrap();
    let now = app.now();
    let reset =
        move |conn: &mut turnpike::store::Conn| turnpike::auth::second_factor::reset(conn, user_id, "test", now);
    assert_eq!(app.store.write(reset).await.unwrap(), Some(1));
    assert_eq!(app.store.write(reset).await.unwrap(), None);
    assert!(!ada.is_signed_in().await && !copy.is_signed_in().await);
    ada.log_in().await;
}

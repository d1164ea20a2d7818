//! The whole way of a person, by clicking in a real browser.

use crate::support::{
    app::{App, Setup},
    browser::{Browser, ENTER, TAB},
    database::Engine,
    member::PASSWORD,
};

const PREMIUM_WORDS: &str = "Your access";

#[test]
fn from_sign_up_to_a_paid_page_and_out_again() {
    Setup::on(Engine::Sqlite).run(|app| async move {
        let browser = Browser::start().await;
        signs_up(&app, &browser).await;
        reads_a_premium_page(&browser).await;
        subscribes(&browser).await;
        has_second_thoughts(&browser).await;
        logs_out_and_presses_back(&browser).await;
        assert_eq!(browser.complaints().await, Vec::<String>::new());
    });
}

/// Tab, Enter, Space and letters: nothing else.
#[test]
fn without_a_mouse_somebody_signs_up_and_logs_in_again() {
    Setup::on(Engine::Sqlite).run(|app| async move {
        let browser = Browser::start().await;
        browser.open(app.address, "/signup").await;
        for (field, value) in
            [("email", "ada@example.com"), ("password", "short"), ("first_name", "Ada"), ("last_name", "Lovelace")]
        {
            browser.tabs_to("name", field).await.enter(value).await;
        }
        browser.tabs_to("name", "accept_terms").await.enter(" ").await;
        browser.tabs_to("class", "button").await.enter(ENTER).await;
        browser.shows("Use at least 10 characters").await;
        // The focus is at what is wrong, and the way from there leads to the field.
        let alert = browser.find("[role=alert]:focus").await;
        alert.enter(TAB).await;
        browser.focused().await.enter(ENTER).await;
        let field = browser.tabs_to("name", "password").await;
        field.enter(TAB).await;
        let show = browser.focused().await;
        assert_eq!(show.attribute("aria-label").await.as_deref(), Some("Show password"));
        show.enter(" ").await;
        let field = browser.find("[name=password][type=text]").await;
        field.enter(&format!("{PASSWORD}{ENTER}")).await;
        browser.arrives_at("/account").await;
        browser.tabs_to("title", "Ada Lovelace, ada@example.com").await.enter(ENTER).await;
        browser.tabs_to("href", "/login").await.enter(ENTER).await;
        browser.arrives_at("/login").await;
        browser.tabs_to("name", "email").await.enter("ada@example.com").await;
        browser.tabs_to("name", "password").await.enter(&format!("{PASSWORD}{ENTER}")).await;
        browser.arrives_at("/account").await;
        browser.shows("Your access").await;
    });
}

async fn signs_up(app: &App, browser: &Browser) {
    browser.open(app.address, "/").await;
    browser.named("Start your six months").await.click().await;
    browser.arrives_at("/signup").await;
    for (field, value) in
        [("email", "ada@example.com"), ("password", PASSWORD), ("first_name", "Ada"), ("last_name", "Lovelace")]
    {
        browser.find(&format!("[name={field}]")).await.enter(value).await;
    }
    browser.find("[name=accept_terms]").await.click().await;
    browser.named("Create my account").await.click().await;
    browser.arrives_at("/account").await;
    browser.shows("Ends on 28 February 2027, 10:15 UTC").await;
    browser.shows("Trial").await;
}

async fn reads_a_premium_page(browser: &Browser) {
    browser.named("Read").await.click().await;
    browser.shows("Your access ends on").await;
    browser.find("main ul.list a").await.click().await;
    browser.arrives_at("/premium/").await;
    browser.shows(PREMIUM_WORDS).await;
}

async fn subscribes(browser: &Browser) {
    browser.named("Plans").await.click().await;
    browser.shows("carried over").await;
    browser.find("form[action='/checkout'] button").await.click().await;
    browser.arrives_at("cs_").await;
    browser.shows("andbox").await;
    browser.find("button[value=pay]").await.click().await;
    browser.arrives_at("/checkout/return").await;
    browser.shows("You are subscribed").await;
    browser.shows("Renews on").await;
    browser.named("Account").await.click().await;
    browser.arrives_at("/account").await;
    browser.shows("Active").await;
}

async fn has_second_thoughts(browser: &Browser) {
    browser.shows("You keep access until").await;
    browser.named("Cancel subscription").await.click().await;
    browser.shows("Ends on").await;
    browser.arrives_at("/account").await;
    browser.named("Resume subscription").await.click().await;
    browser.shows("Renews on").await;
    browser.named("Cancel subscription").await;
    browser.arrives_at("/account").await;
}

async fn logs_out_and_presses_back(browser: &Browser) {
    browser.named("Read").await.click().await;
    browser.shows(PREMIUM_WORDS).await;
    browser.named("Log out").await.click().await;
    browser.shows("Log in").await;
    browser.back().await;
    browser.shows("Log in").await;
    let text = browser.text().await;
    assert!(!text.contains(PREMIUM_WORDS), "the button Back shows a premium page:\n{text}");
}

#[test]
fn without_scripts_a_payment_is_seen_all_the_same() {
    Setup::on(Engine::Sqlite).run(|app| async move {
        let browser = Browser::start_without_scripts().await;
        signs_up(&app, &browser).await;
        subscribes(&browser).await;
    });
}

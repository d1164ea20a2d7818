//! `/account/second-factor`: turning it on and off, and new recovery codes.

use chrono::TimeDelta;

use crate::{
    on_both,
    support::{
        app::{App, Setup},
        browser::{Browser, ENTER},
        database::Engine,
        device::{Device, PAGE, hidden, recovery_codes},
        member::{Member, PASSWORD},
    },
};

on_both! {
    a_stranger_sets_nothing_up,
    before_the_address_is_confirmed_there_is_none,
    it_is_not_begun_without_the_password,
    a_wrong_code_turns_nothing_on,
    a_page_that_is_old_or_somebody_elses_turns_nothing_on,
    a_second_secret_does_not_replace_the_first,
    turning_it_on_ends_the_sessions_that_began_without_it,
    what_is_stored_gives_no_codes,
    new_recovery_codes_take_password_and_code_and_end_the_old_ones,
    turning_it_off_takes_password_and_code,
    wrong_codes_are_slowed_down_here_too,
}

const FORMS: [&str; 4] = [
    PAGE,
    "/account/second-factor/confirmation",
    "/account/second-factor/recovery-codes",
    "/account/second-factor/removal",
];

async fn a_stranger_sets_nothing_up(app: App) {
    let stranger = app.visitor();
    for form in FORMS {
        let answer = stranger.post(form, &[("password", PASSWORD), ("code", "123456")]).await.is(303);
        assert_eq!(answer.location().as_deref(), Some("/login"), "{form}");
        stranger.get_json(form).await.is(401);
    }
    let ada = app.member().await;
    for form in FORMS {
        let cross_site = ada.send(reqwest::Method::POST, form, |request| {
            request.header("Sec-Fetch-Site", "cross-site").form(&[("password", PASSWORD)])
        });
        cross_site.await.is(403);
    }
    for form in &FORMS[1..] {
        assert_eq!(ada.get(form).await.is(303).location().as_deref(), Some(PAGE), "{form}");
    }
}

/// Else somebody could sign up with an address of another person and keep them out of it for ever.
async fn before_the_address_is_confirmed_there_is_none(app: App) {
    app.asks_new_people();
    let eve = app.member().await;
    eve.get(PAGE).await.is(200).says("Confirm your e‑mail address first").keeps_quiet_about("current-password");
    let begun = eve.post(PAGE, &[("password", PASSWORD)]).await.is(303);
    assert_eq!(begun.location().as_deref(), Some(PAGE));
    // A page that was begun with another account's right to do so.
    let ada = app.confirmed_member().await;
    let page = ada.post(PAGE, &[("password", PASSWORD)]).await.is(200);
    let device = Device::reading(&app.clock, &page);
    device.confirms(&eve, &page, &device.code()).await.is(303);
    assert_eq!(app.database.count("users", "second_factor_at IS NOT NULL"), 0);

    app.advance(TimeDelta::minutes(2));
    let sent = eve.post("/email/confirmation", &[("for", "second-factor")]).await.is(303);
    eve.follow(sent).await.is(200).says("We have sent you another mail");
    let link = app.mailed_link(&eve.email).await;
    eve.post(&link, &[]).await.is(303);
    Device::set_up(&app.clock, &eve).await;
}

async fn it_is_not_begun_without_the_password(app: App) {
    let ada = app.confirmed_member().await;
    ada.get(PAGE).await.is(200).says("current-password").keeps_quiet_about("<svg xmlns");
    for password in ["", "not the password at all", &"x".repeat(60_000), "\0"] {
        ada.post(PAGE, &[("password", password)])
            .await
            .is(422)
            .says("The password is wrong")
            .keeps_quiet_about("class=\"key\"")
            .keeps_quiet_about("not the password");
    }
    assert_eq!(app.database.count("second_factors", "1 = 1"), 0);
}

async fn a_wrong_code_turns_nothing_on(app: App) {
    let ada = app.confirmed_member().await;
    let begun = ada.post(PAGE, &[("password", PASSWORD)]).await.is(200);
    begun.says("role=\"img\"").says("autocomplete=\"one-time-code\"").says("inputmode=\"numeric\"");
    let begun = ada.post(PAGE, &[("password", PASSWORD)]).await.is(200);
    let device = Device::reading(&app.clock, &begun);
    let early = device.code_at(app.now() - TimeDelta::seconds(90));
    for code in ["", "12345", "abcdef", "ABCD-EFGH-IJKL-MNOP-QRST-UVWX", &device.wrong_code(), &early] {
        let again = device.confirms(&ada, &begun, code).await.is(422);
        // The picture is still the same one.
        assert!(
            Device::reading(&app.clock, &again).code() == device.code()
                && hidden(&again, "enrolment") == hidden(&begun, "enrolment")
        );
    }
    assert_eq!(app.database.count("users", "second_factor_at IS NOT NULL"), 0);
    device.confirms(&ada, &begun, &device.code()).await.is(200);
    assert_eq!(app.database.count("users", "second_factor_at IS NOT NULL"), 1);
}

async fn a_page_that_is_old_or_somebody_elses_turns_nothing_on(app: App) {
    let (ada, eve) = (app.confirmed_member().await, app.confirmed_member().await);
    let begun = ada.post(PAGE, &[("password", PASSWORD)]).await.is(200);
    let device = Device::reading(&app.clock, &begun);
    device.confirms(&eve, &begun, &device.code()).await.is(410).keeps_quiet_about("class=\"key\"");
    // The same person in another session.
    let elsewhere = app.visitor();
    elsewhere.post("/login", &[("email", &ada.email), ("password", PASSWORD)]).await.is(303);
    device.confirms(&elsewhere, &begun, &device.code()).await.is(410);
    for nonsense in ["", ".", "9999999999.AAAA", &"a.".repeat(9_000)] {
        let fields = [("enrolment", nonsense), ("code", "123456")];
        ada.post("/account/second-factor/confirmation", &fields).await.is(410).says("Begin again");
    }
    app.advance(TimeDelta::minutes(30));
    device.confirms(&ada, &begun, &device.code()).await.is(410).says("Begin again");
    assert_eq!(app.database.count("users", "second_factor_at IS NOT NULL"), 0);
}

async fn a_second_secret_does_not_replace_the_first(app: App) {
    let ada = app.confirmed_member().await;
    let pages = [
        ada.post(PAGE, &[("password", PASSWORD)]).await.is(200),
        ada.post(PAGE, &[("password", PASSWORD)]).await.is(200),
    ];
    let [first, second] = pages.each_ref().map(|page| Device::reading(&app.clock, page));
    let copy = ada.copy();
    first.confirms(&ada, &pages[0], &first.code()).await.is(200);
    // The session of the second tab is over, and its page with it.
    second.confirms(&copy, &pages[1], &second.code()).await.is(303);
    assert_eq!(second.confirms(&ada, &pages[1], &second.code()).await.is(303).location().as_deref(), Some(PAGE));
    assert_eq!(ada.post(PAGE, &[("password", PASSWORD)]).await.is(303).location().as_deref(), Some(PAGE));
    let visitor = app.visitor();
    let page = visitor.gives_password(&ada.email).await;
    visitor.gives_code(&page, &first.next_code()).await.is(303);
}

async fn turning_it_on_ends_the_sessions_that_began_without_it(app: App) {
    let ada = app.confirmed_member().await;
    let elsewhere = app.visitor();
    elsewhere.post("/login", &[("email", &ada.email), ("password", PASSWORD)]).await.is(303);
    let copy = ada.copy();
    Device::of(&app, &ada).await;
    assert!(ada.is_signed_in().await);
    assert!(!copy.is_signed_in().await, "the id of the session is the same as before");
    assert!(!elsewhere.is_signed_in().await);
    assert_eq!(app.database.count("sessions", "1 = 1"), 1);
    ada.get("/account").await.is(200).says("On&nbsp;· ");
    ada.get(PAGE).await.is(200).says("On since").says("10 recovery codes");
}

async fn what_is_stored_gives_no_codes(app: App) {
    let ada = app.confirmed_member().await;
    let begun = ada.post(PAGE, &[("password", PASSWORD)]).await.is(200);
    let shown = begun.text();
    let secret = shown.split("<code class=\"key\">").nth(1).unwrap().split('<').next().unwrap().replace(' ', "");
    let device = Device::reading(&app.clock, &begun);
    let answer = device.confirms(&ada, &begun, &device.code()).await.is(200);
    assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    let stored = app.database.text("SELECT secret FROM second_factors").unwrap();
    assert!(stored.len() > 40 && !stored.contains(&secret), "{stored}");
    let raw = data_encoding::BASE32_NOPAD.decode(secret.as_bytes()).unwrap();
    let kept = data_encoding::BASE64URL_NOPAD.decode(stored.as_bytes()).unwrap();
    assert!(!kept.windows(8).any(|part| raw.starts_with(part)));
    for code in recovery_codes(&answer) {
        let bare = code.replace('-', "");
        assert_eq!(app.database.count("recovery_codes", &format!("lower(code_hash) LIKE lower('%{bare}%')")), 0);
    }
    assert_eq!(app.database.count("recovery_codes", "length(code_hash) = 64"), 10);
}

async fn new_recovery_codes_take_password_and_code_and_end_the_old_ones(app: App) {
    let ada = app.confirmed_member().await;
    let device = Device::of(&app, &ada).await;
    let form = "/account/second-factor/recovery-codes";
    let code = device.next_code();
    for (password, code) in [(PASSWORD, ""), (PASSWORD, &device.wrong_code()), ("", &code), ("wrong password", &code)] {
        ada.post(form, &[("password", password), ("code", code)]).await.is(422).keeps_quiet_about("<li><code>");
    }
    let new = recovery_codes(&ada.post(form, &[("password", PASSWORD), ("code", &code)]).await.is(200));
    assert!(new.len() == 10 && !new.iter().any(|code| device.recovery_codes.contains(code)));
    ada.post(form, &[("password", PASSWORD), ("code", &code)]).await.is(422);
    let visitor = app.visitor();
    let page = visitor.gives_password(&ada.email).await;
    visitor.gives_recovery_code(&page, &device.recovery_codes[0]).await.is(422);
    visitor.gives_recovery_code(&page, &new[0]).await.is(303);
}

async fn turning_it_off_takes_password_and_code(app: App) {
    let ada = app.confirmed_member().await;
    let device = Device::of(&app, &ada).await;
    let form = "/account/second-factor/removal";
    let code = device.next_code();
    ada.post(form, &[]).await.is(422).says("Enter the code");
    for (password, code) in [(PASSWORD, ""), (PASSWORD, &device.wrong_code()), ("wrong password", &code)] {
        ada.post(form, &[("password", password), ("code", code)]).await.is(422);
    }
    let waiting = app.visitor();
    let page = waiting.gives_password(&ada.email).await;
    let answer = ada.post(form, &[("password", PASSWORD), ("code", &code)]).await.is(303);
    ada.follow(answer).await.is(200).says("The second factor is off");
    for table in ["second_factors", "recovery_codes"] {
        assert_eq!(app.database.count(table, "1 = 1"), 0, "{table}");
    }
    ada.post(form, &[("password", PASSWORD), ("code", &code)]).await.is(303);
    waiting.gives_code(&page, &device.next_code()).await.is(410);
    app.visitor().post("/login", &[("email", &ada.email), ("password", PASSWORD)]).await.is(303);
    // A recovery code is as good.
    let device = Device::of(&app, &ada).await;
    ada.post(form, &[("password", PASSWORD), ("recovery_code", &device.recovery_codes[3])]).await.is(303);
}

async fn wrong_codes_are_slowed_down_here_too(app: App) {
    let ada: Member = app.confirmed_member().await;
    let device = Device::of(&app, &ada).await;
    let wrong = device.wrong_code();
    let statuses = async |times: usize| {
        let mut statuses = Vec::new();
        for _ in 0..times {
            let fields = [("password", PASSWORD), ("code", wrong.as_str())];
            statuses.push(ada.post("/account/second-factor/removal", &fields).await.status);
        }
        statuses
    };
    assert_eq!(statuses(6).await, [422, 422, 422, 422, 422, 429]);
    // The log-in shares the count.
    let visitor = app.visitor();
    let page = visitor.gives_password(&ada.email).await;
    visitor.gives_code(&page, &wrong).await.is(429);
}

/// With the keyboard alone: the focus begins at what is wrong, and Enter in a field goes on.
#[test]
fn a_person_turns_it_on_and_logs_in_with_the_keyboard() {
    Setup::on(Engine::Sqlite).run(|app| async move {
        let ada = Member::sign_up(&app, "ada@example.com").await;
        app.knows_address_of(&ada);
        let browser = Browser::start().await;
        browser.open(app.address, "/login?next=/account/second-factor").await;
        browser.find("[name=email]").await.enter(&ada.email).await;
        browser.find("[name=password]").await.enter(&format!("{PASSWORD}{ENTER}")).await;
        browser.shows("Turn it on").await;
        browser.find("[name=password]").await.enter(&format!("{PASSWORD}{ENTER}")).await;
        browser.shows("Connect your app").await;
        let key = browser.find("code.key").await.text().await;
        let device = Device::with_secret(&app.clock, &key);
        browser.find("[name=code]").await.enter(&format!("{}{ENTER}", device.wrong_code())).await;
        browser.shows("not the code that the app shows now").await;
        browser.find("[role=alert]:focus").await;
        browser.find("[name=code]").await.enter(&format!("{}{ENTER}", device.code())).await;
        browser.shows("Your recovery codes").await;
        browser.named("I have kept them").await.enter(ENTER).await;
        browser.shows("Where you are signed in").await;
        browser.shows("This browser").await;
        browser.named("Log out").await.enter(ENTER).await;
        browser.named("Log in").await.enter(ENTER).await;
        browser.find("[name=email]").await.enter(&ada.email).await;
        browser.find("[name=password]").await.enter(&format!("{PASSWORD}{ENTER}")).await;
        browser.shows("Enter your code").await;
        browser.find("[name=code]").await.enter(&format!("{}{ENTER}", device.next_code())).await;
        browser.arrives_at("/account").await;
        let complaints = browser.complaints().await;
        // The browser notes that a form was refused.
        assert!(complaints.iter().all(|complaint| complaint.contains("422")), "{complaints:?}");
    });
}

//! Sessions and the second factor.

use super::{NASTY, Sample, ada, moment, sample, say, stranger, words};
use crate::pages::{
    form::FieldErrors,
    login_code::LoginCode,
    second_factor::{RecoveryCodes, SecondFactorPage, Setup, State, picture},
    sessions::SessionLine,
};

pub fn all() -> Vec<Sample> {
    [second_factor(), setup(), login()].into_iter().flatten().collect()
}

/// What the account page lists.
pub fn sessions() -> Vec<SessionLine> {
    let line = |id: &str, browser: &str, is_this_one| SessionLine {
        id: id.to_owned(),
        browser: browser.to_owned(),
        since: moment(),
        is_this_one,
    };
    let on = |browser: &str, system: &str| -> String {
        words().say("security-browser-on").with("browser", browser).with("system", system).into()
    };
    vec![
        line("ses_a", &on("Firefox", "Linux"), true),
        line("ses_b", &on("Samsung Internet", "Android"), false),
        line("ses_c", &say("security-browser-unknown"), false),
    ]
}

fn wrong(fields: &[&'static str]) -> FieldErrors {
    let mut errors = FieldErrors::new();
    for field in fields {
        errors.add(field, NASTY);
    }
    errors
}

fn second_factor() -> Vec<Sample> {
    let page = |state, errors| SecondFactorPage { frame: ada("/account/second-factor"), state, errors };
    let on = |codes_left| State::On { since: moment(), codes_left };
    let template = "pages/second_factor.html";
    let unconfirmed = |required, sent| page(State::Unconfirmed { required, sent }, FieldErrors::new());
    vec![
        sample(template, "unconfirmed", &unconfirmed(false, false)),
        sample(template, "unconfirmed-required", &unconfirmed(true, true)),
        sample(template, "off", &page(State::Off { required: false }, FieldErrors::new())),
        sample(template, "required", &page(State::Off { required: true }, FieldErrors::new())),
        sample(template, "off-refused", &page(State::Off { required: false }, wrong(&["password"]))),
        sample(template, "on", &page(on(10), FieldErrors::new())),
        sample(template, "no-codes", &page(on(0), FieldErrors::new())),
        sample(template, "on-refused", &page(on(1), wrong(&["password", "code"]))),
    ]
}

fn setup() -> Vec<Sample> {
    let address = "otpauth://totp/members.example.com:ada@example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    let page = |errors| Setup {
        frame: ada("/account/second-factor/confirmation"),
        picture: picture::svg(address).unwrap(),
        secret: "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ".to_owned(),
        enrolment: "1780000000.AAAA".to_owned(),
        errors,
    };
    let codes = |first| RecoveryCodes {
        frame: ada("/account/second-factor/confirmation"),
        codes: vec!["ABCD-EFGH-IJKL-MNOP-QRST-UVWX".to_owned(); 10],
        first,
    };
    vec![
        sample("pages/second_factor_setup.html", "begun", &page(FieldErrors::new())),
        sample("pages/second_factor_setup.html", "refused", &page(wrong(&["code"]))),
        sample("pages/recovery_codes.html", "first", &codes(true)),
        sample("pages/recovery_codes.html", "new", &codes(false)),
    ]
}

fn login() -> Vec<Sample> {
    let page = |next: &str, recovery, errors| LoginCode {
        frame: stranger("/login/code"),
        token: "AAAA".to_owned(),
        next: next.to_owned(),
        errors,
        recovery,
    };
    vec![
        sample("pages/login_code.html", "empty", &page("", false, FieldErrors::new())),
        sample("pages/login_code.html", "refused", &page(NASTY, true, wrong(&["code", "recovery_code"]))),
    ]
}

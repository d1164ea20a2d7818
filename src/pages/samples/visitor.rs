//! What anybody can see.

use chrono_tz::Tz;

use super::{LANGUAGE, NASTY, Sample, ada, cards, sample, say, stranger, viewer};
use crate::pages::{
    error_page::ErrorPage,
    form::FieldErrors,
    frame::Frame,
    home::{Home, Offer, Teaser},
    login::{Login, LoginForm},
    moment::Moment,
    signup::{Signup, SignupForm},
};

pub fn all() -> Vec<Sample> {
    [home(), signup(), login(), errors()].into_iter().flatten().collect()
}

fn home() -> Vec<Sample> {
    let teaser = |title: &str, summary: &str| Teaser {
        slug: "how-access-is-decided".to_owned(),
        title: title.to_owned(),
        summary: summary.to_owned(),
    };
    let teasers = vec![
        teaser("How access is decided", "One question, one function, one answer."),
        teaser("Running Turnpike on SQLite", "One file, and what to know about it."),
    ];
    let from = Moment::new("2026-08-31T10:15:30Z".parse().unwrap(), Tz::UTC, LANGUAGE.get());
    let offer =
        Some(Offer { from, until: Moment::new("2027-02-28T10:15:30Z".parse().unwrap(), Tz::UTC, LANGUAGE.get()) });
    vec![
        sample("pages/home.html", "stranger", &Home { frame: stranger("/"), plans: cards(), teasers, offer }),
        sample(
            "pages/home.html",
            "nothing-to-sell",
            &Home { frame: Frame::new("/").in_language(LANGUAGE.get()), plans: vec![], teasers: vec![], offer: None },
        ),
        sample(
            "pages/home.html",
            "nasty",
            &Home { frame: viewer("/", NASTY, true), plans: vec![], teasers: vec![teaser(NASTY, NASTY)], offer: None },
        ),
    ]
}

fn signup() -> Vec<Sample> {
    let mut errors = FieldErrors::new();
    for (field, key) in [
        ("email", "forms-email-at"),
        ("password", "forms-password-too-short"),
        ("first_name", "forms-name-empty"),
        ("time_zone", "forms-zone-unknown"),
        ("accept_terms", "signup-accept-first"),
    ] {
        errors.add(field, say(key));
    }
    let refused = SignupForm {
        email: NASTY.to_owned(),
        first_name: NASTY.to_owned(),
        last_name: "Lovelace".to_owned(),
        phone: NASTY.to_owned(),
        time_zone: "Paris".to_owned(),
        next: "/premium/how-access-is-decided?a=1&b=2".to_owned(),
        errors,
        ..SignupForm::default()
    };
    vec![
        sample("pages/signup.html", "empty", &Signup { frame: stranger("/signup"), form: SignupForm::default() }),
        sample("pages/signup.html", "refused", &Signup { frame: stranger("/signup"), form: refused }),
    ]
}

fn login() -> Vec<Sample> {
    let errors = FieldErrors::new().with_summary(say("login-wrong"));
    let refused = LoginForm { email: NASTY.to_owned(), next: "/account".to_owned(), errors };
    let page = |form, notice: Option<&'static str>| Login { frame: stranger("/login"), form, notice: notice.map(say) };
    vec![
        sample("pages/login.html", "empty", &page(LoginForm::default(), None)),
        sample("pages/login.html", "sent-here", &page(LoginForm::default(), Some("login-to-read"))),
        sample("pages/login.html", "refused", &page(refused, None)),
    ]
}

fn errors() -> Vec<Sample> {
    let page = |status: u16| {
        let page = ErrorPage { request_id: Some("01J9Z7".to_owned()), ..ErrorPage::new(ada("/x"), status) };
        sample("pages/error.html", status.to_string(), &page)
    };
    let nasty = ErrorPage::new(stranger("/x"), 400).with_message(NASTY);
    let mut samples: Vec<_> = [400, 401, 403, 404, 405, 408, 413, 415, 418, 429, 500, 503].map(page).into();
    samples.push(sample("pages/error.html", "nasty", &nasty));
    samples
}

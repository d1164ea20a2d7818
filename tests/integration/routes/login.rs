//! `/login` and `/logout`.

use reqwest::Method;

use crate::{
    on_both,
    support::{
        app::{App, Setup},
        database::Engine,
        member::{Member, PASSWORD},
        source::addresses,
    },
};

on_both! {
    a_wrong_password_and_an_unknown_address_get_the_same_answer,
    strange_input_is_refused_and_kept_out_of_the_page,
    next_leads_only_to_places_of_ours,
    next_leads_to_every_page_and_to_nothing_that_takes_a_form_alone,
    the_gate_leads_back_to_the_page_that_was_wanted,
    the_address_is_trimmed_and_its_case_does_not_matter,
    log_out_is_a_post_and_works_twice,
    who_is_logged_in_is_not_asked_again,
}

async fn a_wrong_password_and_an_unknown_address_get_the_same_answer(app: App) {
    let ada = Member::sign_up(&app, "ada@example.com").await;
    let attempt = |email: &'static str, password: &'static str| {
        let visitor = app.visitor();
        async move {
            let answer = visitor.post("/login", &[("email", email), ("password", password)]).await;
            assert_eq!(visitor.get_json("/api/v1/me").await.status, 401);
            (answer.status, answer.text().replace(email, "…").replace(|c: char| c.is_ascii_digit(), ""))
        }
    };
    let wrong = attempt("ada@example.com", "not the password at all").await;
    let unknown = attempt("eve@example.com", "not the password at all").await;
    assert!((400..500).contains(&wrong.0), "{}", wrong.0);
    assert_eq!(wrong, unknown);
    ada.get("/account").await.is(200);
}

async fn strange_input_is_refused_and_kept_out_of_the_page(app: App) {
    Member::sign_up(&app, "ada@example.com").await;
    let long = "a".repeat(10_000);
    let bodies = [
        String::new(),
        "email=ada%40example.com".to_owned(),
        "password=x".to_owned(),
        "email=%00&password=%00".to_owned(),
        "email=%ff%fe&password=%ff".to_owned(),
        format!("email={long}&password={long}"),
        "email=ada%40example.com&password=".to_owned(),
        "email=ada%40example.com&email=eve%40example.com&password=x".to_owned(),
        "email=%F0%9F%99%82&password=%F0%9F%99%82".to_owned(),
        "email=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E&password=x".to_owned(),
        "email[]=ada&password[$ne]=".to_owned(),
        "email=ada%40example.com%27%20OR%201%3D1--&password=x".to_owned(),
    ];
    for body in bodies {
        let visitor = app.visitor();
        let answer = visitor.post_raw("/login", body.clone()).await;
        let shown: String = body.chars().take(80).collect();
        assert!((400..500).contains(&answer.status), "{shown}: {}", answer.status);
        assert!(!answer.text().contains("<script>alert"), "{shown} is not escaped");
        assert_eq!(visitor.get_json("/api/v1/me").await.status, 401, "{shown} logs in");
    }
}

async fn next_leads_only_to_places_of_ours(app: App) {
    Member::sign_up(&app, "ada@example.com").await;
    for evil in [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "\\\\evil.example",
        "javascript:alert(1)",
        "http:evil.example",
        "/\t/evil.example",
        "/%0d%0aSet-Cookie:a=b",
        "evil.example",
        "",
        "/\u{202e}",
        "@evil.example",
    ] {
        let target = log_in(&app, evil).await;
        assert!(
            target.starts_with('/') && !target.starts_with("//") && !target.contains('\\'),
            "{evil:?} leads to {target}"
        );
        assert!(!target.contains("evil") || target.starts_with("/%"), "{evil:?} leads to {target}");
    }
    for good in ["/premium", "/premium/how-access-is-decided", "/plans?x=1"] {
        assert_eq!(log_in(&app, good).await, good);
    }
}

async fn next_leads_to_every_page_and_to_nothing_that_takes_a_form_alone(app: App) {
    Member::sign_up(&app, "ada@example.com").await;
    for form in addresses(&["post"]) {
        app.visitor().get(&form).await.is(405);
        assert_eq!(log_in(&app, &form).await, "/account", "{form}");
    }
    for page in addresses(&["get", "get_post"]) {
        assert_eq!(log_in(&app, &page).await, page);
    }
}

async fn the_gate_leads_back_to_the_page_that_was_wanted(app: App) {
    let ada = Member::sign_up(&app, "ada@example.com").await;
    ada.post("/logout", &[]).await.is(303);
    let refused = ada.get("/premium/how-access-is-decided").await.is(303);
    let form = ada.get(&refused.location().unwrap()).await.is(200);
    assert!(form.text().contains("name=\"next\" value=\"/premium/how-access-is-decided\""), "{}", form.text());
}

async fn the_address_is_trimmed_and_its_case_does_not_matter(app: App) {
    Member::sign_up(&app, "ada@example.com").await;
    for spelling in ["ada@example.com", "  ADA@example.COM  ", "Ada@Example.com\t"] {
        app.visitor().post("/login", &[("email", spelling), ("password", PASSWORD)]).await.is(303);
    }
}

async fn log_out_is_a_post_and_works_twice(app: App) {
    let ada = app.member().await;
    ada.get("/logout").await.is(405);
    ada.get("/account").await.is(200);
    ada.post("/logout", &[]).await.is(303);
    ada.post("/logout", &[]).await.is(303);
    assert_eq!(ada.get_json("/api/v1/me").await.status, 401);
}

async fn who_is_logged_in_is_not_asked_again(app: App) {
    let ada = app.member().await;
    for form in ["/login", "/signup"] {
        let answer = ada.get(form).await;
        assert!(matches!(answer.status, 200 | 303), "{form}: {}", answer.status);
    }
    assert_eq!(ada.send(Method::HEAD, "/login", |request| request).await.body.len(), 0);
}

/// Somebody who knows no account must not learn of one by the time that an answer takes.
#[test]
fn an_unknown_address_takes_as_long_as_a_wrong_password() {
    Setup::on(Engine::Sqlite).run(|app| async move {
        Member::sign_up(&app, "ada@example.com").await;
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..20 {
            app.advance(chrono::TimeDelta::hours(1));
            for (email, times) in
                ["ada@example.com".to_owned(), format!("eve{round}@example.org")].iter().zip(&mut times)
            {
                let visitor = app.visitor();
                let start = std::time::Instant::now();
                visitor.post("/login", &[("email", email), ("password", "not the password at all")]).await.is(422);
                times.push(start.elapsed());
            }
        }
        let [known, unknown] = times.map(|mut times| {
            times.sort();
            times[times.len() / 2]
        });
        // Without a hash of its own the unknown one would take next to nothing.
        assert!(known.abs_diff(unknown) < known.max(unknown) * 2 / 3, "known {known:?}, unknown {unknown:?}");
    });
}

async fn log_in(app: &App, next: &str) -> String {
    let fields = [("email", "ada@example.com"), ("password", PASSWORD), ("next", next)];
    app.visitor().post("/login", &fields).await.is(303).location().unwrap()
}

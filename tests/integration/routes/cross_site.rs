//! Posts that another site's page makes a browser send.

use reqwest::{Method, header::ACCEPT};

use crate::{
    on_both,
    support::{
        app::App,
        client::JSON,
        member::{PASSWORD, sign_up_form},
        source::addresses,
    },
};

on_both! {
    posts_from_other_sites_are_refused_and_change_nothing,
    links_from_other_sites_work_and_so_do_programs,
}

async fn posts_from_other_sites_are_refused_and_change_nothing(app: App) {
    let ada = app.member().await;
    let own = format!("http://{}", app.address);
    let sibling = format!("http://evil.{}", app.address);
    let rows: [(Option<&str>, Option<&str>); 8] = [
        (None, Some(&sibling)),
        (Some("cross-site"), None),
        (Some("cross-site"), Some(&own)),
        (Some("same-site"), None),
        (None, Some("https://evil.example")),
        (None, Some("null")),
        (None, Some("http://127.0.0.1:1")),
        (Some("nonsense"), None),
    ];
    let forms = addresses(&["post", "get_post"]);
    assert!(forms.len() >= 7 && forms.iter().any(|form| form == "/checkout"), "{forms:?}");
    for form in &forms {
        for (site, origin) in rows {
            for accept in ["text/html", JSON] {
                let answer = ada
                    .send(Method::POST, form, |request| {
                        let request = request.header(ACCEPT, accept).header("Sec-Fetch-Site", site.unwrap_or_default());
                        request.header("Origin", origin.unwrap_or_default()).form(&sign_up_form("eve@example.com"))
                    })
                    .await;
                assert_eq!(answer.status, 403, "{form} {site:?} {origin:?}: {}", answer.text());
                if accept == JSON {
                    assert!(answer.json()["code"].is_string());
                }
            }
        }
    }
    ada.get("/account").await.is(200);
    assert_eq!(app.database.count("users", "1 = 1"), 1);
}

async fn links_from_other_sites_work_and_so_do_programs(app: App) {
    let ada = app.member().await;
    ada.send(Method::GET, "/premium", |request| request.header("Sec-Fetch-Site", "cross-site")).await.is(200);
    let answer = ada
        .send(Method::POST, "/login", |request| {
            request.header("Sec-Fetch-Site", "none").form(&[("email", ada.email.as_str()), ("password", PASSWORD)])
        })
        .await;
    assert_eq!(answer.status, 303);
}

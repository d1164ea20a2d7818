//! No other spelling of an address leads past the gate.

use crate::{
    on_both,
    support::{app::App, client::HTML, raw},
};

/// Words of the sample page, from its file.
fn article_words() -> String {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/content/how-access-is-decided.md");
    let text = std::fs::read_to_string(file).unwrap();
    let paragraph = text
        .lines()
        .rev()
        .find(|line| line.len() > 60 && line.chars().all(|c| c.is_alphanumeric() || " ,.:".contains(c)));
    paragraph.expect("a plain line in the sample page").chars().take(40).collect()
}

const SPELLINGS: [&str; 30] = [
    "/premium/how-access-is-decided",
    "/premium/how-access-is-decided/",
    "/premium//how-access-is-decided",
    "//premium/how-access-is-decided",
    "///premium///how-access-is-decided",
    "/./premium/how-access-is-decided",
    "/premium/./how-access-is-decided",
    "/login/../premium/how-access-is-decided",
    "/static/../premium/how-access-is-decided",
    "/static/..%2fpremium/how-access-is-decided",
    "/premium/x/../how-access-is-decided",
    "/premium/%2e%2e/premium/how-access-is-decided",
    "/%70remium/how-access-is-decided",
    "/premium%2fhow-access-is-decided",
    "/premium%2Fhow-access-is-decided",
    "/premium%252fhow-access-is-decided",
    "/premium/how%2daccess-is-decided",
    "/PREMIUM/how-access-is-decided",
    "/Premium/How-Access-Is-Decided",
    "/premium/how-access-is-decided.md",
    "/premium/how-access-is-decided%00",
    "/premium/how-access-is-decided%20",
    "/premium/how-access-is-decided;x=1",
    "/premium/how-access-is-decided?x=/login",
    "/premium\\how-access-is-decided",
    "/premium/..\\premium/how-access-is-decided",
    "/content/how-access-is-decided.md",
    "/static/../content/how-access-is-decided.md",
    "/static/%2e%2e/content/how-access-is-decided.md",
    "/premium/../content/how-access-is-decided.md",
];

on_both! {
    no_spelling_shows_a_premium_page_to_a_stranger,
    no_path_leads_to_files_outside_the_content,
}

async fn no_spelling_shows_a_premium_page_to_a_stranger(app: App) {
    let words = article_words();
    let reader = app.member().await;
    reader.get("/premium/how-access-is-decided").await.is(200).says(&words);
    for spelling in SPELLINGS {
        for target in [spelling.to_owned(), format!("http://{}{spelling}", app.address)] {
            let answer = raw::get(app.address, &target, &[("Accept", HTML)]);
            let status = raw::status(&answer);
            assert!(!answer.contains(&words), "{target} shows the page to a stranger");
            assert!(status != 200 && status < 500, "{target}: {status}");
        }
    }
}

async fn no_path_leads_to_files_outside_the_content(app: App) {
    let reader = app.member().await;
    let cookies: Vec<String> = reader.cookies().iter().map(|(name, value)| format!("{name}={value}")).collect();
    for path in [
        "/premium/../Cargo",
        "/premium/..%2fCargo",
        "/premium/%2e%2e%2fREADME",
        "/premium/....//README",
        "/premium/%2fetc%2fpasswd",
        "/premium/C:%5c",
        "/premium/.",
        "/premium/%2e",
        "/premium/%00",
        "/premium/a%0ab",
        "/premium/files/../../Cargo.toml",
        "/premium/files/%2e%2e/%2e%2e/Cargo.toml",
        "/static/../Cargo.toml",
        "/static/%2e%2e/Cargo.toml",
    ] {
        let answer = raw::get(app.address, path, &[("Accept", HTML), ("Cookie", &cookies.join("; "))]);
        let status = raw::status(&answer);
        assert!(matches!(status, 400 | 404), "{path}: {status}");
        assert!(!answer.contains("[package]") && !answer.contains("root:"), "{path} shows a file");
    }
}

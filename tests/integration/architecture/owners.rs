//! Some things may be done in one place only.

use crate::support::source::SourceFile;

/// What only the named files and folders may mention, and why.
const OWNERS: &[(&[&str], &[&str], &str)] = &[
    (&["diesel::", "diesel_migrations::"], &["store"], "SQL belongs into the store"),
    (&["Utc::now", "Local::now", "SystemTime::now"], &["clock.rs"], "take the time from the Clock that was passed in"),
    (&["rand::", "getrandom::"], &["clock.rs"], "take random bytes from the Entropy that was passed in"),
    (
        &["stripe::", "stripe_billing::", "stripe_checkout::", "stripe_core::"],
        &["billing", "sandbox/tests"],
        "Stripe's crates stay exchangeable",
    ),
    (&["lettre::"], &["mail"], "mail stays exchangeable"),
    (
        &["actix_web::web", "actix_web::http", "actix_web::dev", "actix_web::{", "actix_session::"],
        &[
            "auth",
            "error.rs",
            "pages",
            "routes.rs",
            "startup.rs",
            "startup",
            "telemetry.rs",
            "telemetry",
            "sandbox",
            "assets.rs",
            "main.rs",
        ],
        "the rest knows no framework",
    ),
    (&["std::env::", "env::var"], &["config.rs", "config", "main.rs"], "settings come from Config"),
];

#[test]
fn each_thing_is_done_in_its_one_place() {
    let mut strays = Vec::new();
    for file in SourceFile::all() {
        for (words, owners, why) in OWNERS {
            let owned = owners.iter().any(|owner| file.path == *owner || file.path.starts_with(&format!("{owner}/")));
            for word in words.iter().filter(|word| !owned && mentions(&file.code, word)) {
                strays.push(format!("src/{} mentions {word}: {why}", file.path));
            }
        }
    }
    assert!(strays.is_empty(), "{}", strays.join("\n"));
}

#[test]
fn the_owners_exist() {
    let files = SourceFile::all();
    for owner in OWNERS.iter().flat_map(|(words, owners, _)| if words[0] == "diesel::" { *owners } else { &[] }) {
        assert!(files.iter().any(|file| file.path.starts_with(owner)), "src/{owner} is gone: this test guards nothing");
    }
}

/// Whether `word` stands in the code at the start of a path, not as the end of a longer name.
fn mentions(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        !before
            .is_some_and(|letter| letter.is_alphanumeric() || letter == '_' || (letter == ':' && word.ends_with("::")))
    })
}

//! No page under `/premium` without its guard, and no template without its page.

use std::fs;

use crate::support::source::{SourceFile, files_below, repository};

#[test]
fn every_route_under_premium_takes_a_subscriber() {
    let files = SourceFile::all();
    let routes = files.iter().find(|file| file.path == "routes.rs").expect("src/routes.rs");
    let handlers = premium_handlers(&routes.raw);
    assert!(handlers.len() >= 2, "src/routes.rs names {handlers:?} under /premium: this test must learn to read it");
    let unguarded: Vec<&String> = handlers.iter().filter(|handler| !takes_a_subscriber(&files, handler)).collect();
    assert!(unguarded.is_empty(), "handlers under /premium without the argument Subscriber: {unguarded:?}");
}

#[test]
fn the_reader_of_routes_sees_what_it_must() {
    let routes = r#"
        .service(get("/plans", plans::list))
        .service(get("/premium", premium::index))
        .service(get_post("/premium/{slug}", pages::premium::show, premium::rate))
        .service(post("/logout", login::leave).app_data(x))
    "#;
    assert_eq!(premium_handlers(routes), ["index", "rate", "show"]);
    let page = |text: &str| [SourceFile::from_text("pages/premium.rs", text)];
    assert!(takes_a_subscriber(&page("pub async fn show(reader: Subscriber, path: Path<String>) -> A {}"), "show"));
    assert!(!takes_a_subscriber(&page("pub async fn show(user: CurrentUser) { x::<Subscriber>() }"), "show"));
    assert!(!takes_a_subscriber(&page("pub async fn index(reader: Subscriber) {}"), "show"));
}

#[test]
fn every_template_belongs_to_a_page() {
    let root = repository().join("templates");
    let sources: String = SourceFile::all().into_iter().map(|file| file.raw).collect();
    let templates: Vec<_> = files_below(&root);
    let texts: String = templates.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let orphans: Vec<_> = templates
        .iter()
        .map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap())
        .filter(|name| !sources.contains(&format!("\"{name}\"")) && !texts.contains(&format!("\"{name}\"")))
        .collect();
    assert!(orphans.is_empty(), "templates that nothing renders: {orphans:?}");
}

/// The functions that `src/routes.rs` names between an address under `/premium` and the next address.
fn premium_handlers(routes: &str) -> Vec<String> {
    let mut handlers: Vec<String> = routes
        .split("\"/")
        .skip(1)
        .filter(|part| part.starts_with("premium"))
        .flat_map(|part| part.split(')').next().unwrap_or_default().split(',').skip(1))
        .filter_map(|path| Some(path.rsplit("::").next()?.trim().to_owned()))
        .collect();
    handlers.sort();
    handlers.dedup();
    handlers
}

fn takes_a_subscriber(files: &[SourceFile], handler: &str) -> bool {
    let pages = files.iter().filter(|file| file.path.starts_with("pages/premium"));
    let signatures = pages.filter_map(|file| {
        let start = file.code.find(&format!("async fn {handler}("))?;
        file.code[start..].split('{').next()
    });
    signatures
        .map(|signature| signature.split("->").next().unwrap_or_default())
        .any(|arguments| arguments.contains("Subscriber"))
}

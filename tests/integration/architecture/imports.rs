//! Who may import whom. The same table stands at the top of `src/lib.rs`.

use crate::support::source::{SourceFile, crate_paths, super_chains};

const ARROWS: &[(&str, &[&str])] = &[
    ("clock", &[]),
    ("domain", &[]),
    ("sandbox", &["clock"]),
    ("store", &["domain", "clock"]),
    ("config", &["domain"]),
    ("telemetry", &["config", "clock"]),
    ("words", &["domain"]),
    ("auth", &["store", "domain", "clock", "config", "words"]),
    ("billing", &["store", "domain", "clock", "config"]),
    ("jobs", &["billing", "mail", "store", "domain", "clock", "config"]),
    ("mail", &["auth", "store", "domain", "clock", "config", "words"]),
    ("staff", &["auth", "billing", "store", "domain", "clock"]),
    ("content", &["domain", "config"]),
    ("assets", &[]),
    ("error", &["assets", "auth", "billing", "config", "domain", "store", "telemetry", "words"]),
    (
        "pages",
        &[
            "assets",
            "auth",
            "billing",
            "clock",
            "config",
            "content",
            "domain",
            "error",
            "jobs",
            "mail",
            "staff",
            "store",
            "telemetry",
            "words",
        ],
    ),
    ("routes", &["pages", "config"]),
    ("startup", EVERYTHING),
    ("commands", EVERYTHING),
    ("main", EVERYTHING),
    ("lib", EVERYTHING),
];

const EVERYTHING: &[&str] = &["*"];

#[test]
fn every_module_keeps_to_its_arrows() {
    let files = SourceFile::all();
    let broken: Vec<String> = files.iter().flat_map(broken_arrows).collect();
    assert!(broken.is_empty(), "imports against the arrows of src/lib.rs:\n{}", broken.join("\n"));
}

#[test]
fn the_reader_of_imports_sees_what_it_must() {
    let code = |text: &str| SourceFile::from_text("domain/sneaky.rs", text);
    for wrong in [
        "use crate::store::Store;",
        "use crate::{\n    domain::access,\n    store::{users, subscriptions},\n};",
        "fn f() { crate::store::open() }",
        "use super::super::store;",
        "pub(crate) use ::turnpike::clock::Clock;",
    ] {
        assert!(!broken_arrows(&code(wrong)).is_empty(), "{wrong}");
    }
    for fine in [
        "// crate::store",
        "/* use crate::store; */",
        "const A: &str = \"crate::store\";",
        "use crate::domain::plan;",
        "use super::access;",
        "pub(in crate::domain) fn f() {}",
    ] {
        assert_eq!(broken_arrows(&code(fine)), Vec::<String>::new(), "{fine}");
    }
}

fn broken_arrows(file: &SourceFile) -> Vec<String> {
    let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == file.module) else {
        return vec![format!("src/{}: the module {} has no row in the table of this test", file.path, file.module)];
    };
    if *allowed == EVERYTHING {
        return Vec::new();
    }
    let named = crate_paths(&file.code).into_iter();
    let named = named.filter(|name| *name != file.module && !allowed.contains(&name.as_str()));
    let named = named.map(|name| format!("src/{}: {} may not import {name}", file.path, file.module));
    let climbing = super_chains(&file.code).into_iter().filter(|chain| chain.reaches_the_root(file.depth));
    named.chain(climbing.map(|_| format!("src/{}: name other modules from the root, as crate::…", file.path))).collect()
}

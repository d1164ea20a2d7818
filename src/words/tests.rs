//! The files against each other and against the code.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use fluent_bundle::FluentResource;

use super::{Words, catalog::AREAS};
use crate::domain::user::Language;

/// Each key with the names that its text takes.
fn keys(source: &str) -> BTreeMap<String, BTreeSet<String>> {
    let resource = FluentResource::try_new(source.to_owned()).expect("a file without mistakes");
    let mut keys = BTreeMap::new();
    let mut last = None;
    for line in resource.source().lines() {
        let starts = line.chars().next().is_some_and(|c| c.is_ascii_alphabetic());
        if let Some((key, _)) = line.split_once(" =").filter(|_| starts) {
            last = Some(key.to_owned());
            assert!(keys.insert(key.to_owned(), BTreeSet::new()).is_none(), "{key} stands twice");
        }
        if let Some(names) = last.as_ref().and_then(|key| keys.get_mut(key)) {
            let mentioned = line.split('$').skip(1);
            names.extend(mentioned.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()));
        }
    }
    assert_eq!(keys.len(), resource.entries().filter(|entry| !format!("{entry:?}").contains("Comment")).count());
    keys
}

/// Rust and template files, without this one.
fn code() -> String {
    fn add(folder: &Path, all: &mut String) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                add(&path, all);
            } else if !path.ends_with("words/tests.rs") && !path.ends_with("words.rs") {
                all.push_str(&fs::read_to_string(&path).unwrap_or_default());
            }
        }
    }
    let (root, mut all) = (Path::new(env!("CARGO_MANIFEST_DIR")), String::new());
    add(&root.join("src"), &mut all);
    add(&root.join("templates"), &mut all);
    all
}

#[test]
fn both_languages_say_the_same_things_with_the_same_values() {
    for (area, english, chinese) in AREAS {
        assert_eq!(keys(english), keys(chinese), "{area}");
    }
}

#[test]
fn no_key_stands_in_two_files_and_no_file_is_left_out() {
    let mut all = BTreeSet::new();
    for (area, english, _) in AREAS {
        for key in keys(english).into_keys() {
            assert!(all.insert(key.clone()), "{key} of {area} stands in another file too");
        }
    }
    for language in [Language::En, Language::ZhHans] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("locales").join(language.as_str());
        let there: BTreeSet<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        let read: BTreeSet<String> = AREAS.iter().map(|(area, _, _)| format!("{area}.ftl")).collect();
        assert_eq!(there, read);
    }
}

#[test]
fn every_key_of_the_files_is_used_and_every_key_of_the_code_is_there() {
    let (code, mut known) = (code(), BTreeSet::new());
    for (_, english, _) in AREAS {
        known.extend(keys(english).into_keys());
    }
    let unused: Vec<_> = known.iter().filter(|key| !code.contains(&format!("\"{key}\""))).collect();
    assert!(unused.is_empty(), "nobody says {unused:?}");
    let said = [".say(", ".html("].iter().flat_map(|call| code.split(call).skip(1)).filter_map(|rest| {
        let rest = rest.trim_start().strip_prefix('"')?;
        rest.split_once('"').map(|(key, _)| key.to_owned())
    });
    // Keys also stand where a reason chooses among them, and are said elsewhere.
    let areas: BTreeSet<&str> = AREAS.iter().map(|(area, _, _)| *area).collect();
    let chosen = code.split('"').filter(|text| {
        let letters = text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        letters && text.split_once('-').is_some_and(|(area, rest)| areas.contains(area) && !rest.is_empty())
    });
    let said = said.chain(chosen.map(str::to_owned));
    let missing: BTreeSet<_> = said.filter(|key| !known.contains(key)).collect();
    assert!(missing.is_empty(), "no text for {missing:?}");
}

#[test]
fn what_is_put_into_markup_is_escaped() {
    let words = Words::of(Language::En);
    assert_eq!(
        words.say("frame-foot").with("site", "<b>&").to_string(),
        "<b>&: open exactly as long as it was paid for."
    );
    assert!(words.html("frame-foot").with("site", "<b>&").to_string().starts_with("&#60;b&#62;&#38;: "));
}

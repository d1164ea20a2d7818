//! Examples of everything that the sandbox answers and sends, and of every form that our own client sends, under
//! `tests/fixtures/stripe`: held to be current, complete, and readable by our own readers.

mod plain;
mod readers;
mod story;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use serde_json::Value;

use crate::support::source::{SourceFile, files_below, repository};

/// Text by its path below `tests/fixtures/stripe`.
type Files = BTreeMap<String, String>;

const AGAIN: &str = "write them again with: tests/run -- cargo test --test integration recorded -- --ignored";

fn folder() -> PathBuf {
    repository().join("tests/fixtures/stripe")
}

/// What stands there now.
fn kept() -> Files {
    let examples = files_below(&folder()).into_iter().filter(|path| path.extension().is_none_or(|end| end != "md"));
    let entry = |path: PathBuf| {
        let name = path.strip_prefix(folder()).unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(&path).unwrap())
    };
    examples.map(entry).collect()
}

#[test]
#[ignore = "it writes tests/fixtures/stripe anew"]
fn write() {
    let made = story::told();
    for name in kept().keys() {
        fs::remove_file(folder().join(name)).unwrap();
    }
    for (name, text) in made {
        let path = folder().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn the_examples_are_what_the_sandbox_makes_and_our_client_sends() {
    let (kept, made) = (kept(), story::told());
    let names: BTreeSet<&String> = kept.keys().chain(made.keys()).collect();
    let shape_in = |files: &Files, name: &String| files.get(name).map(|text| shape(name, text));
    let stale: Vec<&String> = names.into_iter().filter(|name| shape_in(&kept, name) != shape_in(&made, name)).collect();
    assert!(stale.is_empty(), "not as they would be made today: {stale:?}; if that is meant, {AGAIN}");
}

/// What has to stay as it is: the keys and the types of the values. Moments and numbers follow the story.
fn shape(name: &str, text: &str) -> Value {
    if name.starts_with("forms/") && name != "forms/requests.json" {
        let form: BTreeMap<String, String> = serde_urlencoded::from_str(text).unwrap();
        return form.into_keys().collect();
    }
    types(&serde_json::from_str(text).unwrap())
}

fn types(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) => "flag".into(),
        Value::Number(_) => "number".into(),
        Value::String(_) => "text".into(),
        Value::Array(all) => all.iter().map(types).collect(),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), types(value))).collect(),
    }
}

#[test]
fn a_shape_has_keys_and_types_and_no_values() {
    assert_eq!(shape("forms/a.form", "b=1&a=2"), serde_json::json!(["a", "b"]));
    let shown = r#"{"id": "x", "n": 1, "on": true, "none": null, "list": [{"a": 2}]}"#;
    let expected =
        serde_json::json!({"id": "text", "n": "number", "on": "flag", "none": null, "list": [{"a": "number"}]});
    assert_eq!(shape("objects/a.json", shown), expected);
}

#[test]
fn every_kind_of_event_has_an_example() {
    let sandbox = SourceFile::all()
        .into_iter()
        .filter(|file| ["sandbox/world/", "sandbox/api/"].iter().any(|part| file.path.starts_with(part)));
    let kinds: BTreeSet<String> = sandbox.flat_map(|file| kinds_in(&file.raw)).collect();
    assert!(kinds.len() > 30, "only {kinds:?} were found: this test must learn to read the sandbox");
    let known: BTreeSet<String> = kept()
        .keys()
        .filter_map(|name| Some(name.strip_prefix("events/")?.strip_suffix(".json")?.to_owned()))
        .collect();
    let missing: Vec<&String> = kinds.difference(&known).collect();
    assert!(missing.is_empty(), "{missing:?} have no example: let it happen in story.rs, then {AGAIN}");
}

/// The texts in this code that are kinds of events: what stands between a `tell`, `update` or a choice of words and is
/// made of lower-case words with dots between.
fn kinds_in(code: &str) -> Vec<String> {
    let is_kind = |text: &&str| {
        text.contains('.')
            && text
                .split('.')
                .all(|word| !word.is_empty() && word.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase()))
    };
    let objects = ["billing_portal.session", "checkout.session"];
    code.split('"')
        .skip(1)
        .step_by(2)
        .filter(is_kind)
        .filter(|text| !objects.contains(text))
        .map(str::to_owned)
        .collect()
}

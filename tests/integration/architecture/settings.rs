//! Every setting is documented, and every documented setting exists.

use std::{collections::BTreeSet, fs};

use crate::support::source::{SourceFile, repository};

#[test]
fn the_table_in_the_readme_names_every_setting_and_no_other() {
    let known = settings_in(config_source());
    assert!(known.len() > 10, "src/config.rs names only {known:?}: this test must learn to read it");
    let documented: BTreeSet<String> =
        readme().lines().filter(|line| line.starts_with('|')).flat_map(settings_in).collect();
    let missing: Vec<_> = known.difference(&documented).collect();
    let invented: Vec<_> = documented.difference(&known).collect();
    assert!(missing.is_empty(), "README.md's table of settings has no row for {missing:?}");
    assert!(invented.is_empty(), "README.md's table of settings names {invented:?}, which do not exist");
}

#[test]
fn no_document_names_a_setting_that_does_not_exist() {
    let known = settings_in(config_source());
    let mut pages = vec![repository().join("README.md"), repository().join("CONTRIBUTING.md")];
    pages.extend(crate::support::source::files_below(&repository().join("docs")));
    for page in pages.iter().filter(|page| page.extension().is_some_and(|ending| ending == "md")) {
        for name in settings_in(fs::read_to_string(page).unwrap()) {
            assert!(known.contains(&name) || name == "TURNPIKE_TEST_POSTGRES", "{} names {name}", page.display());
        }
    }
}

fn readme() -> String {
    fs::read_to_string(repository().join("README.md")).expect("README.md")
}

fn config_source() -> String {
    let files =
        SourceFile::all().into_iter().filter(|file| file.module == "config" && !file.path.ends_with("tests.rs"));
    // What tests try out is no setting.
    files.map(|file| file.raw.split("#[cfg(test)]").next().unwrap_or_default().to_owned()).collect()
}

/// Every `TURNPIKE_NAME` in a text; names of files that hold a secret end in `_FILE` and belong to the secret.
fn settings_in(text: impl AsRef<str>) -> BTreeSet<String> {
    let text = text.as_ref();
    let names = text.match_indices("TURNPIKE_").map(|(at, _)| {
        let name: String =
            text[at..].chars().take_while(|letter| letter.is_ascii_uppercase() || *letter == '_').collect();
        name.trim_end_matches("_FILE").trim_end_matches('_').to_owned()
    });
    names.filter(|name| name != "TURNPIKE").collect()
}

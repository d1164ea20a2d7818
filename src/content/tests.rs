use std::{fs, os::unix::fs::symlink, path::Path};

use tempfile::TempDir;

use super::*;

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn flaw(name: &str, bytes: &[u8]) -> Flaw {
    let folder = folder(&[(name, bytes)]);
    let mut library = Library::open(folder.path()).unwrap();
    assert!(library.articles().is_empty(), "{name} is served");
    library.refused.remove(0).why
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let error = Library::open(Path::new("/nowhere/at-all")).unwrap_err();
    assert!(error.to_string().contains("/nowhere/at-all"), "{error}");
}

#[test]
fn a_file_without_front_matter_is_left_out() {
    for text in ["", "# Hello\n", "---\ntitle: A\n", "----\ntitle: A\n---\n", " ---\ntitle: A\n---\n", "---"] {
        assert!(matches!(flaw("a.md", text.as_bytes()), Flaw::NoFrontMatter), "{text:?}");
    }
}

#[test]
fn front_matter_that_is_not_ours_is_left_out() {
    let rows = [
        "title: [unclosed",
        "title: A\ntitle: B",
        "title: A\nauthor: B",
        "title: {a: b}",
        "- title",
        "summary: no title",
        "",
    ];
    for head in rows {
        let flaw = flaw("a.md", format!("---\n{head}\n---\ntext\n").as_bytes());
        assert!(matches!(flaw, Flaw::FrontMatter(_)), "{head:?}: {flaw}");
    }
}

#[test]
fn an_empty_title_is_left_out() {
    for title in ["''", "'  '"] {
        assert!(matches!(flaw("a.md", format!("---\ntitle: {title}\n---\n").as_bytes()), Flaw::NoTitle), "{title}");
    }
}

#[test]
fn bytes_that_are_not_text_are_left_out() {
    assert!(matches!(flaw("a.md", b"---\ntitle: A\n---\n\xff\xfe"), Flaw::NotText));
}

#[test]
fn a_name_that_makes_no_address_is_left_out() {
    for name in ["A.md", "a b.md", "..md", "...md", "a.b.md", "a_b.md", "ä.md", "%2e%2e.md"] {
        assert!(matches!(flaw(name, b"---\ntitle: A\n---\n"), Flaw::Name), "{name}");
    }
}

#[test]
fn a_file_beyond_the_limit_is_left_out() {
    let mut bytes = b"---\ntitle: A\n---\n".to_vec();
    bytes.resize(usize::try_from(LARGEST).unwrap() + 1, b'x');
    assert!(matches!(flaw("a.md", &bytes), Flaw::TooLarge));
}

#[test]
fn a_folder_or_a_dead_link_with_the_name_of_a_page_is_left_out() {
    let folder = folder(&[]);
    fs::create_dir(folder.path().join("a.md")).unwrap();
    symlink("gone.md", folder.path().join("b.md")).unwrap();
    let library = Library::open(folder.path()).unwrap();
    assert!(library.articles().is_empty());
    assert_eq!(library.refused().len(), 2);
}

#[test]
fn a_link_out_of_the_folder_is_left_out_and_one_inside_works() {
    let outside = folder(&[("secret.md", b"---\ntitle: Secret\n---\n")]);
    let folder = folder(&[("real.md", b"---\ntitle: Real\n---\n")]);
    symlink(outside.path().join("secret.md"), folder.path().join("secret.md")).unwrap();
    symlink("real.md", folder.path().join("alias.md")).unwrap();
    let library = Library::open(folder.path()).unwrap();
    assert!(library.article("secret").is_none());
    assert!(matches!(library.refused()[0].why, Flaw::Outside));
    assert_eq!(library.article("alias").unwrap().title, "Real");
}

#[test]
fn only_a_page_of_exactly_this_name_is_found() {
    let folder = folder(&[("a.md", b"---\ntitle: A\n---\n"), ("notes.txt", b"x")]);
    let library = Library::open(folder.path()).unwrap();
    for slug in ["", "..", "../a", "a.md", "A", "a/", "notes", "a\0"] {
        assert!(library.article(slug).is_none(), "{slug:?}");
    }
    assert!(library.refused().is_empty());
}

#[test]
fn pages_come_in_the_order_of_their_names_and_one_bad_file_spoils_no_other() {
    let folder = folder(&[
        ("b.md", b"---\r\ntitle: \"B & co\"\r\nsummary: About B.\r\n---\r\n# Hello\r\n"),
        ("a.md", "\u{feff}---\ntitle: A\n---\n".as_bytes()),
        ("c.md", b"broken"),
    ]);
    let library = Library::open(folder.path()).unwrap();
    let slugs: Vec<_> = library.articles().iter().map(|article| article.slug.as_str()).collect();
    assert_eq!(slugs, ["a", "b"]);
    assert_eq!(library.refused()[0].file, "c.md");
    assert_eq!(library.after("a").unwrap().slug, "b");
    assert!(library.after("b").is_none());
    let b = library.article("b").unwrap();
    assert_eq!((b.title.as_str(), b.summary.as_str()), ("B & co", "About B."));
    assert_eq!(b.html, "<h2>Hello</h2>\n");
}

#[test]
fn the_pages_that_come_with_turnpike_are_whole() {
    let library = Library::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("content")).unwrap();
    assert!(library.refused().is_empty(), "{:?}", library.refused());
    assert!(library.articles().len() >= 3);
    for article in library.articles() {
        assert!(!article.summary.is_empty(), "{}", article.slug);
        assert!(article.html.len() > 1000, "{}", article.slug);
    }
}

//! What holds for every page.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use super::samples::{NASTY, Sample, all, all_in};
use crate::domain::user::Language;

fn broken(check: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let name = |sample: &Sample, what| format!("{} ({}): {what}", sample.template, sample.case);
    all().iter().filter_map(|sample| check(&sample.html).map(|what| name(sample, what))).collect()
}

fn page(template: &str, case: &str) -> String {
    let found = all().into_iter().find(|sample| sample.template == template && sample.case == case);
    found.unwrap_or_else(|| panic!("no sample {template} {case}")).html
}

/// What stands between `before` and the next `after`, at each place.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Vec<&'a str> {
    text.split(before).skip(1).map(|rest| rest.split(after).next().unwrap_or_default()).collect()
}

#[test]
fn every_page_in_the_folder_has_a_sample() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let files = ["pages", "pages/admin"].map(|part| {
        let entries = fs::read_dir(folder.join(part)).unwrap().map(|entry| entry.unwrap().path());
        let files = entries.filter(|path| path.is_file());
        files.map(|path| path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned()).collect::<Vec<_>>()
    });
    let files: BTreeSet<_> = files.into_iter().flatten().collect();
    let rendered: BTreeSet<_> = all().iter().map(|sample| sample.template.to_owned()).collect();
    assert_eq!(files, rendered);
}

#[test]
fn every_page_is_whole_and_has_one_heading_and_a_title() {
    let wrong = broken(|html| {
        let title = between(html, "<title>", "</title>").concat();
        let whole = html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>");
        let fine =
            whole && html.matches("<h1").count() == 1 && !title.starts_with(" ·") && title.ends_with("· Turnpike");
        (!fine).then_some(title)
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn nothing_that_was_typed_becomes_markup() {
    let samples = all();
    let wrong: Vec<_> = samples.iter().filter(|s| s.html.contains("<script>") || s.html.contains("<img")).collect();
    assert!(wrong.is_empty(), "{:?}", wrong.iter().map(|s| (s.template, &s.case)).collect::<Vec<_>>());
    let escaped = samples.iter().filter(|s| s.html.contains("script&#62;alert")).count();
    assert!(escaped >= 8, "only {escaped} samples show {NASTY}");
}

#[test]
fn no_rust_value_shows_through_and_no_link_is_empty() {
    let wrong = broken(|html| {
        let traces = ["None", "Some(", "href=\"\"", "action=\"\"", "{{", "{%", "Moment", "1970"];
        traces.into_iter().find(|trace| html.contains(trace)).map(str::to_owned)
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The browser is told to run and to apply only what comes from `/static`.
#[test]
fn no_page_has_styles_or_scripts_of_its_own() {
    let wrong = broken(|html| {
        let inside = html.contains(" style=") || html.contains("<style") || html.matches("<script").count() != 1;
        let tags = html.split('<').filter_map(|tag| tag.split('>').next());
        let names = |tag: &str| tag.split('"').step_by(2).collect::<String>();
        let handler = tags.map(names).find(|names| names.contains(" on"));
        inside.then(|| "style or script".to_owned()).or(handler)
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn ids_are_unique_and_what_refers_to_one_finds_it() {
    let wrong = broken(|html| {
        let mut ids = BTreeMap::new();
        for id in between(html, " id=\"", "\"") {
            *ids.entry(id).or_insert(0) += 1;
        }
        let twice = ids.iter().find(|(_, count)| **count > 1).map(|(id, _)| format!("{id} twice"));
        let attributes = [" for=\"", " aria-describedby=\"", " aria-labelledby=\"", " list=\"", " href=\"#"];
        let used = attributes.into_iter().flat_map(|attribute| between(html, attribute, "\""));
        let dead = used.flat_map(str::split_whitespace).find(|id| !ids.contains_key(id));
        twice.or(dead.map(|id| format!("{id} is nowhere")))
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_refused_field_says_why_and_keeps_what_was_typed() {
    let html = page("pages/signup.html", "refused");
    assert_eq!(html.matches("aria-invalid=\"true\"").count(), 5);
    assert!(html.contains("role=\"alert\""));
    assert!(html.contains("value=\"Lovelace\""));
    assert!(html.contains("value=\"Paris\""));
    assert!(html.contains("name=\"next\" value=\"/premium/how-access-is-decided?a=1&#38;b=2\""));
    let password = between(&html, "<input id=\"password\"", ">").concat();
    assert!(!password.is_empty() && !password.contains("value"), "{password}");
}

#[test]
fn the_account_says_ends_or_renews() {
    for (case, says, word) in [
        ("new", "Ends on", "Trial"),
        ("trial", "Ends on", "Trial"),
        ("renews", "Renews on", "Active"),
        ("pays-after-trial", "Renews on", "Active"),
        ("ends", "Ends on", "Active"),
        ("grace", "Ends on", "Past due"),
        ("past-due", "Ended on", "Past due"),
        ("canceled", "Ended on", "Canceled"),
        ("expired", "Ended on", "Expired"),
    ] {
        let html = page("pages/account.html", case);
        let sentence = format!("{says} <time datetime=\"2027-02-28T10:15:30Z\">28 February 2027, 11:15 CET</time>");
        assert!(html.contains(&sentence), "{case}");
        assert!(html.contains(&format!("</svg>{word}</span>")), "{case}");
    }
    assert!(page("pages/account.html", "second-trial").contains("once to each person"));
}

#[test]
fn payments_have_a_word_a_shape_and_a_receipt_and_are_left_out_where_there_are_none() {
    let html = page("pages/account.html", "paid");
    for words in ["</svg>Paid</span>", "</svg>Charged back</span>", "€10.00 refunded", "28 February 2027, 11:15 CET"]
    {
        assert!(html.contains(words), "{words}");
    }
    let receipts = between(&html, "<a href=\"https://pay.example/", ">");
    assert_eq!(receipts.len(), 6);
    assert!(receipts.iter().all(|receipt| receipt.ends_with("rel=\"noopener\"")), "{receipts:?}");
    assert!(!html.contains("These are the newest"));
    assert!(page("pages/account.html", "nasty").contains("These are the newest 7"));
    assert!(!page("pages/account.html", "trial").contains("Payments"));
}

#[test]
fn the_page_after_paying_looks_again_until_it_knows() {
    for case in ["pending", "slow"] {
        let html = page("pages/checkout_return.html", case);
        assert!(html.contains("being confirmed"), "{case}");
        assert!(html.contains("http-equiv=\"refresh\""), "{case}");
    }
    for case in ["active", "prepaid", "failed"] {
        let html = page("pages/checkout_return.html", case);
        assert!(!html.contains("being confirmed"), "{case}");
        assert!(!html.contains("http-equiv=\"refresh\""), "{case}");
    }
}

/// What the operator, the person or a standard named: it is the same in every language.
const NAMES: &[&str] = &[
    NASTY,
    "English",
    "How access is decided",
    "One question, one function, one answer.",
    "Running Turnpike on SQLite",
    "One file, and what to know about it.",
    "Six months, paid once",
    "Trial of six months",
    "Monthly",
    "Yearly",
    "<p>Words.</p>\n<h2>More</h2>\n<p>Words.</p>\n",
    "Countess Ada Lovelace",
    "Ada Lovelace",
    "ada@example.com",
    "example.com",
    "Turnpike",
    "Stripe",
    "Europe/Paris",
    "Europe/Berlin",
    "CET",
    "EUR",
    "UTC",
    "Firefox",
    "Linux",
    "Samsung Internet",
    "Android",
    "Aegis",
    "2FAS",
    "Google Authenticator",
    "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ",
    "ABCD-EFGH-IJKL-MNOP-QRST-UVWX",
];

/// What a person reads or hears of a page: its text, and the attributes that are read out.
fn read(html: &str) -> String {
    let names = ["aria-label", "title", "alt", "placeholder", "content", "data-show", "data-hide"];
    let (text, tags): (Vec<_>, Vec<_>) =
        html.split('<').filter_map(|piece| piece.split_once('>')).map(|(tag, text)| (text, tag)).unzip();
    let tags = tags.into_iter().filter(|tag| !tag.contains("name=\"viewport\"") && !tag.contains("color-scheme"));
    let tags = tags.filter(|tag| !tag.contains("http-equiv"));
    let attributes = tags.flat_map(|tag| names.map(|name| between(tag, &format!(" {name}=\""), "\"").join(" ")));
    text.into_iter().map(str::to_owned).chain(attributes).collect::<Vec<_>>().join("\n")
}

/// The words of three and more Latin letters that are no names.
fn latin_words(html: &str) -> BTreeSet<String> {
    let escaped = |name: &str| askama::filters::escape(name, askama::filters::Html).unwrap().to_string();
    let html = NAMES.iter().fold(html.to_owned(), |html, name| html.replace(name, "").replace(&escaped(name), ""));
    // What stands in `<code>` is a word of the data, the same in every language.
    let spoken = html.split("<code>").map(|piece| piece.rsplit("</code>").next().unwrap_or_default());
    let text = read(&spoken.collect::<String>().replace("&nbsp;", " "));
    let words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() >= 3);
    words.map(str::to_owned).collect()
}

#[test]
fn no_english_is_left_on_a_chinese_page() {
    let mut wrong = Vec::new();
    for Sample { template, case, html } in all_in(Language::ZhHans) {
        assert!(html.contains("<html lang=\"zh-Hans\">"), "{template} ({case})");
        wrong.extend(latin_words(&html).into_iter().map(|word| format!("{template} ({case}): {word}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let blind: Vec<_> = all().into_iter().filter(|sample| latin_words(&sample.html).len() < 20).collect();
    assert!(
        blind.is_empty(),
        "no words are found on {:?}",
        blind.iter().map(|s| (s.template, &s.case)).collect::<Vec<_>>()
    );
}

#[test]
fn what_holds_for_every_page_holds_in_chinese_too() {
    for (english, chinese) in all().iter().zip(all_in(Language::ZhHans)) {
        // In no order: the names of a person are asked for the other way round.
        let skeleton = |html: &str| -> Vec<String> {
            let mut tags: Vec<_> = html.split('<').filter_map(|tag| tag.split([' ', '>']).next()).collect();
            tags.sort_unstable();
            tags.into_iter().map(str::to_owned).collect()
        };
        assert_eq!(skeleton(&english.html), skeleton(&chinese.html), "{} ({})", english.template, english.case);
    }
}

#[test]
fn a_person_with_a_live_subscription_is_offered_no_second_one() {
    assert_eq!(page("pages/plans.html", "trial").matches("action=\"/checkout\"").count(), 3);
    assert!(page("pages/plans.html", "trial").contains("carried over"));
    assert!(!page("pages/plans.html", "subscribed").contains("action=\"/checkout\""));
}

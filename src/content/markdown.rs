//! Markdown with tables, to HTML that fits under the page's own heading.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// Raw HTML comes out as the text that it is. Links and images lead to the web, to mail or to this site, never to a
/// script.
pub fn to_html(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_SMART_PUNCTUATION;
    let top = Parser::new_ext(markdown, options).filter_map(|event| level(&event)).min().unwrap_or(HeadingLevel::H2);
    let mut out = String::with_capacity(markdown.len().saturating_mul(2));
    html::push_html(&mut out, Parser::new_ext(markdown, options).flat_map(framed).map(|event| ours(event, top)));
    out
}

/// Raw HTML becomes text here, before anything of ours is added. A table that is wider than a small window scrolls by
/// itself, also with the keyboard.
fn framed(event: Event<'_>) -> impl Iterator<Item = Event<'_>> {
    let (before, event, after) = match event {
        Event::Html(text) | Event::InlineHtml(text) => (None, Event::Text(text), None),
        Event::Start(Tag::Table(_)) => {
            (Some("<div class=\"scroll\" role=\"group\" aria-label=\"Table\" tabindex=\"0\">"), event, None)
        }
        Event::End(TagEnd::Table) => (None, event, Some("</div>\n")),
        other => (None, other, None),
    };
    let html = |text: &'static str| Event::Html(text.into());
    before.map(html).into_iter().chain([event]).chain(after.map(html))
}

fn level(event: &Event<'_>) -> Option<HeadingLevel> {
    match event {
        Event::Start(Tag::Heading { level, .. }) => Some(*level),
        _ => None,
    }
}

fn ours(event: Event<'_>, top: HeadingLevel) -> Event<'_> {
    match event {
        Event::Start(Tag::Heading { level, id, classes, attrs }) => {
            Event::Start(Tag::Heading { level: below_title(level, top), id, classes, attrs })
        }
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(below_title(level, top))),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = if is_harmless(&dest_url) { dest_url } else { "#".into() };
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            let dest_url = if is_harmless(&dest_url) { dest_url } else { "#".into() };
            Event::Start(Tag::Image { link_type, dest_url, title, id })
        }
        Event::Start(Tag::CodeBlock(kind)) => Event::Html(match language(&kind) {
            Some(language) => format!("<pre tabindex=\"0\"><code class=\"language-{language}\">").into(),
            None => "<pre tabindex=\"0\"><code>".into(),
        }),
        Event::End(TagEnd::CodeBlock) => Event::Html("</code></pre>\n".into()),
        other => other,
    }
}

/// The topmost heading of the text becomes `<h2>`, the others keep their distance to it.
fn below_title(level: HeadingLevel, top: HeadingLevel) -> HeadingLevel {
    let distance = (level as usize).saturating_sub(top as usize);
    HeadingLevel::try_from(distance.saturating_add(2)).unwrap_or(HeadingLevel::H6)
}

fn is_harmless(url: &str) -> bool {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme);
    match scheme {
        Some(scheme) if !scheme.contains(['/', '?', '#']) => {
            ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
        }
        _ => true,
    }
}

fn language<'a>(kind: &'a CodeBlockKind<'_>) -> Option<&'a str> {
    match kind {
        CodeBlockKind::Fenced(info) => info
            .split_whitespace()
            .next()
            .filter(|word| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '+')),
        CodeBlockKind::Indented => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_html_comes_out_as_text() {
        let html = to_html("a <b onclick=x>b</b>\n\n<script>alert(1)</script>\n\n<div>\n\n**c**\n");
        assert!(!html.contains("<b "), "{html}");
        assert!(!html.contains("<script"), "{html}");
        assert!(!html.contains("<div"), "{html}");
        assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{html}");
        assert!(html.contains("<strong>c</strong>"), "{html}");
    }

    #[test]
    fn no_link_and_no_image_runs_a_script() {
        for url in ["javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "<java\tscript:x>"]
        {
            let html = to_html(&format!("[a]({url}) ![b]({url})"));
            assert!(!html.to_lowercase().contains("href=\"javascript"), "{html}");
            assert!(!html.contains("src=\"data:"), "{html}");
            assert!(!html.contains("href=\"vb"), "{html}");
            assert!(!html.contains("href=\"java%09"), "{html}");
        }
    }

    #[test]
    fn ordinary_links_stay() {
        for url in ["https://example.com/a:b", "/premium/x?a=b:c", "#part", "mailto:a@example.com", "other"] {
            let html = to_html(&format!("[a]({url})"));
            assert!(html.contains(&format!("href=\"{url}\"")), "{html}");
        }
    }

    #[test]
    fn headings_fit_under_the_title_and_keep_their_distance() {
        assert!(to_html("# A\n\n## B\n").contains("<h2>A</h2>\n<h3>B</h3>"));
        assert!(to_html("## A\n\n### B\n").contains("<h2>A</h2>\n<h3>B</h3>"));
        assert!(to_html("# A\n\n###### B\n").contains("<h6>B</h6>"));
    }

    #[test]
    fn tables_and_code_work() {
        let html = to_html("| a | b |\n| - | - |\n| 1 | 2 |\n\n```sh\nls <x>\n```\n");
        assert!(html.contains("<th>a</th>"), "{html}");
        assert!(html.contains("<pre tabindex=\"0\"><code class=\"language-sh\">ls &lt;x&gt;"), "{html}");
        let odd = to_html("```\"><script>\nx\n```\n");
        assert!(!odd.contains("<script"), "{odd}");
    }
}

//! Where a person goes after log-in: only to a page of ours.

use url::Url;

const LONGEST: usize = 2_000;
const NO_PAGES: [&str; 4] = ["/logout", "/checkout", "/billing-portal", "/subscription/"];

/// `next` as a path of ours, or nothing. Whatever a browser could read as another host is refused.
pub fn own_path(next: &str) -> Option<String> {
    if next.len() > LONGEST || !next.starts_with('/') || next.chars().any(|c| c.is_control() || c == '\\') {
        return None;
    }
    let ours = Url::parse("http://ours.invalid/").ok()?;
    let target = ours.join(next).ok()?;
    let stays = target.origin() == ours.origin() && target.username().is_empty() && target.password().is_none();
    let path = target.path();
    // What takes no GET is no page to go to.
    if NO_PAGES.iter().any(|start| path.starts_with(start)) {
        return None;
    }
    // A path such as `/.//host` loses its dots and would then name a host.
    if !stays || path.starts_with("//") {
        return None;
    }
    Some(target.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_places_are_refused() {
        let long = format!("/{}", "a".repeat(10_000));
        for next in [
            "",
            "premium",
            "//host",
            "///host",
            "/\\host",
            "\\\\host",
            "/\t/host",
            "/\n/host",
            "\t//host",
            "/.//host",
            "/..//host",
            "/a/..//host",
            "https://host/",
            "https:host",
            "http:/host",
            "//host:80/a",
            "//user:password@host",
            "/./\\host",
            "/\r\n/host",
            "/logout",
            "/logout?a=b",
            "/a/../logout",
            "/checkout",
            "/billing-portal",
            "/subscription/cancellation",
            "javascript:alert(1)",
            "/\0",
            &long,
        ] {
            assert_eq!(own_path(next), None, "{next:?}");
        }
    }

    #[test]
    fn our_own_pages_are_kept() {
        for (next, path) in [
            ("/", "/"),
            ("/premium/how-access-is-decided", "/premium/how-access-is-decided"),
            ("/premium?page=2&q=a%20b", "/premium?page=2&q=a%20b"),
            ("/premium/../account", "/account"),
            ("/premium/%2fhost", "/premium/%2fhost"),
            ("/%2F%2Fhost", "/%2F%2Fhost"),
            ("/%5Chost", "/%5Chost"),
            ("/a#fragment", "/a"),
        ] {
            assert_eq!(own_path(next).as_deref(), Some(path), "{next:?}");
        }
    }
}

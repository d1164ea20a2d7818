//! Where a person goes after log-in: only to a page of ours.

use percent_encoding::percent_decode_str;
use url::Url;

const LONGEST: usize = 2_000;

/// What takes no GET is no page to go to. A test holds this list to `src/routes.rs`.
const NO_PAGES: [&str; 11] = [
    "/logout",
    "/account/sessions/revocation",
    "/account/sessions/{id}/revocation",
    "/account/email/withdrawal",
    "/email/confirmation",
    "/checkout",
    "/billing-portal",
    "/subscription/cancellation",
    "/subscription/resumption",
    "/admin/events/replay",
    "/admin/events/{id}/replay",
];

/// `next` as a path of ours, or nothing. Whatever a browser could read as another host is refused.
pub fn own_path(next: &str) -> Option<String> {
    if next.len() > LONGEST || !next.starts_with('/') || next.chars().any(|c| c.is_control() || c == '\\') {
        return None;
    }
    let ours = Url::parse("http://ours.invalid/").ok()?;
    let target = ours.join(next).ok()?;
    let stays = target.origin() == ours.origin() && target.username().is_empty() && target.password().is_none();
    let path = target.path();
    if NO_PAGES.iter().any(|page| is(path, page)) || path.starts_with("/webhooks/") {
        return None;
    }
    // A path such as `/.//host` loses its dots and would then name a host.
    if !stays || path.starts_with("//") {
        return None;
    }
    Some(target.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}")))
}

/// The hosts of applications behind a gate, to which people may be sent back.
#[derive(Clone, Debug)]
pub struct ReturnHosts {
    hosts: Vec<String>,
    here: String,
    /// Those who are here over https are not sent back over http.
    scheme: String,
}

impl ReturnHosts {
    /// Hosts in small letters, with a port where it is not the usual one; back by the scheme of the public address.
    pub fn new(hosts: Vec<String>, public_url: &Url) -> Self {
        Self { hosts, here: public_url.origin().ascii_serialization(), scheme: public_url.scheme().to_owned() }
    }

    /// The public address, without a slash at its end.
    pub fn here(&self) -> &str {
        &self.here
    }

    /// `https`, or `http` on a machine of one's own.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The address, if people may be sent there.
    pub fn allowed(&self, target: &str) -> Option<String> {
        // Some browsers read these as slashes, or leave them out.
        if target.len() > LONGEST || target.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return None;
        }
        let url = Url::parse(target).ok().filter(|url| url.scheme() == self.scheme)?;
        if !url.username().is_empty() || url.password().is_some() {
            return None;
        }
        let host = url.host_str()?;
        let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        self.hosts.contains(&host).then(|| url.to_string())
    }
}

/// Whether a path is one of those that a pattern of the routes names, as the router reads it.
fn is(path: &str, pattern: &str) -> bool {
    let path = percent_decode_str(path).decode_utf8_lossy();
    let (parts, wanted): (Vec<&str>, Vec<&str>) = (path.split('/').collect(), pattern.split('/').collect());
    parts.len() == wanted.len() && parts.iter().zip(&wanted).all(|(part, want)| want.starts_with('{') || part == want)
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
            "/%6cogout",
            "/%6Cogout?a=b",
            "/account/email/withdrawal",
            "/account/sessions/revocation",
            "/account/sessions/ses_x/revocation",
            "/email/confirmation",
            "/webhooks/stripe",
            "/%2e%2e//host",
            "/%2e//host",
            "/a/%2E%2e//host",
            "javascript:alert(1)",
            "/\0",
            &long,
        ] {
            assert_eq!(own_path(next), None, "{next:?}");
        }
    }

    #[test]
    fn people_are_sent_back_to_hosts_on_the_list_alone() {
        let hosts = ["wiki.example.com", "app.example.com:8443"].map(str::to_owned).to_vec();
        let here = Url::parse("https://members.example.com").unwrap();
        let hosts = ReturnHosts::new(hosts, &here);
        let long = format!("https://wiki.example.com/{}", "a".repeat(2_000));
        for target in [
            "",
            "/",
            "wiki.example.com",
            "//wiki.example.com/",
            "http://wiki.example.com/",
            "ftp://wiki.example.com/",
            "javascript:alert(1)//wiki.example.com/",
            "https://wiki.example.com.evil.com/",
            "https://evil.com/wiki.example.com",
            "https://evil.com?wiki.example.com",
            "https://evil.com#@wiki.example.com",
            "https://evil-wiki.example.com/",
            "https://wiki.example.com:8443/",
            "https://wiki.example.com@evil.com/",
            "https://user@wiki.example.com/",
            "https://user:password@wiki.example.com/",
            "https://app.example.com/",
            "https://members.example.com/",
            "https://evil.com\\@wiki.example.com/",
            "https:\\\\wiki.example.com/",
            "https://wiki.example.com/\r\nSet-Cookie: a=b",
            " https://wiki.example.com/",
            "https://wiki.example.com/a b",
            &long,
        ] {
            assert_eq!(hosts.allowed(target), None, "{target:?}");
        }
        for (target, there) in [
            ("https://wiki.example.com", "https://wiki.example.com/"),
            ("https://WIKI.example.com:443/a/../b?c=d&e=%20", "https://wiki.example.com/b?c=d&e=%20"),
            ("https://app.example.com:8443/x#y", "https://app.example.com:8443/x#y"),
        ] {
            assert_eq!(hosts.allowed(target).as_deref(), Some(there), "{target:?}");
        }
        assert_eq!(ReturnHosts::new(Vec::new(), &here).allowed("https://members.example.com/"), None);
    }

    #[test]
    fn our_own_pages_are_kept() {
        for (next, path) in [
            ("/", "/"),
            ("/premium/how-access-is-decided", "/premium/how-access-is-decided"),
            ("/premium?page=2&q=a%20b", "/premium?page=2&q=a%20b"),
            ("/premium/../account", "/account"),
            ("/account/email", "/account/email"),
            ("/checkout/return?session_id=cs_1", "/checkout/return?session_id=cs_1"),
            ("/premium/%2fhost", "/premium/%2fhost"),
            ("/%2F%2Fhost", "/%2F%2Fhost"),
            ("/%5Chost", "/%5Chost"),
            ("/a#fragment", "/a"),
        ] {
            assert_eq!(own_path(next).as_deref(), Some(path), "{next:?}");
        }
    }
}

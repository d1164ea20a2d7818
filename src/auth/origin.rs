//! Refuses what another site makes a browser send with our cookies.

use actix_web::http::{
    Method,
    header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN},
};
use url::Url;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A request that changes something came from another site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("This request came from another site. Open the page on this site and try again.")]
pub struct CrossSite;

/// Knows where our own pages are.
#[derive(Clone, Debug)]
pub struct OriginCheck {
    public: String,
    exempt: &'static [&'static str],
}

impl OriginCheck {
    /// Pages come from `public_url`; the paths in `exempt` are never called by a browser and take no cookie.
    pub fn new(public_url: &Url, exempt: &'static [&'static str]) -> Self {
        Self { public: public_url.origin().ascii_serialization(), exempt }
    }

    /// Whether the request may go on.
    ///
    /// GET, HEAD and OPTIONS may, as they change nothing. Of the others, those that a browser sends say where they
    /// come from in `Sec-Fetch-Site`, or at least in `Origin`; what says neither is no browser, or one too old to
    /// keep its cookies to the site (`SameSite`) either.
    pub fn check(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<(), CrossSite> {
        if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) || self.exempt.contains(&path) {
            return Ok(());
        }
        let sites: Vec<&[u8]> = non_empty(headers, &SEC_FETCH_SITE).collect();
        let allowed = if sites.is_empty() {
            non_empty(headers, &ORIGIN).all(|origin| self.is_ours(origin, headers))
        } else {
            sites.iter().all(|site| matches!(*site, b"same-origin" | b"none"))
        };
        if allowed { Ok(()) } else { Err(CrossSite) }
    }

    /// The public address, or the host that was asked when people come by another way, such as a local port.
    fn is_ours(&self, origin: &[u8], headers: &HeaderMap) -> bool {
        if origin.eq_ignore_ascii_case(self.public.as_bytes()) {
            return true;
        }
        let Some(host) = headers.get(HOST).map(HeaderValue::as_bytes).filter(|host| !host.is_empty()) else {
            return false;
        };
        // Somebody on the wire could speak for http:// when the site is https://.
        let is_public_host = authority(self.public.as_bytes()).is_some_and(|public| public.eq_ignore_ascii_case(host));
        !is_public_host && authority(origin).is_some_and(|origin| origin.eq_ignore_ascii_case(host))
    }
}

fn non_empty<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a [u8]> {
    headers.get_all(name).map(HeaderValue::as_bytes).filter(|value| !value.is_empty())
}

fn authority(origin: &[u8]) -> Option<&[u8]> {
    origin.strip_prefix(b"https://").or_else(|| origin.strip_prefix(b"http://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(public: &str, method: &Method, path: &str, lines: &[(&'static str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        OriginCheck::new(&Url::parse(public).unwrap(), &["/webhooks/stripe"]).check(method, path, &headers).is_ok()
    }

    #[test]
    fn a_post_says_where_it_comes_from() {
        const HOST: (&str, &str) = ("host", "turnpike.example");
        for (lines, allowed) in [
            (&[HOST, ("sec-fetch-site", "cross-site")][..], false),
            (&[HOST, ("sec-fetch-site", "same-site")], false),
            (&[HOST, ("sec-fetch-site", "something-new")], false),
            (&[HOST, ("sec-fetch-site", "SAME-ORIGIN")], false),
            (&[HOST, ("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")], false),
            (&[HOST, ("sec-fetch-site", "cross-site"), ("origin", "https://turnpike.example")], false),
            (&[HOST, ("origin", "null")], false),
            (&[HOST, ("origin", "https://evil.example")], false),
            (&[HOST, ("origin", "https://turnpike.example.evil.example")], false),
            (&[HOST, ("origin", "https://turnpike.example:444")], false),
            (&[HOST, ("origin", "http://turnpike.example")], false),
            (&[HOST, ("origin", "turnpike.example")], false),
            (&[HOST, ("origin", "https://")], false),
            (&[HOST, ("origin", "https://turnpike.example"), ("origin", "https://evil.example")], false),
            (&[("origin", "https://evil.example")], false),
            (&[("host", ""), ("origin", "https://")], false),
            (&[HOST, ("sec-fetch-site", "same-origin")], true),
            (&[HOST, ("sec-fetch-site", "none")], true),
            (&[HOST, ("sec-fetch-site", "same-origin"), ("origin", "null")], true),
            (&[HOST, ("origin", "https://turnpike.example")], true),
            (&[HOST, ("origin", "https://TURNPIKE.example")], true),
            (&[HOST, ("sec-fetch-site", ""), ("origin", "https://turnpike.example")], true),
            (&[("host", "10.0.0.1:8080"), ("origin", "https://turnpike.example")], true),
            (&[("host", "127.0.0.1:8080"), ("origin", "http://127.0.0.1:8080")], true),
            (&[HOST], true),
            (&[HOST, ("origin", "")], true),
            (&[], true),
        ] {
            for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::TRACE] {
                assert_eq!(check("https://turnpike.example", &method, "/login", lines), allowed, "{method} {lines:?}");
            }
        }
    }

    #[test]
    fn reading_and_what_no_browser_calls_may_come_from_anywhere() {
        let cross = &[("host", "h"), ("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")];
        for (method, path, allowed) in [
            (Method::GET, "/account", true),
            (Method::HEAD, "/account", true),
            (Method::OPTIONS, "/account", true),
            (Method::POST, "/webhooks/stripe", true),
            (Method::POST, "/webhooks/stripe/", false),
            (Method::POST, "//webhooks/stripe", false),
            (Method::POST, "/login", false),
        ] {
            assert_eq!(check("http://127.0.0.1:8080", &method, path, cross), allowed, "{method} {path}");
        }
    }

    #[test]
    fn default_ports_are_as_browsers_write_them() {
        for (public, origin) in
            [("https://t.example:443", "https://t.example"), ("http://127.0.0.1:8080/", "http://127.0.0.1:8080")]
        {
            assert!(check(public, &Method::POST, "/", &[("host", "inner"), ("origin", origin)]), "{public}");
        }
    }
}

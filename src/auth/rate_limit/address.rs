use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use actix_web::http::header::HeaderMap;
use ipnet::IpNet;

/// Whose request it is: the peer's address, or what trusted proxies say in `X-Forwarded-For`.
///
/// That header is read from its end, where the nearest proxy wrote, and the first address that is not a trusted
/// proxy counts; what stands before it anybody could have made up. An IPv4 address inside an IPv6 one is unwrapped.
pub fn client_address(peer: Option<IpAddr>, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let Some(peer) = peer.map(|peer| peer.to_canonical()) else { return Ipv4Addr::UNSPECIFIED.into() };
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    if !is_trusted(&peer) {
        return peer;
    }
    let lines: Vec<&str> = headers.get_all("x-forwarded-for").map(|line| line.to_str().unwrap_or_default()).collect();
    let mut client = peer;
    for entry in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
        let Some(address) = address(entry.trim()) else { break };
        client = address;
        if !is_trusted(&client) {
            break;
        }
    }
    client
}

/// An address, perhaps with a port or in brackets.
fn address(entry: &str) -> Option<IpAddr> {
    let bare = entry.strip_prefix('[').and_then(|entry| entry.strip_suffix(']')).unwrap_or(entry);
    let address = bare.parse::<IpAddr>().or_else(|_| entry.parse::<SocketAddr>().map(|address| address.ip()));
    Some(address.ok()?.to_canonical())
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    fn client(peer: &str, lines: &[&[u8]]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(HeaderName::from_static("x-forwarded-for"), HeaderValue::from_bytes(line).unwrap());
        }
        let trusted: Vec<IpNet> = ["10.0.0.0/8", "::1/128"].iter().map(|network| network.parse().unwrap()).collect();
        client_address(Some(peer.parse().unwrap()), &headers, &trusted).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        for (peer, lines, expected) in [
            ("203.0.113.9", &[&b"198.51.100.1"[..]][..], "203.0.113.9"),
            ("203.0.113.9", &[], "203.0.113.9"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &[b"198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &[b"1.1.1.1, 198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &[b"1.1.1.1, 198.51.100.1, 10.0.0.2"], "198.51.100.1"),
            ("10.0.0.1", &[b"1.1.1.1", b"198.51.100.1,10.0.0.2"], "198.51.100.1"),
            ("10.0.0.1", &[b"198.51.100.1", b"10.0.0.2"], "198.51.100.1"),
            ("10.0.0.1", &[b"10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &[b"198.51.100.1, nonsense"], "10.0.0.1"),
            ("10.0.0.1", &[b"198.51.100.1, unknown, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &[b""], "10.0.0.1"),
            ("10.0.0.1", &[b"198.51.100.1,"], "10.0.0.1"),
            ("10.0.0.1", &[b"\xFF"], "10.0.0.1"),
            ("10.0.0.1", &[b"198.51.100.1:4711"], "198.51.100.1"),
            ("10.0.0.1", &[b"[2001:db8::1]:4711"], "2001:db8::1"),
            ("10.0.0.1", &[b"[2001:db8::1]"], "2001:db8::1"),
            ("10.0.0.1", &[b"2001:db8::1"], "2001:db8::1"),
            ("::1", &[b"::ffff:198.51.100.1"], "198.51.100.1"),
            ("::ffff:10.0.0.1", &[b"198.51.100.1"], "198.51.100.1"),
        ] {
            assert_eq!(client(peer, lines), expected, "{peer} {lines:?}");
        }
    }

    #[test]
    fn without_a_peer_nobody_is_believed() {
        let mut headers = HeaderMap::new();
        headers.append(HeaderName::from_static("x-forwarded-for"), HeaderValue::from_static("198.51.100.1"));
        assert_eq!(client_address(None, &headers, &["0.0.0.0/0".parse().unwrap()]), Ipv4Addr::UNSPECIFIED);
    }
}

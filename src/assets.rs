//! The stylesheet, the script and the icon: part of the binary, at addresses that change with their content.

use std::sync::LazyLock;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// One file that the browser may keep for ever, because another content gets another address.
#[derive(Debug)]
pub struct Asset {
    /// The address, with a hash of the content in it.
    pub path: String,
    /// The value of `Content-Type`.
    pub content_type: &'static str,
    /// The hash in quotes, for `ETag`.
    pub etag: String,
    /// The content.
    pub body: &'static [u8],
}

impl Asset {
    fn new(name: &str, extension: &str, content_type: &'static str, body: &'static [u8]) -> Self {
        let hash = HEXLOWER.encode(&Sha256::digest(body));
        let short: String = hash.chars().take(16).collect();
        Self { path: format!("/static/{name}.{short}.{extension}"), content_type, etag: format!("\"{short}\""), body }
    }
}

static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("turnpike", "css", "text/css; charset=utf-8", include_bytes!("../static/turnpike.css"))
});
static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("turnpike", "js", "text/javascript; charset=utf-8", include_bytes!("../static/turnpike.js"))
});
static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("favicon", "svg", "image/svg+xml", include_bytes!("../static/favicon.svg")));

/// The one stylesheet.
pub fn style() -> &'static Asset {
    &STYLE
}

/// The one script.
pub fn script() -> &'static Asset {
    &SCRIPT
}

/// The icon for the browser's tab.
pub fn icon() -> &'static Asset {
    &ICON
}

/// The asset at this address, or nothing.
pub fn find(path: &str) -> Option<&'static Asset> {
    [style(), script(), icon()].into_iter().find(|asset| asset.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_address_is_answered() {
        for path in
            ["", "/static/", "/static/turnpike.css", "/static/../Cargo.toml", "/static/turnpike.0000000000000000.css"]
        {
            assert!(find(path).is_none(), "{path}");
        }
    }

    #[test]
    fn every_asset_is_found_at_its_own_address() {
        for asset in [style(), script(), icon()] {
            let found = find(&asset.path).unwrap();
            assert_eq!(found.body, asset.body);
            assert!(!found.body.is_empty());
            assert!(found.path.contains(found.etag.trim_matches('"')));
        }
    }

    #[test]
    fn another_content_gets_another_address() {
        let one = Asset::new("a", "css", "text/css", b"a {}");
        let two = Asset::new("a", "css", "text/css", b"a { }");
        assert_ne!(one.path, two.path);
        assert_ne!(one.etag, two.etag);
    }
}

//! What every answer says to browsers.

use crate::{config::Config, pages::site::Site};

/// A year, as browsers want it before they list a site.
const HTTPS_ONLY: &str = "max-age=31536000";

/// What no page of ours uses, so that nothing that slips into one can either.
const NOT_USED: &str = "accelerometer=(), autoplay=(), camera=(), display-capture=(), geolocation=(), \
                        gyroscope=(), hid=(), magnetometer=(), microphone=(), midi=(), payment=(), \
                        screen-wake-lock=(), serial=(), usb=(), xr-spatial-tracking=()";

/// The headers, by name. An answer that has one of them already keeps its own.
pub(super) fn headers(site: &Site, config: &Config) -> Vec<(&'static str, String)> {
    let mut headers = vec![
        ("content-security-policy", content_security_policy(site, config)),
        ("cache-control", "no-store".to_owned()),
        ("x-content-type-options", "nosniff".to_owned()),
        ("x-frame-options", "DENY".to_owned()),
        ("referrer-policy", "same-origin".to_owned()),
        ("cross-origin-opener-policy", "same-origin".to_owned()),
        ("cross-origin-resource-policy", "same-origin".to_owned()),
        ("permissions-policy", NOT_USED.to_owned()),
    ];
    if config.public_url.scheme() == "https" {
        headers.push(("strict-transport-security", HTTPS_ONLY.to_owned()));
    }
    headers
}

/// Scripts, styles and pictures from here alone, none of them inline. A form may go on to Stripe's pages: Chromium checks
/// each hop of a redirect. Another place that speaks Stripe's API, such as a sandbox elsewhere, shows its pages itself.
fn content_security_policy(site: &Site, config: &Config) -> String {
    let sandbox = site.sandbox.as_deref().unwrap_or_default();
    let elsewhere = config.stripe.api_base.as_ref().map(|base| base.origin().ascii_serialization()).unwrap_or_default();
    let policy = format!(
        "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; \
         form-action 'self' https://checkout.stripe.com https://billing.stripe.com {sandbox} {elsewhere}"
    );
    policy.trim_end().to_owned()
}

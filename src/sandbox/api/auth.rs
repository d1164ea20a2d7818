//! Who may ask: anybody with a key for tests.

use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use data_encoding::BASE64;

use super::error::ApiError;

/// Checks the key of a request, sent as a bearer token or as the user name of HTTP Basic.
///
/// # Errors
/// There is none, or it is not one for tests. The key itself is never repeated.
pub fn check(headers: &HeaderMap) -> Result<(), ApiError> {
    let missing = || {
        ApiError::unauthorized(
            "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth \
             (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
        )
    };
    let key = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(key_of).ok_or_else(missing)?;
    if key.starts_with("sk_live_") || key.starts_with("rk_live_") {
        return Err(ApiError::unauthorized(
            "This is Turnpike's sandbox, and the key is one for real money. Use a key that starts with sk_test_, \
             and treat the live key as known to others: it was sent over an unencrypted connection.",
        ));
    }
    let tests = |prefix| key.strip_prefix(prefix).is_some_and(|rest: &str| !rest.is_empty());
    if tests("sk_test_") || tests("rk_test_") {
        Ok(())
    } else {
        Err(ApiError::unauthorized("Invalid API Key provided. The sandbox takes any key that starts with sk_test_."))
    }
}

fn key_of(header: &str) -> Option<String> {
    let (scheme, rest) = header.split_once(' ')?;
    let rest = rest.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        return (!rest.is_empty()).then(|| rest.to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = String::from_utf8(BASE64.decode(rest.as_bytes()).ok()?).ok()?;
    pair.split(':').next().filter(|key| !key.is_empty()).map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn only_keys_for_tests_are_taken() {
        let cases = [
            (None, false),
            (Some("Bearer "), false),
            (Some("Bearer sk_live_1"), false),
            (Some("Bearer sk_test_"), false),
            (Some("Bearer pk_test_1"), false),
            (Some("Digest sk_test_1"), false),
            (Some("Basic !!!"), false),
            (Some("Bearer sk_test_1"), true),
            (Some("bearer  rk_test_1"), true),
            (Some("Basic c2tfdGVzdF8xOg=="), true),
        ];
        for (header, taken) in cases {
            let mut headers = HeaderMap::new();
            if let Some(text) = header {
                headers.insert(AUTHORIZATION, HeaderValue::from_static(text));
            }
            assert_eq!(check(&headers).is_ok(), taken, "{header:?}");
        }
    }

    #[test]
    fn a_live_key_is_named_as_such_and_not_repeated() {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer sk_live_abcdef"));
        let error = check(&headers).unwrap_err();
        assert_eq!(error.status, 401);
        assert!(error.message.contains("real money") && !error.message.contains("abcdef"), "{}", error.message);
    }
}

//! A form as it was sent. Fields that nobody asks for are never looked at.

use actix_web::{FromRequest, HttpRequest, dev::Payload, http::header, web};
use futures_util::future::LocalBoxFuture;
use url::form_urlencoded;

use crate::error::Error;

/// The fields of a form, in the order in which they came.
#[derive(Debug)]
pub struct Posted(Vec<(String, String)>);

impl Posted {
    /// The first value of a field as it was sent, or nothing.
    pub fn raw(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str())
    }

    /// The first value of a field in a form that may be shown again: at most `longest` characters.
    pub fn shown(&self, name: &str, longest: usize) -> String {
        self.raw(name).chars().filter(|c| !c.is_control()).take(longest).collect()
    }

    /// Whether a box is ticked.
    pub fn is_ticked(&self, name: &str) -> bool {
        matches!(self.raw(name), "on" | "true" | "1" | "yes")
    }
}

impl FromRequest for Posted {
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self, Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let is_a_form =
            request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_none_or(|kind| {
                kind.trim_start().to_ascii_lowercase().starts_with("application/x-www-form-urlencoded")
            });
        let body = web::Bytes::from_request(request, payload);
        Box::pin(async move {
            if !is_a_form {
                return Err(Error::UnsupportedMediaType);
            }
            let body = body.await.map_err(|error| match error.as_response_error().status_code().as_u16() {
                413 => Error::TooLarge,
                _ => Error::BadRequest("errors-form-cut"),
            })?;
            Ok(Self(form_urlencoded::parse(&body).into_owned().collect()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posted(body: &str) -> Posted {
        Posted(form_urlencoded::parse(body.as_bytes()).into_owned().collect())
    }

    #[test]
    fn the_first_of_a_doubled_field_counts_and_bad_bytes_stay_visible() {
        let form = posted("email=a%40b.test&email=c%40d.test&first_name=%ff%fe&terms=on");
        assert_eq!(form.raw("email"), "a@b.test");
        assert_eq!(form.raw("missing"), "");
        assert_eq!(form.raw("first_name"), "\u{fffd}\u{fffd}");
        assert!(form.is_ticked("terms"));
        assert!(!form.is_ticked("email"));
    }

    #[test]
    fn what_is_shown_again_is_short_and_without_control_characters() {
        assert_eq!(posted("a=x%00y%0Az").shown("a", 2), "xy");
    }
}

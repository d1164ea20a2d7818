//! The gate of programs: a token in `Authorization`, and nothing else. A session opens nothing here.

use std::{future::Future, pin::Pin};

use actix_web::{
    FromRequest, HttpRequest,
    dev::Payload,
    http::header::{AUTHORIZATION, HeaderMap},
    web,
};
use data_encoding::BASE64URL_NOPAD;

use super::{
    guard::Gate,
    refusal::Refusal,
    token::{random_token, token_hash},
};
use crate::{
    clock::Entropy,
    store::{
        StoreError,
        api_tokens::{self, WorkingToken},
    },
};

/// How every token begins, so that whoever finds one knows what it is.
const PREFIX: &str = "tp_";

/// So many random bytes follow.
const BYTES: usize = 32;

/// A program with a token that works now.
#[derive(Clone, Debug)]
pub struct ApiToken {
    /// By what the token is named, for the log.
    pub public_id: String,
}

/// A new token, as it is shown once.
pub fn new_token(entropy: Entropy) -> String {
    format!("{PREFIX}{}", random_token(entropy))
}

impl FromRequest for ApiToken {
    type Error = Refusal;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Refusal>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let hash = shown(request.headers()).map(token_hash);
        let gate = request.app_data::<web::Data<Gate>>().cloned();
        Box::pin(async move {
            let (hash, gate) = (hash?, gate.ok_or(Refusal::Unavailable)?);
            match admit(&gate, hash).await {
                Ok(Some(token)) => Ok(Self { public_id: token.public_id }),
                Ok(None) => Err(Refusal::TokenInvalid),
                Err(error) => {
                    tracing::error!(%error, "a program's token could not be looked up");
                    Err(Refusal::Unavailable)
                }
            }
        })
    }
}

async fn admit(gate: &Gate, hash: String) -> Result<Option<WorkingToken>, StoreError> {
    let now = gate.clock.now();
    let found = gate.store.read_hot(move |conn| api_tokens::working(conn, &hash, now)).await?;
    if let Some(WorkingToken { id, is_use_due: true, .. }) = found {
        gate.store.write(move |conn| api_tokens::note_use(conn, id, now)).await?;
    }
    Ok(found)
}

/// The token that the headers show. The scheme may be written in any case (RFC 9110 §11.1).
fn shown(headers: &HeaderMap) -> Result<&str, Refusal> {
    let mut all = headers.get_all(AUTHORIZATION);
    let Some(value) = all.next() else { return Err(Refusal::TokenRequired) };
    if all.next().is_some() {
        // Which of them counts, others may decide otherwise.
        return Err(Refusal::TokenInvalid);
    }
    let value = value.to_str().map_err(|_| Refusal::TokenInvalid)?;
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Refusal::TokenRequired);
    }
    let token = token.trim_start_matches(' ');
    let random = token.strip_prefix(PREFIX).ok_or(Refusal::TokenInvalid)?;
    let is_token =
        random.len() == BASE64URL_NOPAD.encode_len(BYTES) && BASE64URL_NOPAD.decode(random.as_bytes()).is_ok();
    if is_token { Ok(token) } else { Err(Refusal::TokenInvalid) }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn read(values: &[&str]) -> Result<String, Refusal> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        shown(&headers).map(str::to_owned)
    }

    #[test]
    fn a_token_is_read_under_its_scheme_in_any_case() {
        let token = new_token(Entropy);
        assert!(token.starts_with("tp_") && token.len() == 46, "{token}");
        for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
            assert_eq!(read(&[&format!("{scheme} {token}")]), Ok(token.clone()), "{scheme}");
            assert_eq!(read(&[&format!("{scheme}   {token}")]), Ok(token.clone()), "{scheme}");
        }
    }

    #[test]
    fn what_is_no_token_is_not_looked_up() {
        let token = new_token(Entropy);
        for missing in [&[][..], &["Basic YTpi"], &[""], &[&token], &["Bearertp_x"]] {
            assert_eq!(read(missing), Err(Refusal::TokenRequired), "{missing:?}");
        }
        let right = format!("Bearer {token}");
        let long = format!("Bearer tp_{}", "a".repeat(10_000));
        for wrong in [
            &["Bearer"][..],
            &["Bearer "],
            &["Bearer tp_"],
            &["Bearer tp_short"],
            &[&right.replace("tp_", "")],
            &[&right.replace("tp_", "TP_")],
            &[&format!("{right}a")],
            &[&format!("{right} ")],
            &[&format!("{right}=")],
            &[&format!("{right}, Bearer x")],
            &[&right.replace("tp_", "tp_é")],
            &[&long],
            &[&right, &right],
        ] {
            assert_eq!(read(wrong), Err(Refusal::TokenInvalid), "{wrong:?}");
        }
    }
}

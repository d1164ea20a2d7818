//! Browsers in which the password of an account was typed, or set, before. Whoever guesses at it from elsewhere does not keep
//! its owner out of them: they have failures of their own (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
//! A mark is good as long as that password is.

use actix_web::{
    HttpRequest, HttpResponse,
    cookie::{Cookie, SameSite, time},
};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::token::{in_letters, keyed, random_token};
use crate::{clock::Entropy, config::Secret};

/// The longest that browsers keep a cookie.
const LASTS_DAYS: i64 = 400;

/// Makes and reads the cookie that marks a browser. It says nothing of the account to anyone without the key.
#[derive(Clone)]
pub struct Devices {
    key: Secret,
    name: &'static str,
    secure: bool,
}

impl Devices {
    /// Marks made with the server's secret; over https alone where the site has it.
    pub fn new(key: &Secret, https: bool) -> Self {
        let name = if https { "__Host-turnpike-device" } else { "turnpike-device" };
        Self { key: key.clone(), name, secure: https }
    }

    /// Whose failures a wrong password in this browser is, if the present one was known there before. `password_hash` is the
    /// one that is stored for the account.
    pub fn failures_of(&self, request: &HttpRequest, password_hash: &str) -> Option<String> {
        self.id(request, password_hash).map(|id| format!("device {id}"))
    }

    /// Marks the browser as one in which this password is known. It keeps its id, and so its failures.
    pub fn mark(&self, request: &HttpRequest, response: &mut HttpResponse, password_hash: &str, entropy: Entropy) {
        let id = self.id(request, password_hash).unwrap_or_else(|| random_token(entropy));
        let cookie = Cookie::build(self.name, format!("{id}.{}", in_letters(self.mac(&id, password_hash))))
            .path("/")
            .secure(self.secure)
            .http_only(true)
            .same_site(SameSite::Lax)
            .max_age(time::Duration::days(LASTS_DAYS))
            .finish();
        if let Err(error) = response.add_cookie(&cookie) {
            tracing::error!(%error, "a browser could not be marked");
        }
    }

    fn id(&self, request: &HttpRequest, password_hash: &str) -> Option<String> {
        let cookie = request.cookie(self.name)?;
        let (id, seal) = cookie.value().split_once('.')?;
        let seal = data_encoding::HEXLOWER.decode(seal.as_bytes()).ok()?;
        self.mac(id, password_hash)?.verify_slice(&seal).ok()?;
        Some(id.to_owned())
    }

    /// Each stored hash has a salt of its own, so it stands for one password of one account.
    fn mac(&self, id: &str, password_hash: &str) -> Option<Hmac<Sha256>> {
        let mac = keyed(&self.key, "turnpike device ")?;
        Some(mac.chain_update(id).chain_update(" ").chain_update(password_hash))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::{cookie::Cookie, test::TestRequest};

    use super::*;

    /// As they are stored.
    const ADA: &str = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdDE$aGFzaA";
    const BOB: &str = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdDI$aGFzaA";

    fn devices(key: &str) -> Devices {
        Devices::new(&Secret::new(key), true)
    }

    fn marked(devices: &Devices, password_hash: &str, coming_with: Option<Cookie<'static>>) -> Cookie<'static> {
        let mut request = TestRequest::default();
        if let Some(cookie) = coming_with {
            request = request.cookie(cookie);
        }
        let mut response = HttpResponse::Ok().finish();
        devices.mark(&request.to_http_request(), &mut response, password_hash, Entropy);
        response.cookies().next().unwrap().into_owned()
    }

    fn failures(devices: &Devices, cookie: &Cookie<'static>, password_hash: &str) -> Option<String> {
        devices.failures_of(&TestRequest::default().cookie(cookie.clone()).to_http_request(), password_hash)
    }

    #[test]
    fn a_browser_without_a_mark_of_ours_for_this_password_is_no_other_than_a_stranger() {
        let ours = devices("key");
        let good = marked(&ours, ADA, None);
        assert_eq!(failures(&ours, &good, BOB), None);
        assert_eq!(failures(&devices("other key"), &good, ADA), None);
        let (id, seal) = good.value().split_once('.').unwrap();
        for forged in ["", ".", id, &format!("{id}."), &format!("x{id}.{seal}"), &format!("{id}.{seal}00"), "\u{e9}.00"]
        {
            let forged = Cookie::new("__Host-turnpike-device", forged.to_owned());
            assert_eq!(failures(&ours, &forged, ADA), None, "{forged}");
        }
    }

    #[test]
    fn a_marked_browser_has_failures_of_its_own_and_keeps_its_id() {
        let ours = devices("key");
        let (one, other) = (marked(&ours, ADA, None), marked(&ours, ADA, None));
        assert!(failures(&ours, &one, ADA).unwrap().starts_with("device "));
        assert_ne!(failures(&ours, &one, ADA), failures(&ours, &other, ADA));
        assert_eq!(marked(&ours, ADA, Some(one.clone())).value(), one.value());
        assert_ne!(marked(&ours, BOB, Some(one.clone())).value(), one.value());
        let says = |what: &str| one.value().contains(what);
        assert!(one.http_only() == Some(true) && one.secure() == Some(true) && !says("aGFzaA") && !says("$"));
    }
}

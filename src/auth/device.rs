//! Browsers that were signed in to an account before. Whoever guesses at its password from elsewhere does not keep its
//! owner out of them: they have failures of their own (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").

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

    /// Whose failures a wrong password for this account is: those of this browser if it was signed in to the account
    /// before, else those of the account. `account` is the canonical address, known or not.
    pub fn failures_of(&self, request: &HttpRequest, account: &str) -> String {
        self.id(request, account).map_or_else(|| account.to_owned(), |id| format!("device {id}"))
    }

    /// Marks the browser as one that was signed in to this account. It keeps its id, and so its failures.
    pub fn mark(&self, request: &HttpRequest, response: &mut HttpResponse, account: &str, entropy: Entropy) {
        let id = self.id(request, account).unwrap_or_else(|| random_token(entropy));
        let cookie = Cookie::build(self.name, format!("{id}.{}", in_letters(self.mac(&id, account))))
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

    fn id(&self, request: &HttpRequest, account: &str) -> Option<String> {
        let cookie = request.cookie(self.name)?;
        let (id, seal) = cookie.value().split_once('.')?;
        let seal = data_encoding::HEXLOWER.decode(seal.as_bytes()).ok()?;
        self.mac(id, account)?.verify_slice(&seal).ok()?;
        Some(id.to_owned())
    }

    fn mac(&self, id: &str, account: &str) -> Option<Hmac<Sha256>> {
        let mac = keyed(&self.key, "turnpike device ")?;
        Some(mac.chain_update(id).chain_update(" ").chain_update(account))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::{cookie::Cookie, test::TestRequest};

    use super::*;

    const ADA: &str = "ada@example.com";

    fn devices(key: &str) -> Devices {
        Devices::new(&Secret::new(key), true)
    }

    fn marked(devices: &Devices, account: &str, coming_with: Option<Cookie<'static>>) -> Cookie<'static> {
        let mut request = TestRequest::default();
        if let Some(cookie) = coming_with {
            request = request.cookie(cookie);
        }
        let mut response = HttpResponse::Ok().finish();
        devices.mark(&request.to_http_request(), &mut response, account, Entropy);
        response.cookies().next().unwrap().into_owned()
    }

    fn failures(devices: &Devices, cookie: &Cookie<'static>, account: &str) -> String {
        devices.failures_of(&TestRequest::default().cookie(cookie.clone()).to_http_request(), account)
    }

    #[test]
    fn a_browser_without_a_mark_of_ours_for_this_account_is_no_other_than_a_stranger() {
        let ours = devices("key");
        let good = marked(&ours, ADA, None);
        assert_eq!(failures(&ours, &good, "bob@example.com"), "bob@example.com");
        assert_eq!(failures(&devices("other key"), &good, ADA), ADA);
        let (id, seal) = good.value().split_once('.').unwrap();
        for forged in ["", ".", id, &format!("{id}."), &format!("x{id}.{seal}"), &format!("{id}.{seal}00"), "\u{e9}.00"]
        {
            let forged = Cookie::new("__Host-turnpike-device", forged.to_owned());
            assert_eq!(failures(&ours, &forged, ADA), ADA, "{forged}");
        }
    }

    #[test]
    fn a_marked_browser_has_failures_of_its_own_and_keeps_its_id() {
        let ours = devices("key");
        let (one, other) = (marked(&ours, ADA, None), marked(&ours, ADA, None));
        assert!(failures(&ours, &one, ADA).starts_with("device "));
        assert_ne!(failures(&ours, &one, ADA), failures(&ours, &other, ADA));
        assert_eq!(marked(&ours, ADA, Some(one.clone())).value(), one.value());
        assert!(one.http_only() == Some(true) && one.secure() == Some(true) && !one.value().contains("ada"));
    }
}

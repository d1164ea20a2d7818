//! A secret on its way to a person's device. The page alone keeps it, encrypted: nothing is stored before a code has shown
//! that the device has it.

use chrono::{DateTime, TimeDelta, Utc};

use super::{SealingKey, TotpSecret};
use crate::clock::Entropy;

/// For how long the page is good.
const LASTS: TimeDelta = TimeDelta::minutes(30);

/// For whom a secret is: one person in one session.
#[derive(Clone, Copy, Debug)]
pub struct Enrolment<'a> {
    /// The row of the person.
    pub user_id: i64,
    /// The hash of the session in which the password was given.
    pub session: &'a str,
}

impl Enrolment<'_> {
    /// What the page carries. Nothing when the cipher fails.
    pub fn seal(self, key: &SealingKey, secret: &TotpSecret, now: DateTime<Utc>, entropy: Entropy) -> Option<String> {
        let until = (now + LASTS).timestamp();
        Some(format!("{until}.{}", key.seal(secret, &self.purpose(until), entropy)?))
    }

    /// The secret of a page that came back in time, from the same person in the same session.
    pub fn open(self, key: &SealingKey, sealed: &str, now: DateTime<Utc>) -> Option<TotpSecret> {
        let (until, sealed) = sealed.split_once('.')?;
        let until = until.parse().ok().filter(|until| now.timestamp() < *until)?;
        key.open(sealed, &self.purpose(until))
    }

    fn purpose(self, until: i64) -> String {
        format!("enrolment of {} in {} until {until}", self.user_id, self.session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Secret;

    #[test]
    fn a_page_is_good_for_half_an_hour_for_one_person_in_one_session() {
        let (key, secret) = (SealingKey::of(&Secret::new("one")), TotpSecret::new(Entropy));
        let start = DateTime::from_timestamp(1_780_000_000, 0).unwrap();
        let ada = Enrolment { user_id: 7, session: "abc" };
        let page = ada.seal(&key, &secret, start, Entropy).unwrap();
        let open = |who: Enrolment, page: &str, minutes| who.open(&key, page, start + TimeDelta::minutes(minutes));
        assert!(open(ada, &page, 29) == Some(secret));
        assert!(open(ada, &page, 30).is_none());
        assert!(open(Enrolment { user_id: 8, ..ada }, &page, 0).is_none());
        assert!(open(Enrolment { session: "abd", ..ada }, &page, 0).is_none());
        let later = page.replacen("17800", "17801", 1);
        assert!(later != page && open(ada, &later, 0).is_none(), "the end can be changed");
        for broken in ["", ".", "1", "x.y", "99999999999999999999.a", &page.replacen('.', "", 1)] {
            assert!(open(ada, broken, 0).is_none(), "{broken}");
        }
    }
}

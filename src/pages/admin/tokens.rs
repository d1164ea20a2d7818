//! `/admin/tokens`: with what programs read the list of subscribers.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;
use chrono::{DateTime, Days, Utc};

use super::asked::{self, Choice, REASON_MAX};
use crate::{
    auth::{
        api_token::new_token,
        guard::Admin,
        token::{random_id, token_hash},
    },
    domain::text,
    error::Error,
    pages::{
        form::FieldErrors,
        frame::Frame,
        moment::Moment,
        posted::Posted,
        site::{Site, page, page_with},
    },
    staff::{self, By},
    store::{
        api_tokens::{self, ApiToken, NewApiToken},
        sessions::SignedIn,
        users::User,
    },
};

/// So many letters can name a token.
const NAME_MAX: usize = 80;

/// For how many days a token can be made: what the form sends, and what it is called. Nothing is for ever.
const LIVES: [(&str, Option<u64>, &str); 4] = [
    ("30", Some(30), "admin-token-days-30"),
    ("90", Some(90), "admin-token-days-90"),
    ("365", Some(365), "admin-token-days-365"),
    ("never", None, "admin-token-days-none"),
];

/// What is chosen unless somebody chooses.
const USUAL_LIFE: &str = "90";

/// The page.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/admin/tokens.html")]
pub struct Tokens {
    /// Around the page.
    pub frame: Frame,
    /// The token that was made just now, with its name: it is shown this once.
    pub made: Option<(String, String)>,
    /// A token was revoked just now.
    pub revoked: bool,
    /// Those that there are, the newest first.
    pub lines: Vec<TokenLine>,
    /// What was typed as the name of a new one.
    pub typed_name: String,
    /// How long it shall work.
    pub lives: Vec<Choice>,
    /// What was typed as the reason.
    pub reason: String,
    /// What was wrong. Names: `name`, `expires`, `reason`.
    pub errors: FieldErrors,
}

/// One token.
#[derive(Clone, Debug)]
pub struct TokenLine {
    /// By what it is named.
    pub id: String,
    /// What it is for.
    pub name: String,
    /// What it may.
    pub scope: String,
    /// Who made it.
    pub made_by: String,
    /// When.
    pub made: Moment,
    /// From when on it no longer works, if ever.
    pub expires: Option<Moment>,
    /// When it was last used.
    pub used: Option<Moment>,
    /// Whether it works.
    pub standing: Standing,
}

/// Whether a token works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It does.
    Works,
    /// Its time is over.
    Expired,
    /// It was revoked.
    Revoked,
    /// Whoever made it is no admin any more.
    NoAdmin,
}

impl Standing {
    fn of(token: &ApiToken, has_admin: bool, now: DateTime<Utc>) -> Self {
        if token.revoked_at.is_some() {
            Self::Revoked
        } else if token.expires_at.is_some_and(|at| at <= now) {
            Self::Expired
        } else if has_admin {
            Self::Works
        } else {
            Self::NoAdmin
        }
    }

    /// The key of the word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Works => "admin-token-works",
            Self::Expired => "admin-token-expired",
            Self::Revoked => "admin-token-revoked",
            Self::NoAdmin => "admin-token-no-admin",
        }
    }
}

/// All tokens, and a form for another one.
///
/// # Errors
/// The reader is no admin, or the template or the database failed.
pub async fn show(site: web::Data<Site>, request: HttpRequest, Admin(reader): Admin) -> Result<HttpResponse, Error> {
    let revoked = request.query_string() == "revoked";
    page(&Tokens { revoked, ..tokens(&site, &request, &reader).await? })
}

/// Makes a token and shows it, this once. The answer is no redirect: a token stands in no address.
///
/// # Errors
/// As [`show`].
pub async fn make(
    site: web::Data<Site>,
    request: HttpRequest,
    Admin(reader): Admin,
    posted: Posted,
) -> Result<HttpResponse, Error> {
    let words = site.frame(&request, Some(&reader)).words;
    let (now, mut errors) = (site.clock.now(), FieldErrors::new());
    let name = errors.noted(words, "name", name(posted.raw("name")));
    let expires_at = errors.noted(words, "expires", expiry(posted.raw("expires"), now));
    let reason = asked::reason(&posted, words, &mut errors);
    let (Some(name), Some(expires_at), true) = (name, expires_at, errors.is_empty()) else {
        let page = tokens(&site, &request, &reader).await?;
        let typed = Tokens {
            typed_name: posted.shown("name", NAME_MAX),
            lives: lives(&page.frame, posted.raw("expires")),
            reason: posted.shown("reason", REASON_MAX),
            errors,
            ..page
        };
        return page_with(StatusCode::UNPROCESSABLE_ENTITY, &typed);
    };
    let token = new_token(site.entropy);
    let new = NewApiToken {
        public_id: random_id("tok", site.entropy),
        token_hash: token_hash(&token),
        name: name.clone(),
        made_by: reader.user.public_id.clone(),
        expires_at,
    };
    tracing::info!(by = %reader.user.public_id, token = %new.public_id, "a token for a program is made");
    let by = by(&site, &request, &reader, reason);
    site.store.write(move |conn| staff::make_token(conn, &new, by, now)).await?;
    page(&Tokens { made: Some((name, token)), ..tokens(&site, &request, &reader).await? })
}

/// Who does it.
pub(super) fn by(site: &Site, request: &HttpRequest, reader: &SignedIn, reason: String) -> By {
    By { actor: reader.user.public_id.clone(), origin: site.client_address(request).to_string(), reason }
}

fn name(typed: &str) -> Result<String, &'static str> {
    let name = typed.trim();
    if name.chars().all(|c| c.is_whitespace() || text::is_invisible(c)) {
        Err("admin-token-name-missing")
    } else if name.chars().count() > NAME_MAX {
        Err("admin-token-name-long")
    } else if name.chars().any(|c| text::is_control(c) || text::turns_direction(c)) {
        Err("forms-control")
    } else {
        Ok(name.to_owned())
    }
}

fn expiry(chosen: &str, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, &'static str> {
    let (_, days, _) = LIVES.into_iter().find(|(word, ..)| *word == chosen).ok_or("admin-token-days-wrong")?;
    days.map(|days| now.checked_add_days(Days::new(days)).ok_or("admin-token-days-wrong")).transpose()
}

fn lives(frame: &Frame, chosen: &str) -> Vec<Choice> {
    let choice = |(word, _, label): (&str, _, _)| Choice {
        value: word.to_owned(),
        label: frame.say(label).into(),
        chosen: word == chosen,
    };
    LIVES.into_iter().map(choice).collect()
}

async fn tokens(site: &Site, request: &HttpRequest, reader: &SignedIn) -> Result<Tokens, Error> {
    let found = site.store.read(api_tokens::list).await?;
    let frame = site.frame(request, Some(reader));
    Ok(Tokens {
        made: None,
        revoked: false,
        lines: found.into_iter().map(|(token, email)| line(site, &reader.user, token, email)).collect(),
        typed_name: String::new(),
        lives: lives(&frame, USUAL_LIFE),
        reason: String::new(),
        errors: FieldErrors::new(),
        frame,
    })
}

fn line(site: &Site, reader: &User, token: ApiToken, email: Option<String>) -> TokenLine {
    TokenLine {
        standing: Standing::of(&token, email.is_some(), site.clock.now()),
        id: token.public_id,
        name: token.name,
        scope: token.scope,
        made_by: email.unwrap_or(token.made_by),
        made: site.moment(token.created_at, reader),
        expires: token.expires_at.map(|at| site.moment(at, reader)),
        used: token.used_at.map(|at| site.moment(at, reader)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_that_can_be_read() {
        let long = "a".repeat(81);
        for (typed, wrong) in [
            ("", "admin-token-name-missing"),
            (" \u{200b} ", "admin-token-name-missing"),
            (&long, "admin-token-name-long"),
            ("a\nb", "forms-control"),
            ("a\0b", "forms-control"),
            ("a\u{202e}b", "forms-control"),
        ] {
            assert_eq!(name(typed), Err(wrong), "{typed:?}");
        }
        let longest = "é".repeat(80);
        for typed in ["1", "  newsletter\t", &longest, "通讯"] {
            assert_eq!(name(typed).as_deref(), Ok(typed.trim()), "{typed:?}");
        }
    }

    #[test]
    fn a_token_ends_after_the_days_that_were_chosen() {
        let now: DateTime<Utc> = "2026-08-31T10:15:30Z".parse().unwrap();
        for wrong in ["", "0", "-1", "31", "9223372036854775807", "90 ", "Never"] {
            assert_eq!(expiry(wrong, now), Err("admin-token-days-wrong"), "{wrong:?}");
        }
        assert_eq!(expiry("30", now), Ok(Some("2026-09-30T10:15:30Z".parse().unwrap())));
        assert_eq!(expiry("90", now), Ok(Some("2026-11-29T10:15:30Z".parse().unwrap())));
        assert_eq!(expiry("365", now), Ok(Some("2027-08-31T10:15:30Z".parse().unwrap())));
        assert_eq!(expiry("never", now), Ok(None));
    }
}

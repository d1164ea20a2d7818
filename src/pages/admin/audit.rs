//! `/admin/audit`: who did what to whom, when, why, and from where.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};
use url::form_urlencoded;

use super::{
    action::label,
    asked::{Choice, asked, before, choices, cut, one_of, short},
    csv_file::{self, AT_A_TIME, Batch, instant, last_of_full, safe},
};
use crate::{
    auth::guard::{Admin, Staff},
    error::Error,
    pages::{
        frame::Frame,
        moment::Moment,
        site::{Site, page},
    },
    staff::{Action, MAKE_TOKEN, REVOKE_TOKEN},
    store::{
        Store, StoreError,
        audit::{self, AuditEntry, AuditFilter, AuditOutcome},
    },
};

/// So many lines are on a page.
const SHOWN: i64 = 50;

const COLUMNS: [&str; 8] = ["at", "actor", "origin", "action", "subject", "reason", "outcome", "detail"];

/// One line.
#[derive(Clone, Debug)]
pub struct AuditLine {
    /// When.
    pub at: Moment,
    /// What was done.
    pub entry: AuditEntry,
}

/// The page.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/admin/audit.html")]
pub struct Audit {
    /// Around the page.
    pub frame: Frame,
    /// What was done.
    pub actions: Vec<Choice>,
    /// What became of it.
    pub outcomes: Vec<Choice>,
    /// Who did it, as typed.
    pub actor: String,
    /// To whom, as typed.
    pub subject: String,
    /// The lines, the newest first.
    pub lines: Vec<AuditLine>,
    /// The same as a file.
    pub csv: Option<String>,
    /// The next page.
    pub next: Option<String>,
}

/// The log.
///
/// # Errors
/// The reader is no staff, a filter does not exist, or the template or the database failed.
pub async fn show(site: web::Data<Site>, request: HttpRequest, Staff(reader): Staff) -> Result<HttpResponse, Error> {
    let filter = filter(&request)?;
    let (before, wanted) = (before(&request)?, filter.clone());
    let mut found = site.store.read(move |conn| audit::list(conn, &wanted, before, SHOWN + 1)).await?;
    let has_more = cut(&mut found, SHOWN);
    let address = address(&filter);
    let frame = site.frame(&request, Some(&reader));
    let chosen = words().find(|(word, _)| filter.action.as_deref() == Some(word));
    page(&Audit {
        actions: choices(&frame, words(), chosen, |(word, _)| word, |(_, label)| label),
        outcomes: choices(&frame, AuditOutcome::ALL, filter.outcome, AuditOutcome::as_str, outcome_label),
        actor: filter.actor.clone().unwrap_or_default(),
        subject: filter.subject.clone().unwrap_or_default(),
        next: found.last().filter(|_| has_more).map(|(id, ..)| format!("/admin/audit?{address}&before={id}")),
        lines: found.into_iter().map(|(_, at, entry)| AuditLine { at: site.moment(at, &reader.user), entry }).collect(),
        csv: reader.user.role.is_admin().then(|| format!("/admin/audit.csv?{address}")),
        frame,
    })
}

fn filter(request: &HttpRequest) -> Result<AuditFilter, Error> {
    let action = one_of(asked(request, "action"), words(), |(word, _)| word)?;
    Ok(AuditFilter {
        actor: short(asked(request, "actor"))?,
        action: action.map(|(word, _)| word.to_owned()),
        subject: short(asked(request, "subject"))?,
        outcome: one_of(asked(request, "outcome"), AuditOutcome::ALL, AuditOutcome::as_str)?,
    })
}

/// The words of all actions, and the keys of what they are called.
fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    let more = [
        ("replay", "admin-replay"),
        ("role", "admin-role"),
        (MAKE_TOKEN, "admin-token-make"),
        (REVOKE_TOKEN, "admin-token-revocation"),
    ];
    Action::ALL.into_iter().map(|action| (action.as_str(), label(action))).chain(more)
}

fn outcome_label(outcome: AuditOutcome) -> &'static str {
    match outcome {
        AuditOutcome::Begun => "admin-audit-begun",
        AuditOutcome::Made => "admin-audit-made",
        AuditOutcome::Refused => "admin-audit-refused",
        AuditOutcome::Failed => "admin-audit-failed",
    }
}

fn address(filter: &AuditFilter) -> String {
    let mut pairs = form_urlencoded::Serializer::new(String::new());
    let all = [
        ("actor", filter.actor.as_deref()),
        ("action", filter.action.as_deref()),
        ("subject", filter.subject.as_deref()),
        ("outcome", filter.outcome.map(AuditOutcome::as_str)),
    ];
    for (name, value) in all {
        if let Some(value) = value {
            pairs.append_pair(name, value);
        }
    }
    pairs.finish()
}

/// The log as a file, the newest first.
///
/// # Errors
/// The person is no admin, or a filter does not exist. When the database fails later, the connection is cut.
pub async fn file(site: web::Data<Site>, request: HttpRequest, Admin(_): Admin) -> Result<HttpResponse, Error> {
    let (first, store) = ((filter(&request)?, None), site.store.clone());
    Ok(csv_file::answer("audit.csv", &COLUMNS, first, move |place| batch(store.clone(), place)))
}

/// A filter, and the row before which the next lines begin.
type Place = (AuditFilter, Option<i64>);

async fn batch(store: Store, (filter, before): Place) -> Result<Batch<Place>, StoreError> {
    let wanted = filter.clone();
    let found = store.read(move |conn| audit::list(conn, &wanted, before, AT_A_TIME)).await?;
    let rest = last_of_full(&found).map(|(id, ..)| (filter, Some(*id)));
    Ok((found.iter().map(|(_, at, one)| cells(*at, one)).collect(), rest))
}

fn cells(at: DateTime<Utc>, one: &AuditEntry) -> Vec<String> {
    vec![
        instant(at),
        safe(&one.actor),
        safe(&one.origin),
        safe(&one.action),
        safe(one.subject.as_deref().unwrap_or_default()),
        safe(&one.reason),
        one.outcome.as_str().to_owned(),
        safe(one.detail.as_deref().unwrap_or_default()),
    ]
}

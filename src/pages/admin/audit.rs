//! `/admin/audit`: who did what to whom, when, why, and from where.

use actix_web::{HttpRequest, HttpResponse, http::header, web};
use askama::Template;
use chrono::{DateTime, SecondsFormat, Utc};
use url::form_urlencoded;

use super::{action::label, subscribers::Choice};
use crate::{
    auth::guard::{Admin, Staff},
    error::Error,
    pages::{
        admin::subscribers_csv::safe,
        frame::Frame,
        moment::Moment,
        site::{Site, page, query},
    },
    staff::Action,
    store::{
        Store,
        audit::{self, AuditEntry, AuditFilter, AuditOutcome},
    },
};

/// So many lines are on a page, ...
const SHOWN: i64 = 50;
/// ... and so many are read at a time for the file.
const AT_A_TIME: i64 = 500;

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
    let before = match query(&request, "before").filter(|text| !text.is_empty()) {
        None => None,
        Some(text) => Some(text.parse().map_err(|_| Error::BadRequest("admin-unknown-place"))?),
    };
    let wanted = filter.clone();
    let mut found = site.store.read(move |conn| audit::list(conn, &wanted, before, SHOWN + 1)).await?;
    let has_more = found.len() > usize::try_from(SHOWN).unwrap_or(usize::MAX);
    found.truncate(usize::try_from(SHOWN).unwrap_or(usize::MAX));
    let address = address(&filter);
    let frame = site.frame(&request, Some(&reader));
    page(&Audit {
        actions: actions(&frame, filter.action.as_deref()),
        outcomes: outcomes(&frame, filter.outcome),
        actor: filter.actor.clone().unwrap_or_default(),
        subject: filter.subject.clone().unwrap_or_default(),
        next: found.last().filter(|_| has_more).map(|(id, ..)| format!("/admin/audit?{address}&before={id}")),
        lines: found.into_iter().map(|(_, at, entry)| AuditLine { at: site.moment(at, &reader.user), entry }).collect(),
        csv: (reader.user.role == crate::domain::user::Role::Admin).then(|| format!("/admin/audit.csv?{address}")),
        frame,
    })
}

fn filter(request: &HttpRequest) -> Result<AuditFilter, Error> {
    let unknown = || Error::BadRequest("admin-unknown-filter");
    let asked = |name| match query(request, name).filter(|value| !value.is_empty() && value != "any") {
        Some(text) if text.contains('\0') || text.len() > 200 => Err(unknown()),
        text => Ok(text),
    };
    let outcome = match asked("outcome")? {
        None => None,
        Some(word) => Some(AuditOutcome::ALL.into_iter().find(|one| one.as_str() == word).ok_or_else(unknown)?),
    };
    let action = asked("action")?;
    if action.as_deref().is_some_and(|asked| words().all(|(word, _)| word != asked)) {
        return Err(unknown());
    }
    Ok(AuditFilter { actor: asked("actor")?, action, subject: asked("subject")?, outcome })
}

/// The words of all actions, and the keys of what they are called.
fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    let more = [("replay", "admin-replay"), ("role", "admin-role")];
    Action::ALL.into_iter().map(|action| (action.as_str(), label(action))).chain(more)
}

fn actions(frame: &Frame, chosen: Option<&str>) -> Vec<Choice> {
    let choice = |(word, key): (&str, &'static str)| Choice {
        value: word.to_owned(),
        label: frame.say(key).into(),
        chosen: chosen == Some(word),
    };
    words().map(choice).collect()
}

fn outcomes(frame: &Frame, chosen: Option<AuditOutcome>) -> Vec<Choice> {
    let label = |outcome| match outcome {
        AuditOutcome::Begun => "admin-audit-begun",
        AuditOutcome::Made => "admin-audit-made",
        AuditOutcome::Refused => "admin-audit-refused",
        AuditOutcome::Failed => "admin-audit-failed",
    };
    let choice = |one: AuditOutcome| Choice {
        value: one.as_str().to_owned(),
        label: frame.say(label(one)).into(),
        chosen: chosen == Some(one),
    };
    AuditOutcome::ALL.map(choice).into()
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

/// The log as a file, the newest first, written while it is read.
///
/// # Errors
/// The person is no admin, or a filter does not exist. When the database fails later, the connection is cut.
pub async fn file(site: web::Data<Site>, request: HttpRequest, Admin(_): Admin) -> Result<HttpResponse, Error> {
    let state = Some((filter(&request)?, None));
    let store = site.store.clone();
    let lines = futures_util::stream::try_unfold((state, true), move |(state, is_first)| {
        let store = store.clone();
        async move {
            let Some((filter, before)) = state else { return Ok::<_, actix_web::Error>(None) };
            let (found, rest) = batch(&store, filter, before).await.map_err(Error::from)?;
            let bytes = super::subscribers_csv::table(
                is_first.then_some(&COLUMNS[..]),
                found.iter().map(|(_, at, one)| cells(*at, one)),
            );
            Ok(Some((bytes.map_err(actix_web::error::ErrorInternalServerError)?, (rest, false))))
        }
    });
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"audit.csv\""))
        .insert_header((header::CACHE_CONTROL, "private, no-store"))
        .streaming(Box::pin(lines)))
}

type Batch = (Vec<(i64, DateTime<Utc>, AuditEntry)>, Option<(AuditFilter, Option<i64>)>);

async fn batch(store: &Store, filter: AuditFilter, before: Option<i64>) -> Result<Batch, crate::store::StoreError> {
    let wanted = filter.clone();
    let found = store.read(move |conn| audit::list(conn, &wanted, before, AT_A_TIME)).await?;
    let is_full = found.len() >= usize::try_from(AT_A_TIME).unwrap_or_default();
    let rest = found.last().filter(|_| is_full).map(|(id, ..)| (filter, Some(*id)));
    Ok((found, rest))
}

fn cells(at: DateTime<Utc>, one: &AuditEntry) -> Vec<String> {
    vec![
        at.to_rfc3339_opts(SecondsFormat::AutoSi, true),
        safe(&one.actor),
        safe(&one.origin),
        safe(&one.action),
        safe(one.subject.as_deref().unwrap_or_default()),
        safe(&one.reason),
        one.outcome.as_str().to_owned(),
        safe(one.detail.as_deref().unwrap_or_default()),
    ]
}

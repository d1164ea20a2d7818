//! `/admin/events`: what Stripe told us, and what became of it.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};
use url::form_urlencoded;

use super::{
    asked::{self, Choice, asked, before, choices, cut, one_of, short},
    why::instant,
};
use crate::{
    auth::guard::{Admin, Staff},
    billing::journal::HEARD,
    error::Error,
    pages::{
        frame::Frame,
        moment::Moment,
        site::{Site, page, query, see_other},
    },
    store::{
        audit::{self, AuditEntry, AuditOutcome},
        journal::{self, JournalFilter, JournalLine, KeptEvent},
        sessions::SignedIn,
        users::User,
        webhook_events::Outcome,
    },
};

/// So many events are on a page.
const SHOWN: i64 = 50;
/// So many failed ones are tried again at once.
const AT_ONCE: i64 = 200;

/// One event of the list.
#[derive(Clone, Debug)]
pub struct EventLine {
    /// Stripe's id.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// When it came.
    pub at: Moment,
    /// What became of it, in the word of the data.
    pub outcome: &'static str,
    /// Why.
    pub detail: String,
}

/// A type of events, and when one last came.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The type.
    pub kind: &'static str,
    /// When one last came, if ever.
    pub last: Option<Moment>,
}

/// The list.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/admin/events.html")]
pub struct Events {
    /// Around the page.
    pub frame: Frame,
    /// What became of them.
    pub outcomes: Vec<Choice>,
    /// Their types.
    pub kinds: Vec<Choice>,
    /// The public id of a person, as typed.
    pub person: String,
    /// From when and until when, as typed.
    pub span: (String, String),
    /// Those that wait for attention: the outcome, and how many, counted up to a hundred.
    pub waiting: Vec<(&'static str, i64)>,
    /// The events.
    pub lines: Vec<EventLine>,
    /// When each type last came.
    pub heard: Vec<Heard>,
    /// The next page.
    pub next: Option<String>,
    /// The reader may have them tried again.
    pub may_replay: bool,
    /// How many were tried again a moment ago.
    pub replayed: Option<String>,
}

/// One event.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/admin/event.html")]
pub struct EventPage {
    /// Around the page.
    pub frame: Frame,
    /// The event.
    pub line: EventLine,
    /// When Stripe made it.
    pub created: Moment,
    /// How often it was tried.
    pub attempts: i64,
    /// The page of the person whose it is.
    pub person: Option<String>,
    /// Before → after.
    pub change: Option<String>,
    /// Its text as it came, if that is kept.
    pub payload: Option<String>,
    /// The reader may have it tried again.
    pub may_replay: bool,
}

/// The list.
///
/// # Errors
/// The reader is no staff, a filter does not exist, or the template or the database failed.
pub async fn list(site: web::Data<Site>, request: HttpRequest, Staff(reader): Staff) -> Result<HttpResponse, Error> {
    let (filter, before) = (filter(&request, &reader.user)?, before(&request)?);
    let wanted = filter.clone();
    let (mut lines, waiting, heard) = site
        .store
        .read(move |conn| {
            let mut waiting = Vec::new();
            for outcome in [Outcome::Failed, Outcome::Unmatched] {
                let filter = JournalFilter { outcome: Some(outcome), ..JournalFilter::default() };
                let count = journal::list(conn, &filter, None, 100)?.len();
                waiting.push((outcome.as_str(), i64::try_from(count).unwrap_or(100)));
            }
            let mut heard = Vec::new();
            for kind in HEARD {
                heard.push((kind, journal::last_of(conn, kind)?));
            }
            Ok((journal::list(conn, &wanted, before, SHOWN + 1)?, waiting, heard))
        })
        .await?;
    let has_more = cut(&mut lines, SHOWN);
    let moment = |at: DateTime<Utc>| site.moment(at, &reader.user);
    let frame = site.frame(&request, Some(&reader));
    page(&Events {
        outcomes: choices(&frame, Outcome::ALL, filter.outcome, Outcome::as_str, outcome_label),
        kinds: HEARD.iter().map(|kind| choice(kind, filter.event_type.as_deref() == Some(kind))).collect(),
        person: filter.person.clone().unwrap_or_default(),
        span: ["since", "until"].map(|name| asked(&request, name).unwrap_or_default()).into(),
        waiting: waiting.into_iter().filter(|(_, count)| *count > 0).collect(),
        next: lines.last().filter(|_| has_more).map(|last| next(&request, last.id)),
        lines: lines.iter().map(|one| line(one, &moment)).collect(),
        heard: heard.into_iter().map(|(kind, last)| Heard { kind, last: last.map(moment) }).collect(),
        may_replay: reader.user.role.is_admin(),
        replayed: query(&request, "replayed").filter(|count| count.parse::<u32>().is_ok()),
        frame,
    })
}

fn outcome_label(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pending => "admin-outcome-pending",
        Outcome::Applied => "admin-outcome-applied",
        Outcome::Stale => "admin-outcome-stale",
        Outcome::Ignored => "admin-outcome-ignored",
        Outcome::Unmatched => "admin-outcome-unmatched",
        Outcome::Failed => "admin-outcome-failed",
    }
}

fn filter(request: &HttpRequest, reader: &User) -> Result<JournalFilter, Error> {
    let at = |name| match asked(request, name) {
        None => Ok(None),
        Some(typed) => instant(&typed, reader).map(Some).ok_or(Error::BadRequest("admin-unknown-moment")),
    };
    Ok(JournalFilter {
        outcome: one_of(asked(request, "outcome"), Outcome::ALL, Outcome::as_str)?,
        event_type: short(asked(request, "type"))?,
        person: short(asked(request, "person"))?,
        since: at("since")?,
        until: at("until")?,
    })
}

fn choice(word: &str, chosen: bool) -> Choice {
    Choice { value: word.to_owned(), label: word.to_owned(), chosen }
}

fn line(one: &JournalLine, moment: &impl Fn(DateTime<Utc>) -> Moment) -> EventLine {
    EventLine {
        id: one.event_id.clone(),
        kind: one.event_type.clone(),
        at: moment(one.received_at),
        outcome: one.outcome.as_str(),
        detail: one.detail.clone().unwrap_or_default(),
    }
}

/// The same list, further back.
fn next(request: &HttpRequest, before: i64) -> String {
    let kept = form_urlencoded::parse(request.query_string().as_bytes())
        .filter(|(name, _)| name != "before" && name != "replayed");
    let mut pairs = form_urlencoded::Serializer::new(String::new());
    pairs.extend_pairs(kept).append_pair("before", &before.to_string());
    format!("/admin/events?{}", pairs.finish())
}

/// One event, with all that is kept of it.
///
/// # Errors
/// The reader is no staff, there is no such event, or the template or the database failed.
pub async fn show(
    site: web::Data<Site>,
    request: HttpRequest,
    Staff(reader): Staff,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let id = asked::id(&id)?;
    let KeptEvent { line: one, payload, person } =
        site.store.read(move |conn| journal::one(conn, &id)).await?.ok_or(Error::NotFound)?;
    let moment = |at: DateTime<Utc>| site.moment(at, &reader.user);
    page(&EventPage {
        line: line(&one, &moment),
        created: moment(one.created_at),
        attempts: one.attempts,
        person: person.map(|id| format!("/admin/subscribers/{id}")),
        change: one.change.as_deref().map(pretty),
        may_replay: payload.is_some() && reader.user.role.is_admin(),
        payload: payload.as_deref().map(pretty),
        frame: site.frame(&request, Some(&reader)),
    })
}

fn pretty(json: &str) -> String {
    let read: Result<serde_json::Value, _> = serde_json::from_str(json);
    read.and_then(|value| serde_json::to_string_pretty(&value)).unwrap_or_else(|_| json.to_owned())
}

/// Applies one event again. What it says counts once, however often it is asked for.
///
/// # Errors
/// The person is no admin, there is no such event or its text is gone, or it failed again.
pub async fn replay(
    site: web::Data<Site>,
    request: HttpRequest,
    Admin(reader): Admin,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let id = asked::id(&id)?;
    let outcome = site.billing.replay(&id).await;
    let (logged, detail) = match &outcome {
        Ok(Some(outcome)) => (AuditOutcome::Made, Some(outcome.as_str().to_owned())),
        Ok(None) => (AuditOutcome::Refused, None),
        Err(_) => (AuditOutcome::Failed, None),
    };
    write_down(&site, &request, &reader, (&id, logged, detail)).await?;
    outcome?.ok_or(Error::NotFound)?;
    Ok(see_other(&format!("/admin/events/{id}")))
}

/// Tries all failed ones again.
///
/// # Errors
/// The person is no admin, or the database failed.
pub async fn replay_failed(
    site: web::Data<Site>,
    request: HttpRequest,
    Admin(reader): Admin,
) -> Result<HttpResponse, Error> {
    let filter = JournalFilter { outcome: Some(Outcome::Failed), ..JournalFilter::default() };
    let mut failed = site.store.read(move |conn| journal::list(conn, &filter, None, AT_ONCE)).await?;
    // In the order in which they came.
    failed.reverse();
    let mut applied = 0;
    for one in failed {
        applied += u32::from(site.billing.retry(one.event_id).await?);
    }
    write_down(&site, &request, &reader, ("all failed", AuditOutcome::Made, Some(applied.to_string()))).await?;
    Ok(see_other(&format!("/admin/events?replayed={applied}")))
}

async fn write_down(
    site: &Site,
    request: &HttpRequest,
    reader: &SignedIn,
    (what, outcome, detail): (&str, AuditOutcome, Option<String>),
) -> Result<(), Error> {
    let entry = AuditEntry {
        actor: reader.user.public_id.clone(),
        origin: site.client_address(request).to_string(),
        action: "replay".to_owned(),
        subject: None,
        reason: what.to_owned(),
        outcome,
        detail,
    };
    let now = site.clock.now();
    site.store.write(move |conn| audit::insert(conn, &entry, now)).await?;
    Ok(())
}

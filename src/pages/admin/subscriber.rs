//! `/admin/subscribers/{id}`: one person, and why premium pages are open or closed for them.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::{DateTime, NaiveDateTime, TimeZone, Utc};

use super::{asked, subscribers::kind_word};
use crate::{
    auth::guard::Staff,
    domain::{
        access::{Access, premium_access},
        subscription::Subscription,
        user::Role,
    },
    error::Error,
    pages::{
        account::plan_name,
        frame::Frame,
        moment::Moment,
        payments::{PaymentState, Payments, payments_of},
        site::{Site, page, query},
        status::{Badge, Explained, Reason},
    },
    staff::Action,
    store::{
        Conn, StoreError,
        audit::{self, AuditEntry, AuditFilter},
        journal::{self, JournalFilter, JournalLine},
        mails, roster, sessions,
        sessions::SignedIn,
        subscribers::{self, Subscriber},
        subscriptions,
        users::{self, User},
    },
};

/// So many events, mails and entries are shown.
const SHOWN: i64 = 20;

/// A subscription, and what the rule says of it at one instant.
#[derive(Clone, Debug)]
pub struct Source {
    /// The key of the word for where it comes from.
    pub kind: &'static str,
    /// The plan's name.
    pub plan: Option<String>,
    /// The effective status.
    pub badge: Badge,
    /// What Stripe says, in its own word.
    pub provider_status: Option<String>,
    /// Stripe's id.
    pub provider_id: Option<String>,
    /// The first and the last moment of its period.
    pub period: Option<(Moment, Moment)>,
    /// The moment at which the rule stops giving access for it.
    pub access_end: Option<Moment>,
    /// It gives access at that instant.
    pub gives: bool,
    /// An end is set.
    pub ends: bool,
}

/// The decision at one instant, with what it was made of.
#[derive(Clone, Debug)]
pub struct Why {
    /// The instant.
    pub at: Moment,
    /// It is another one than now.
    pub is_asked: bool,
    /// Open, until when, and whether it goes on then; or the reason why not.
    pub decision: Result<(Moment, bool), Reason>,
    /// The key of the word for what opens it.
    pub by: Option<&'static str>,
    /// Every source of access.
    pub sources: Vec<Source>,
    /// How many hours a payment that failed keeps access.
    pub grace_hours: i64,
    /// Whether the address has to be confirmed.
    pub confirmed_only: bool,
}

/// A line beside a moment.
#[derive(Clone, Debug)]
pub struct Happened {
    /// When.
    pub at: Moment,
    /// What, in the word of the data.
    pub what: String,
    /// What became of it, in the word of the data.
    pub outcome: String,
    /// More of it.
    pub detail: String,
}

/// The page.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/admin/subscriber.html")]
pub struct SubscriberPage {
    /// Around the page.
    pub frame: Frame,
    /// The person.
    pub name: String,
    /// The random id, for links.
    pub id: String,
    /// As in the list.
    pub line: Subscriber,
    /// The effective status now.
    pub badge: Badge,
    /// When the account was made.
    pub signed_up: Moment,
    /// Since when an admin keeps the person out.
    pub locked: Option<Moment>,
    /// Since when a second factor is asked for.
    pub second_factor: Option<Moment>,
    /// The role, if it is not the ordinary one.
    pub role: Option<&'static str>,
    /// Why premium pages are open or closed.
    pub why: Why,
    /// What was typed as the instant, if it is none.
    pub wrong_moment: Option<String>,
    /// What can be done: the word in the address, and the key of the label.
    pub actions: Vec<(&'static str, &'static str)>,
    /// What was paid.
    pub payments: Payments,
    /// What Stripe told.
    pub events: Vec<Happened>,
    /// What staff did.
    pub entries: Vec<Happened>,
    /// Who was told what.
    pub mails: Vec<Happened>,
    /// Since when the person is signed in, and with what browser.
    pub sessions: Vec<Happened>,
    /// An action was carried out a moment ago.
    pub done: bool,
}

impl SubscriberPage {
    fn by_word(&self) -> String {
        self.why.by.map(|key| self.frame.say(key).into()).unwrap_or_default()
    }
}

/// All that the page is made of.
struct Known {
    user: User,
    subscriptions: Vec<Subscription>,
    line: Subscriber,
    events: Vec<JournalLine>,
    mails: Vec<mails::Listed>,
    sessions: Vec<sessions::Listed>,
    entries: Vec<(i64, DateTime<Utc>, AuditEntry)>,
}

/// The person's page.
///
/// # Errors
/// The reader is no staff, there is no such person, or the template or the database failed.
pub async fn show(
    site: web::Data<Site>,
    request: HttpRequest,
    Staff(reader): Staff,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let now = site.clock.now();
    roster::bring_up_to_date(&site.store, site.policy, now).await?;
    let id = asked::id(&id)?;
    let known = site.store.read(move |conn| known(conn, &id, now)).await?.ok_or(Error::NotFound)?;
    let (frame, moment) = (site.frame(&request, Some(&reader)), |at| site.moment(at, &reader.user));
    let typed = query(&request, "at").filter(|typed| !typed.is_empty());
    let asked = typed.as_deref().map(|typed| instant(typed, &reader.user));
    let user = &known.user;
    let as_read =
        User { time_zone: reader.user.time_zone.clone(), language: reader.user.language.clone(), ..user.clone() };
    let payments = payments_of(&site, &SignedIn { user: as_read, subscriptions: known.subscriptions.clone() }).await?;
    let happened = |at, what: &str, outcome: &str, detail: Option<&str>| Happened {
        at: moment(at),
        what: what.to_owned(),
        outcome: outcome.to_owned(),
        detail: detail.unwrap_or_default().to_owned(),
    };
    page(&SubscriberPage {
        name: known.line.name(),
        id: user.public_id.clone(),
        badge: Badge::of_line(known.line.status, known.line.kind),
        signed_up: moment(user.created_at),
        locked: user.locked_at.map(moment),
        second_factor: user.second_factor_at.map(moment),
        role: (user.role != Role::User).then_some(user.role.as_str()),
        why: why(&site, &reader.user, &known, asked.flatten(), now),
        wrong_moment: typed.filter(|_| asked == Some(None)),
        actions: actions(&known, &reader.user),
        events: known
            .events
            .iter()
            .map(|one| {
                let detail = one.change.as_deref().or(one.detail.as_deref());
                happened(one.created_at, &one.event_type, one.outcome.as_str(), detail)
            })
            .collect(),
        entries: known
            .entries
            .iter()
            .map(|(_, at, one)| happened(*at, &one.action, one.outcome.as_str(), Some(&one.reason)))
            .collect(),
        mails: known
            .mails
            .iter()
            .map(|one| {
                let sent = if one.sent_at.is_some() { "sent" } else { "waiting" };
                happened(one.sent_at.unwrap_or(one.queued_at), &one.kind, sent, one.error.as_deref())
            })
            .collect(),
        sessions: known.sessions.iter().map(|one| happened(one.created_at, &one.user_agent, "", None)).collect(),
        done: request.query_string() == "done",
        payments,
        line: known.line,
        frame,
    })
}

fn known(conn: &mut Conn, public_id: &str, now: DateTime<Utc>) -> Result<Option<Known>, StoreError> {
    let Some(user) = users::by_public_id(conn, public_id)?.filter(|user| !user.deleted) else { return Ok(None) };
    let Some(line) = subscribers::one(conn, user.id)? else { return Ok(None) };
    let told = JournalFilter { person: Some(user.public_id.clone()), ..JournalFilter::default() };
    let about = AuditFilter { subject: Some(user.public_id.clone()), ..AuditFilter::default() };
    Ok(Some(Known {
        subscriptions: subscriptions::of_user(conn, user.id)?,
        events: journal::list(conn, &told, None, SHOWN)?,
        mails: mails::of_user(conn, user.id, SHOWN)?,
        sessions: sessions::of_user(conn, user.id, None, now)?,
        entries: audit::list(conn, &about, None, SHOWN)?,
        line,
        user,
    }))
}

/// An instant as somebody types it: RFC 3339, or on the clocks of their own zone.
pub(super) fn instant(typed: &str, reader: &User) -> Option<DateTime<Utc>> {
    if let Ok(at) = DateTime::parse_from_rfc3339(typed) {
        return Some(at.to_utc());
    }
    let formats = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];
    let local = formats.iter().find_map(|format| NaiveDateTime::parse_from_str(typed, format).ok())?;
    // Of an hour that the clocks show twice, the first.
    reader.zone().from_local_datetime(&local).earliest().map(|at| at.to_utc())
}

/// The rule, asked for one instant, with what is known of the subscriptions today (`docs/rules.md §3`).
fn why(site: &Site, reader: &User, known: &Known, asked: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Why {
    let (at, policy) = (asked.unwrap_or(now), &site.policy);
    let moment = |at| site.moment(at, reader);
    let access = premium_access(&known.subscriptions, known.user.email_confirmed, policy, at);
    let (decision, by) = match access {
        Access::Granted { by, until, renews } => (Ok((moment(until), renews)), Some(kind_word(by))),
        Access::Denied { reason } => (Err(reason), None),
    };
    let source = |one: &Subscription| Source {
        kind: kind_word(one.kind),
        plan: one.plan.as_deref().and_then(|key| plan_name(site, key)),
        badge: Badge::of(one.kind, one.effective_status(policy, at)),
        provider_status: one.provider_status.clone(),
        provider_id: one.provider_id.clone(),
        period: one.period.map(|period| (moment(period.start), moment(period.end))),
        access_end: one.access_end(policy).map(moment),
        gives: one.gives_access(policy, at),
        ends: one.has_end_set(),
    };
    Why {
        at: moment(at),
        is_asked: asked.is_some(),
        decision,
        by,
        sources: known.subscriptions.iter().map(source).collect(),
        grace_hours: policy.past_due_grace.num_hours(),
        confirmed_only: policy.confirmed_email_only,
    }
}

/// What makes sense for this person, and what the reader may do.
fn actions(known: &Known, reader: &User) -> Vec<(&'static str, &'static str)> {
    let runs = known.subscriptions.iter().any(Subscription::is_live_at_provider);
    let at_stripe = known.subscriptions.iter().any(|one| one.provider_id.is_some());
    let makes_sense = |action: Action| match action {
        Action::Cancel | Action::Resume => runs,
        Action::Refresh => at_stripe,
        Action::SendConfirmation => !known.user.email_confirmed,
        Action::ResetSecondFactor => known.user.second_factor_at.is_some(),
        Action::SignOut => !known.sessions.is_empty(),
        Action::Lock => known.user.locked_at.is_none(),
        Action::Unlock => known.user.locked_at.is_some(),
        Action::ExtendTrial | Action::GiveMonths | Action::EndGiven => true,
    };
    let may = |action: Action| reader.role.is_admin() || action.is_for_support();
    let all = Action::ALL.into_iter().filter(|action| makes_sense(*action) && may(*action));
    all.map(|action| (action.as_str(), super::action::label(action))).collect()
}

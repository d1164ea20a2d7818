//! `/admin/subscribers/{id}`: one person, and why premium pages are open or closed for them.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};

use super::{
    asked,
    why::{Tense, Weighed, Why, instant, why},
};
use crate::{
    auth::guard::Staff,
    domain::{
        subscription::{AccessPolicy, Subscription},
        user::Role,
    },
    error::Error,
    pages::{
        frame::Frame,
        moment::Moment,
        payments::{PaymentState, Payments, payments_of},
        site::{Site, page, query},
        status::{Badge, Explained},
    },
    staff::Action,
    store::{
        Conn, StoreError,
        audit::{self, AuditEntry, AuditFilter},
        history::Cause,
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
    weighed: Weighed,
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
    let typed = query(&request, "at").filter(|typed| !typed.is_empty());
    let asked = typed.as_deref().map(|typed| instant(typed, &reader.user));
    let (policy, at) = (site.policy, asked.flatten());
    let known = site.store.read(move |conn| known(conn, &id, &policy, at, now)).await?.ok_or(Error::NotFound)?;
    let (frame, moment) = (site.frame(&request, Some(&reader)), |at| site.moment(at, &reader.user));
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
        why: why(&site, &reader.user, &known.weighed),
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

fn known(
    conn: &mut Conn,
    public_id: &str,
    policy: &AccessPolicy,
    at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<Option<Known>, StoreError> {
    let Some(user) = users::by_public_id(conn, public_id)?.filter(|user| !user.deleted) else { return Ok(None) };
    let Some(line) = subscribers::one(conn, user.id)? else { return Ok(None) };
    let told = JournalFilter { person: Some(user.public_id.clone()), ..JournalFilter::default() };
    let about = AuditFilter { subject: Some(user.public_id.clone()), ..AuditFilter::default() };
    let subscriptions = subscriptions::of_user(conn, user.id)?;
    Ok(Some(Known {
        weighed: Weighed::of(conn, &user, &subscriptions, policy, at, now)?,
        subscriptions,
        events: journal::list(conn, &told, None, SHOWN)?,
        mails: mails::of_user(conn, user.id, SHOWN)?,
        sessions: sessions::of_user(conn, user.id, None, now)?,
        entries: audit::list(conn, &about, None, SHOWN)?,
        line,
        user,
    }))
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

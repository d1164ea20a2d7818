//! Why premium pages are open or closed for somebody, at any moment: the rule, what it was asked about, and what made it so.

use chrono::{DateTime, NaiveDateTime, TimeZone, Utc};

use super::subscribers::kind_word;
use crate::{
    domain::{
        access::{Access, deciding, premium_access},
        history::{Version, known_at, learned_last},
        subscription::{AccessPolicy, Subscription},
    },
    pages::{
        account::plan_name,
        moment::Moment,
        site::Site,
        status::{Badge, Reason},
    },
    store::{
        Conn, StoreError, emails,
        history::{self, Cause},
        users::User,
    },
};

/// Where a moment lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tense {
    /// What was known then counts.
    Past,
    /// What is known counts.
    Now,
    /// What is known counts, if nothing happens until then.
    Future,
}

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
    /// Where it lies.
    pub tense: Tense,
    /// Open, until when, and whether it goes on then; or the reason why not.
    pub decision: Result<(Moment, bool), Reason>,
    /// The key of the word for what opens it.
    pub by: Option<&'static str>,
    /// What the decision rests on, and what that was learned from; nothing where there is nothing.
    pub learned: Option<(Moment, Cause)>,
    /// When it ran out, by itself.
    pub ran_out: Option<Moment>,
    /// Every source of access.
    pub sources: Vec<Source>,
    /// How many hours a payment that failed keeps access.
    pub grace_hours: i64,
    /// Whether the address has to be confirmed.
    pub confirmed_only: bool,
}

/// The rule, asked about one person at one moment (`docs/rules.md §3`).
pub(super) struct Weighed {
    at: DateTime<Utc>,
    tense: Tense,
    subscriptions: Vec<Subscription>,
    policy: AccessPolicy,
    access: Access,
    learned: Option<(Version, Cause)>,
}

impl Weighed {
    /// Asks it: for a moment that has passed with what was known then, else with what is known.
    ///
    /// # Errors
    /// The database failed.
    pub(super) fn of(
        conn: &mut Conn,
        user: &User,
        present: &[Subscription],
        policy: &AccessPolicy,
        asked: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Result<Self, StoreError> {
        let (at, past) = (asked.unwrap_or(now), history::of_user(conn, user.id)?);
        let tense = match asked {
            Some(at) if at < now => Tense::Past,
            Some(at) if at > now => Tense::Future,
            _ => Tense::Now,
        };
        let (subscriptions, confirmed) = if tense == Tense::Past {
            (known_at(&past, at), emails::confirmed_at(conn, user.id)?.is_some_and(|then| then <= at))
        } else {
            (present.to_vec(), user.email_confirmed)
        };
        let access = premium_access(&subscriptions, confirmed, policy, at);
        let deciding = deciding(&subscriptions, policy, at);
        let version = deciding.and_then(|one| learned_last(&past, one.id, policy, at.min(now)));
        let learned = match version {
            Some(version) => {
                let kind = version.subscription.kind;
                Some((version.clone(), history::cause(conn, user.id, kind, version.known_from)?))
            }
            None => None,
        };
        Ok(Self { at, tense, subscriptions, policy: *policy, access, learned })
    }
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

/// For the page.
pub(super) fn why(site: &Site, reader: &User, weighed: &Weighed) -> Why {
    let Weighed { at, policy, .. } = weighed;
    let moment = |at| site.moment(at, reader);
    let (decision, by) = match weighed.access {
        Access::Granted { by, until, renews } => (Ok((moment(until), renews)), Some(kind_word(by))),
        Access::Denied { reason } => (Err(reason), None),
    };
    let ran_out = || weighed.learned.as_ref()?.0.subscription.access_end(policy).filter(|end| end <= at);
    let source = |one: &Subscription| Source {
        kind: kind_word(one.kind),
        plan: one.plan.as_deref().and_then(|key| plan_name(site, key)),
        badge: Badge::of(one.kind, one.effective_status(policy, *at)),
        provider_status: one.provider_status.clone(),
        provider_id: one.provider_id.clone(),
        period: one.period.map(|period| (moment(period.start), moment(period.end))),
        access_end: one.access_end(policy).map(moment),
        gives: one.opens(policy, *at),
        ends: one.has_end_set(),
    };
    Why {
        at: moment(*at),
        tense: weighed.tense,
        ran_out: ran_out().filter(|_| decision.is_err()).map(moment),
        decision,
        by,
        learned: weighed.learned.as_ref().map(|(version, cause)| (moment(version.known_from), cause.clone())),
        sources: weighed.subscriptions.iter().map(source).collect(),
        grace_hours: policy.past_due_grace.num_hours(),
        confirmed_only: policy.confirmed_email_only,
    }
}

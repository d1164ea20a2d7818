//! One source of access for one person, and when it stops (`docs/rules.md §1, §3`).

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::gate::{Gate, Opens};

/// Where a subscription came from (`docs/rules.md §1`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Given once at sign-up.
    Trial,
    /// A subscription at Stripe.
    Recurring,
    /// Months bought with one-time payments.
    Prepaid,
    /// Given by an admin.
    Complimentary,
}

/// The business phase, in our five words (`docs/rules.md §1`). Stripe's own word is kept beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A trial: ours, or one that Stripe runs before the first payment.
    Trialing,
    /// Paid or given.
    Active,
    /// A renewal was not paid.
    PastDue,
    /// Ended at Stripe, for good.
    Canceled,
    /// Over.
    Expired,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Trial, Self::Recurring, Self::Prepaid, Self::Complimentary];

    /// The word that is stored and that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trial => "trial",
            Self::Recurring => "recurring",
            Self::Prepaid => "prepaid",
            Self::Complimentary => "complimentary",
        }
    }
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 5] = [Self::Trialing, Self::Active, Self::PastDue, Self::Canceled, Self::Expired];

    /// The word that is stored and that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trialing => "trialing",
            Self::Active => "active",
            Self::PastDue => "past_due",
            Self::Canceled => "canceled",
            Self::Expired => "expired",
        }
    }
}

/// The span that is paid for or given, from `start` up to, and without, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Period {
    /// Its first instant.
    pub start: DateTime<Utc>,
    /// The first instant after it.
    pub end: DateTime<Utc>,
}

/// What the operator decides about access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessPolicy {
    /// How long a failed renewal keeps access, from the start of the unpaid period.
    pub past_due_grace: TimeDelta,
    /// Only those whose address is confirmed may read.
    pub confirmed_email_only: bool,
    /// Which subscriptions open the gate that is asked about; that of the premium pages, unless another one is.
    pub opens: Opens,
}

impl AccessPolicy {
    /// What it is, in a line: two that are equal say the same.
    pub fn summary(&self) -> String {
        let seconds = self.past_due_grace.num_seconds();
        let opens = if self.opens == Opens::default() { String::new() } else { format!(", {:?}", self.opens) };
        format!("past_due_grace {seconds} s, confirmed_email_only {}{opens}", self.confirmed_email_only)
    }

    /// The same for another gate.
    pub fn at(self, gate: &Gate) -> Self {
        Self { opens: gate.opens, ..self }
    }
}

/// One source of access for one person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// Its row.
    pub id: i64,
    /// Where it came from.
    pub kind: Kind,
    /// Its phase as stored; [`Subscription::effective_status`] is the one to show.
    pub status: Status,
    /// The key of the plan that it belongs to, where one is known.
    pub plan: Option<String>,
    /// Stripe's id, for a recurring one.
    pub provider_id: Option<String>,
    /// Stripe's word for the status, verbatim.
    pub provider_status: Option<String>,
    /// `None` when nobody told us one: such a subscription gives nothing.
    pub period: Option<Period>,
    /// It will not renew at the end of the period.
    pub cancel_at_period_end: bool,
    /// The moment at which Stripe will end it.
    pub cancel_at: Option<DateTime<Utc>>,
    /// The moment at which it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Its collection is paused at Stripe in the way that stops the service too: nothing is charged, and the period that
    /// was reached is the last one until it goes on (`docs/rules.md §5`).
    pub collection_voided: bool,
}

impl Subscription {
    /// The instant at which it stops giving access; at that instant it is over (`docs/rules.md §3`).
    /// `None`: it gives none at any time.
    pub fn access_end(&self, policy: &AccessPolicy) -> Option<DateTime<Utc>> {
        let period = self.period?;
        match self.status {
            Status::Trialing | Status::Active => Some(self.last_moment(period)),
            Status::PastDue => {
                let grace_end = period.start.checked_add_signed(policy.past_due_grace).unwrap_or(period.end);
                Some(self.last_moment(period).min(grace_end))
            }
            Status::Canceled => Some(self.ended_at.map_or(period.end, |ended| ended.min(period.end))),
            Status::Expired => None,
        }
    }

    /// Whether it gives access at `now`.
    pub fn gives_access(&self, policy: &AccessPolicy, now: DateTime<Utc>) -> bool {
        self.access_end(policy).is_some_and(|end| now < end)
    }

    /// Whether it opens the gate that the policy is about at `now`: it gives access, and is of a kind and a plan that the gate
    /// takes.
    pub fn opens(&self, policy: &AccessPolicy, now: DateTime<Utc>) -> bool {
        policy.opens.takes(self) && self.gives_access(policy, now)
    }

    /// The status to show anyone: one that ran out is expired, whether or not its row says so yet (`docs/rules.md §3`).
    pub fn effective_status(&self, policy: &AccessPolicy, now: DateTime<Utc>) -> Status {
        match self.status {
            Status::Trialing | Status::Active if !self.gives_access(policy, now) => Status::Expired,
            status => status,
        }
    }

    /// Whether its end is set: it will not renew.
    pub fn has_end_set(&self) -> bool {
        self.kind != Kind::Recurring
            || self.status == Status::Canceled
            || self.cancel_at_period_end
            || self.cancel_at.is_some()
            || self.ended_at.is_some()
    }

    /// Whether a payment at the end of the period will make it go on.
    pub fn renews(&self) -> bool {
        !self.has_end_set() && !self.collection_voided
    }

    /// A recurring one that still runs at Stripe: a second checkout would charge the person twice (`docs/rules.md §8`).
    pub fn is_live_at_provider(&self) -> bool {
        self.kind == Kind::Recurring && runs_at_provider(self.status, self.provider_status.as_deref())
    }

    /// Since when it gives nothing; nothing where it was closed at a moment that nobody told us: by a pause, as unpaid, or
    /// when its price was no longer ours.
    pub fn closed_since(&self, policy: &AccessPolicy, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let untold = self.kind == Kind::Recurring
            && self.status == Status::Expired
            && (self.plan.is_none() || matches!(self.provider_status.as_deref(), Some("unpaid" | "paused")));
        self.horizon(policy).filter(|end| *end <= now && !untold)
    }

    /// When it stopped or will stop, also for a row that was marked as expired: this orders a person's past.
    pub fn horizon(&self, policy: &AccessPolicy) -> Option<DateTime<Utc>> {
        self.access_end(policy).or_else(|| self.period.map(|period| self.last_moment(period)))
    }

    fn last_moment(&self, period: Period) -> DateTime<Utc> {
        [self.cancel_at, self.ended_at].into_iter().flatten().fold(period.end, DateTime::min)
    }
}

/// Whether a recurring subscription still runs at Stripe, by our word and Stripe's: an unpaid or a paused one can come back.
pub fn runs_at_provider(status: Status, provider_status: Option<&str>) -> bool {
    match status {
        Status::Trialing | Status::Active | Status::PastDue => true,
        Status::Expired => matches!(provider_status, Some("unpaid" | "paused")),
        Status::Canceled => false,
    }
}

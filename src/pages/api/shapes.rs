//! What programs are answered, field by field. The description of the API is made of these structs, so each says that it
//! has all of its fields and no others.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::words::{KindWord, LanguageWord, ReasonWord, RoleWord, StandingWord, StatusWord};
use crate::{
    domain::{
        access::Access,
        subscription::{AccessPolicy, Subscription as Source},
    },
    store::{subscribers::Subscriber as Line, users::User},
};

/// Why a request was not answered well.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// For programs: it stays the same.
    #[schema(pattern = "^[A-Z][A-Z0-9_]*$")]
    pub code: String,
    /// For whoever reads a log, in English: it may change.
    pub message: String,
}

/// Who is signed in, and whether premium pages are open.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Me {
    /// The person.
    pub user: Person,
    /// The decision.
    pub access: Decision,
    /// The subscription to show; null where there never was any.
    #[schema(required = true)]
    pub subscription: Option<Subscription>,
}

/// A person, as they see themselves.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Person {
    /// The public id.
    pub id: String,
    /// The address of the account.
    pub email: String,
    /// It is confirmed.
    pub email_confirmed: bool,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// What the account may do.
    pub role: RoleWord,
    /// IANA name of the time zone.
    pub time_zone: String,
    /// The language of the account.
    pub language: LanguageWord,
}

/// Whether premium pages are open for somebody.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// They are.
    pub granted: bool,
    /// Why not; null when they are.
    #[schema(required = true)]
    pub reason: Option<ReasonWord>,
    /// When they close, as things stand; null when they are closed.
    #[schema(required = true, format = DateTime)]
    pub until: Option<String>,
    /// They stay open then if the renewal is paid.
    pub renews: bool,
    /// What opens them.
    #[schema(required = true)]
    pub by: Option<KindWord>,
}

/// A source of access.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Subscription {
    /// Where it comes from.
    pub kind: KindWord,
    /// The key of its plan.
    #[schema(required = true)]
    pub plan: Option<String>,
    /// The effective status.
    pub status: StatusWord,
    /// Stripe's own word.
    #[schema(required = true)]
    pub provider_status: Option<String>,
    /// The first moment of the period.
    #[schema(required = true, format = DateTime)]
    pub current_period_start: Option<String>,
    /// The first moment after it.
    #[schema(required = true, format = DateTime)]
    pub current_period_end: Option<String>,
    /// It will not renew.
    pub cancel_at_period_end: bool,
    /// When Stripe will end it.
    #[schema(required = true, format = DateTime)]
    pub cancel_at: Option<String>,
    /// When it ended.
    #[schema(required = true, format = DateTime)]
    pub ended_at: Option<String>,
}

/// Whether premium pages are open for a subscriber.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubscriberAccess {
    /// They are.
    pub granted: bool,
    /// When they close, as things stand, or when they closed; null where they never were open.
    #[schema(required = true, format = DateTime)]
    pub until: Option<String>,
    /// They stay open then if the renewal is paid.
    pub renews: bool,
}

/// The fields of a person of the list, and what the struct has besides.
macro_rules! subscriber {
    ($(#[$doc:meta])* $name:ident { $($(#[$more_doc:meta])* $more:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Serialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// The public id.
            pub id: String,
            /// The address of the account.
            pub email: String,
            /// It is confirmed.
            pub email_confirmed: bool,
            /// Mr, Dr, ...
            #[schema(required = true)]
            pub title: Option<String>,
            /// First name.
            pub first_name: String,
            /// Last name.
            pub last_name: String,
            /// Telephone number.
            #[schema(required = true)]
            pub phone: Option<String>,
            /// When the account was made.
            #[schema(format = DateTime)]
            pub signed_up_at: String,
            /// The effective status of the subscription that is shown; `none` where there never was any.
            pub status: StandingWord,
            /// Its kind; null where there never was any.
            #[schema(required = true)]
            pub kind: Option<KindWord>,
            /// The key of its plan.
            #[schema(required = true)]
            pub plan: Option<String>,
            /// Whether premium pages are open.
            pub access: SubscriberAccess,
            /// How many subscriptions run at Stripe.
            #[schema(minimum = 0)]
            pub live_subscriptions: i64,
            /// Stripe's id of the person.
            #[schema(required = true)]
            pub stripe_customer_id: Option<String>,
            /// An admin keeps the person out.
            pub locked: bool,
            $($(#[$more_doc])* pub $more: $type,)*
        }

        impl $name {
            /// As the list has the person.
            pub fn of(one: Line $(, $more: $type)*) -> Self {
                Self {
                    id: one.public_id,
                    email: one.email,
                    email_confirmed: one.confirmed,
                    title: one.title,
                    first_name: one.first_name,
                    last_name: one.last_name,
                    phone: one.phone,
                    signed_up_at: rfc3339(one.signed_up_at),
                    status: StandingWord(one.status),
                    kind: one.kind.map(KindWord),
                    plan: one.plan,
                    access: SubscriberAccess {
                        granted: one.granted,
                        until: one.ends_at.map(rfc3339),
                        renews: one.renews,
                    },
                    live_subscriptions: one.live,
                    stripe_customer_id: one.stripe_customer_id,
                    locked: one.locked,
                    $($more,)*
                }
            }
        }
    };
}

subscriber! {
    /// A person of the list.
    Subscriber {}
}

subscriber! {
    /// A person with all subscriptions.
    SubscriberWithSubscriptions {
        /// All of them, the oldest first.
        subscriptions: Vec<Subscription>,
    }
}

/// A page of the list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubscriberPage {
    /// The people of this page.
    pub data: Vec<Subscriber>,
    /// The path of the next page; null on the last one.
    #[schema(required = true)]
    pub next: Option<String>,
}

impl Person {
    /// As the account has them.
    pub fn of(user: &User) -> Self {
        Self {
            id: user.public_id.clone(),
            email: user.email.clone(),
            email_confirmed: user.email_confirmed,
            first_name: user.first_name.clone(),
            last_name: user.last_name.clone(),
            role: RoleWord(user.role),
            time_zone: user.time_zone.clone(),
            language: LanguageWord(user.language()),
        }
    }
}

impl From<Access> for Decision {
    fn from(access: Access) -> Self {
        match access {
            Access::Granted { by, until, renews } => {
                Self { granted: true, reason: None, until: Some(rfc3339(until)), renews, by: Some(KindWord(by)) }
            }
            Access::Denied { reason } => {
                Self { granted: false, reason: Some(ReasonWord(reason)), until: None, renews: false, by: None }
            }
        }
    }
}

impl Subscription {
    /// As it stands at `now`.
    pub fn of(one: &Source, policy: &AccessPolicy, now: DateTime<Utc>) -> Self {
        Self {
            kind: KindWord(one.kind),
            plan: one.plan.clone(),
            status: StatusWord(one.effective_status(policy, now)),
            provider_status: one.provider_status.clone(),
            current_period_start: one.period.map(|period| rfc3339(period.start)),
            current_period_end: one.period.map(|period| rfc3339(period.end)),
            cancel_at_period_end: one.cancel_at_period_end,
            cancel_at: one.cancel_at.map(rfc3339),
            ended_at: one.ended_at.map(rfc3339),
        }
    }
}

fn rfc3339(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

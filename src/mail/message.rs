//! What a mail says. The words of each stand in one template, as paragraphs; plain text and HTML are made of the same.

use askama::Template;
use chrono::{DateTime, Utc};

use super::greeting::greeting;
use crate::{
    domain::{
        access::Access,
        local_time,
        money::{Currency, Money},
        notice::{Amount, Notice},
        plan::{PlanKind, Plans},
    },
    store::users::User,
};

/// A mail in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The subject.
    pub subject: String,
    /// The first line.
    pub greeting: String,
    /// What happened and what it means.
    pub paragraphs: Vec<String>,
    /// What to do next.
    pub action: &'static str,
    /// Where that is done.
    pub link: String,
    /// The address of the site.
    pub site: String,
}

/// To whom it is written, and what is known at that moment.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    /// The person.
    pub user: &'a User,
    /// What the person may read.
    pub access: Access,
    /// What can be bought.
    pub plans: &'a Plans,
    /// The address of the site, without a slash at the end.
    pub site: &'a str,
    /// The moment.
    pub now: DateTime<Utc>,
}

#[derive(Template)]
#[template(path = "emails/layout.txt")]
struct Plain<'a> {
    letter: &'a Letter,
}

#[derive(Template)]
#[template(path = "emails/layout.html")]
struct Html<'a> {
    letter: &'a Letter,
}

#[derive(Template)]
#[template(path = "emails/payment_failed.txt")]
struct PaymentFailed<'a> {
    amount: Option<Money>,
    plan: Option<&'a str>,
    retry: Retry,
    closed: bool,
}

#[derive(Template)]
#[template(path = "emails/subscription_ended.txt")]
struct SubscriptionEnded<'a> {
    plan: Option<&'a str>,
    ended: String,
    reading: Reading,
}

#[derive(Template)]
#[template(path = "emails/refunded.txt")]
struct Refunded<'a> {
    amount: Option<Money>,
    plan: Option<&'a str>,
    in_full: bool,
    reading: Option<Reading>,
}

/// Whether a payment is tried again without the person.
enum Retry {
    /// One payment for some months is made by the person, or not at all.
    Prepaid,
    At(String),
    /// The moment is past already.
    Soon,
    Never,
}

/// What the person can read from now on.
enum Reading {
    GoesOn,
    Until(String),
    Closed,
}

impl Letter {
    /// Writes what `notice` has to tell.
    ///
    /// # Errors
    /// The template failed.
    pub fn new(notice: &Notice, reader: &Reader<'_>) -> Result<Self, askama::Error> {
        match notice {
            Notice::PaymentFailed { plan, amount, next_attempt } => {
                let retry = reader.retry(plan.as_deref(), *next_attempt);
                let prepaid = matches!(retry, Retry::Prepaid);
                let closed = !prepaid && matches!(reader.access, Access::Denied { .. });
                let (plan, amount) = (reader.plan(plan.as_deref()), amount.as_ref().and_then(money));
                let words = PaymentFailed { amount, plan, retry, closed }.render()?;
                let next = if prepaid { SEE_PLANS } else { ("Check your card", "/account") };
                Ok(reader.letter("Your payment did not go through", &words, next))
            }
            Notice::SubscriptionEnded { plan, ended_at } => {
                let (plan, ended) = (reader.plan(plan.as_deref()), reader.moment(*ended_at));
                let words = SubscriptionEnded { plan, ended, reading: reader.reading() }.render()?;
                Ok(reader.letter("Your subscription has ended", &words, SEE_PLANS))
            }
            Notice::Refunded { plan, amount, in_full } => {
                let (plan, amount) = (reader.plan(plan.as_deref()), amount.as_ref().and_then(money));
                // A part of the money takes nothing back.
                let reading = in_full.then(|| reader.reading());
                let words = Refunded { amount, plan, in_full: *in_full, reading }.render()?;
                Ok(reader.letter("Your refund is on its way", &words, ("See your account", "/account")))
            }
            Notice::SecondFactorOn | Notice::SecondFactorOff | Notice::RecoveryCodeUsed => Err(askama::Error::Fmt),
        }
    }

    /// The mail as plain text.
    ///
    /// # Errors
    /// The template failed.
    pub fn text(&self) -> Result<String, askama::Error> {
        Plain { letter: self }.render()
    }

    /// The mail as HTML.
    ///
    /// # Errors
    /// The template failed.
    pub fn html(&self) -> Result<String, askama::Error> {
        Html { letter: self }.render()
    }
}

const SEE_PLANS: (&str, &str) = ("See the plans", "/plans");

impl Reader<'_> {
    fn letter(&self, subject: &str, words: &str, (action, page): (&'static str, &str)) -> Letter {
        Letter {
            subject: subject.to_owned(),
            greeting: greeting(&self.user.first_name),
            paragraphs: paragraphs(words),
            action,
            link: format!("{}{page}", self.site),
            site: self.site.to_owned(),
        }
    }

    /// What people call a plan; nothing where it is no longer sold.
    fn plan(&self, key: Option<&str>) -> Option<&str> {
        self.plans.by_key(key?).map(|plan| plan.name.as_str())
    }

    fn retry(&self, plan: Option<&str>, next_attempt: Option<DateTime<Utc>>) -> Retry {
        let plan = plan.and_then(|key| self.plans.by_key(key));
        match next_attempt {
            _ if plan.is_some_and(|plan| matches!(plan.kind, PlanKind::Prepaid { .. })) => Retry::Prepaid,
            Some(at) if at > self.now => Retry::At(self.moment(at)),
            Some(_) => Retry::Soon,
            None => Retry::Never,
        }
    }

    fn reading(&self) -> Reading {
        match self.access {
            Access::Granted { renews: true, .. } => Reading::GoesOn,
            Access::Granted { until, .. } => Reading::Until(self.moment(until)),
            Access::Denied { .. } => Reading::Closed,
        }
    }

    fn moment(&self, at: DateTime<Utc>) -> String {
        local_time::moment(at, self.user.zone(), self.user.language())
    }
}

fn money(amount: &Amount) -> Option<Money> {
    Currency::parse(&amount.currency).map(|currency| Money::new(amount.minor, currency))
}

/// The paragraphs of a template, each on one line. Those in which nothing was said are gone.
fn paragraphs(words: &str) -> Vec<String> {
    let each = words.split("\n\n").map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    each.filter(|paragraph| !paragraph.is_empty()).collect()
}

#[cfg(test)]
mod tests;

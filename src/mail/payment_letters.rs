//! The letters about money: a payment failed, a subscription ended, money went back.

use chrono::{DateTime, Utc};

use super::message::{Letter, Reader};
use crate::{
    domain::{access::Access, notice::Amount, plan::PlanKind},
    words::Message,
};

/// A payment did not go through.
pub(super) fn failed(
    reader: &Reader<'_>,
    plan: Option<&str>,
    amount: Option<&Amount>,
    next_attempt: Option<DateTime<Utc>>,
) -> Letter {
    let prepaid = plan.and_then(|key| reader.plans.by_key(key)).is_some_and(|plan| plan.kind != PlanKind::Recurring);
    let next = match next_attempt {
        // One payment for some months is made by the person, or not at all.
        _ if prepaid => reader.say("mails-failed-prepaid"),
        Some(at) if at > reader.now => reader.say("mails-failed-again").with("moment", reader.moment(at)),
        // The mail waited until the next try was over.
        Some(_) => reader.say("mails-failed-check"),
        None => reader.say("mails-failed-for-good"),
    };
    let what = known(reader, reader.say("mails-failed"), plan, amount);
    let mut paragraphs = vec![what.into(), next.into()];
    if !prepaid && matches!(reader.access, Access::Denied { .. }) {
        paragraphs.push(reader.say("mails-failed-closed").into());
    }
    let (action, page) = if prepaid { ("mails-see-plans", "/plans") } else { ("mails-check-card", "/account") };
    reader.letter(reader.say("mails-failed-subject"), paragraphs, reader.say(action), page)
}

/// A subscription is over.
pub(super) fn ended(reader: &Reader<'_>, plan: Option<&str>, ended_at: DateTime<Utc>) -> Letter {
    let what = reader.say("mails-ended").with("moment", reader.moment(ended_at));
    let reading = match reader.access {
        Access::Granted { renews: true, .. } => reader.say("mails-ended-another"),
        Access::Granted { until, .. } => reader.say("mails-ended-other-access").with("moment", reader.moment(until)),
        Access::Denied { .. } => reader.say("mails-closed"),
    };
    let paragraphs = vec![known(reader, what, plan, None).into(), reading.into()];
    reader.letter(reader.say("mails-ended-subject"), paragraphs, reader.say("mails-see-plans"), "/plans")
}

/// Money went back.
pub(super) fn refunded(reader: &Reader<'_>, plan: Option<&str>, amount: Option<&Amount>, in_full: bool) -> Letter {
    let what = if in_full { reader.say("mails-refunded") } else { reader.say("mails-refunded-partly") };
    let mut paragraphs = vec![known(reader, what, plan, amount).into(), reader.say("mails-refunded-days").into()];
    paragraphs.extend(what_is_left(reader, in_full));
    reader.letter(reader.say("mails-refunded-subject"), paragraphs, reader.say("mails-see-account"), "/account")
}

/// The bank took money back.
pub(super) fn taken_back(reader: &Reader<'_>, plan: Option<&str>, amount: Option<&Amount>, in_full: bool) -> Letter {
    let mut paragraphs = vec![known(reader, reader.say("mails-dispute"), plan, amount).into()];
    paragraphs.extend(what_is_left(reader, in_full));
    reader.letter(reader.say("mails-dispute-subject"), paragraphs, reader.say("mails-see-account"), "/account")
}

/// What can be read after money went back. A part of it takes nothing back, and what goes on by itself needs no word.
fn what_is_left(reader: &Reader<'_>, in_full: bool) -> Option<String> {
    match reader.access {
        _ if !in_full => None,
        Access::Granted { renews: true, .. } => None,
        Access::Granted { until, .. } => {
            Some(reader.say("mails-reads-until").with("moment", reader.moment(until)).into())
        }
        Access::Denied { .. } => Some(reader.say("mails-closed").into()),
    }
}

/// The message with as much of plan and amount as is known.
fn known(reader: &Reader<'_>, message: Message, plan: Option<&str>, amount: Option<&Amount>) -> Message {
    match (reader.plan(plan), amount.and_then(|amount| reader.money(amount))) {
        (Some(plan), Some(amount)) => message.with("known", "both").with("plan", plan).with("amount", amount),
        (None, Some(amount)) => message.with("known", "amount").with("amount", amount),
        (Some(plan), None) => message.with("known", "plan").with("plan", plan),
        (None, None) => message.with("known", "neither"),
    }
}

//! What time makes happen, in the order in which it is due.

use super::{Invoice, InvoiceStatus, Phase, Session, State, Status, Subscription, World};
use crate::sandbox::calendar::{DAY, HOUR};

/// More steps than this in one go are left for the next one.
const STEPS: usize = 50_000;

/// Something that is due. At the same instant the earlier kind goes first, and within a kind the older row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Settlement,
    SessionExpiry,
    Finalization,
    Retry,
    IncompleteExpiry,
    CollectionResumption,
    TrialWarning,
    Cancellation,
    PeriodEnd,
}

/// When, what, and of which row.
type Appointment<'a> = (i64, Due, &'a str);

impl World<'_> {
    /// Lets everything happen that is due until `now`, each at its own instant. Whether anything did.
    pub fn run_until(&mut self, now: i64) -> bool {
        let mut happened = false;
        for _ in 0..STEPS {
            let Some((at, due, id)) = next(self.state).filter(|(at, ..)| *at <= now) else { break };
            let id = id.to_owned();
            self.now = if happened { self.now.max(at) } else { at };
            self.perform(due, &id);
            happened = true;
        }
        self.now = now;
        happened
    }

    fn perform(&mut self, due: Due, id: &str) {
        match due {
            Due::Settlement => self.settle(id),
            Due::SessionExpiry => self.expire_session(id),
            Due::Finalization => self.finalize_when_due(id),
            Due::Retry => drop(self.collect(id, false)),
            Due::IncompleteExpiry | Due::Cancellation => self.end_subscription(id),
            Due::CollectionResumption => {
                self.update::<Subscription>(id, "customer.subscription.updated", |subscription| {
                    subscription.pause = None;
                });
            }
            Due::TrialWarning => {
                self.edit::<Subscription>(id, |subscription| subscription.told_of_trial_end = true);
                self.tell::<Subscription>("customer.subscription.trial_will_end", id);
            }
            Due::PeriodEnd => self.turn_period(id),
        }
    }
}

impl State {
    /// When the next period of any live subscription ends.
    pub fn next_period_end(&self) -> Option<i64> {
        let live = self.subscriptions.iter().filter(|subscription| subscription.status.renews());
        live.map(|subscription| subscription.period_end).min()
    }
}

fn next(state: &State) -> Option<Appointment<'_>> {
    let sessions = state.sessions.iter().flat_map(of_session);
    let invoices = state.invoices.iter().filter_map(of_invoice);
    let subscriptions = state.subscriptions.iter().flat_map(of_subscription);
    sessions.chain(invoices).chain(subscriptions).min_by_key(|(at, due, _)| (*at, *due))
}

fn of_session(session: &Session) -> impl Iterator<Item = Appointment<'_>> {
    let expires = (session.phase == Phase::Open).then_some((session.expires_at, Due::SessionExpiry));
    let settles = session.settlement.map(|settlement| (settlement.at, Due::Settlement));
    [expires, settles].into_iter().flatten().map(|(at, due)| (at, due, session.id.as_str()))
}

fn of_invoice(invoice: &Invoice) -> Option<Appointment<'_>> {
    let (at, due) = match invoice.status {
        InvoiceStatus::Draft => (invoice.finalizes_at?, Due::Finalization),
        InvoiceStatus::Open if !invoice.processing => (invoice.next_attempt?, Due::Retry),
        _ => return None,
    };
    Some((at, due, &invoice.id))
}

fn of_subscription(subscription: &Subscription) -> impl Iterator<Item = Appointment<'_>> {
    let (status, end) = (subscription.status, subscription.period_end);
    let live = status.renews() || status == Status::Paused;
    let incomplete = (status == Status::Incomplete).then_some(subscription.created + 23 * HOUR);
    let ends_at = subscription.cancel_at.or(subscription.cancel_at_period_end.then_some(end)).filter(|_| live);
    let resumes = subscription.pause.as_ref().and_then(|pause| pause.resumes_at).filter(|_| live);
    let warns = subscription.trial_end.filter(|_| status == Status::Trialing && !subscription.told_of_trial_end);
    [
        incomplete.map(|at| (at, Due::IncompleteExpiry)),
        ends_at.map(|at| (at, Due::Cancellation)),
        resumes.map(|at| (at, Due::CollectionResumption)),
        warns.map(|end| ((end - 3 * DAY).max(subscription.created), Due::TrialWarning)),
        status.renews().then_some((end, Due::PeriodEnd)),
    ]
    .into_iter()
    .flatten()
    .map(|(at, due)| (at, due, subscription.id.as_str()))
}

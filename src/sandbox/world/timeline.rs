//! What time makes happen, in the order in which it is due.

use super::{Invoice, InvoiceStatus, Phase, Session, State, Status, Subscription, World};
use crate::sandbox::calendar::{DAY, HOUR};

/// More steps than this in one go are left for the next one.
const STEPS: usize = 50_000;

/// Something that is due, and for whom. At the same instant the earlier kind goes first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Settle(String),
    ExpireSession(String),
    FinalizeInvoice(String),
    RetryInvoice(String),
    IncompleteExpires(String),
    ResumeCollection(String),
    TrialWillEnd(String),
    Cancel(String),
    TurnPeriod(String),
}

impl World<'_> {
    /// Lets everything happen that is due until `now`, each at its own instant. Whether anything did.
    pub fn run_until(&mut self, now: i64) -> bool {
        let mut happened = false;
        for _ in 0..STEPS {
            let Some((at, due)) = next_due(self.state).filter(|(at, _)| *at <= now) else { break };
            self.now = if happened { self.now.max(at) } else { at };
            self.perform(due);
            happened = true;
        }
        self.now = now;
        happened
    }

    fn perform(&mut self, due: Due) {
        match due {
            Due::Settle(id) => self.settle(&id),
            Due::ExpireSession(id) => self.expire_session(&id),
            Due::FinalizeInvoice(id) => self.finalize_when_due(&id),
            Due::RetryInvoice(id) => drop(self.collect(&id, false)),
            Due::IncompleteExpires(id) | Due::Cancel(id) => self.end_subscription(&id),
            Due::ResumeCollection(id) => {
                self.update::<Subscription>(&id, "customer.subscription.updated", |subscription| {
                    subscription.pause = None;
                });
            }
            Due::TrialWillEnd(id) => {
                self.edit::<Subscription>(&id, |subscription| subscription.told_of_trial_end = true);
                self.tell::<Subscription>("customer.subscription.trial_will_end", &id);
            }
            Due::TurnPeriod(id) => self.turn_period(&id),
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

fn next_due(state: &State) -> Option<(i64, Due)> {
    let sessions = state.sessions.iter().flat_map(of_session);
    let invoices = state.invoices.iter().filter_map(of_invoice);
    let subscriptions = state.subscriptions.iter().flat_map(of_subscription);
    sessions.chain(invoices).chain(subscriptions).min()
}

fn of_session(session: &Session) -> impl Iterator<Item = (i64, Due)> {
    let expires = (session.phase == Phase::Open).then(|| (session.expires_at, Due::ExpireSession(session.id.clone())));
    let settles = session.settlement.map(|settlement| (settlement.at, Due::Settle(session.id.clone())));
    expires.into_iter().chain(settles)
}

fn of_invoice(invoice: &Invoice) -> Option<(i64, Due)> {
    match invoice.status {
        InvoiceStatus::Draft => invoice.finalizes_at.map(|at| (at, Due::FinalizeInvoice(invoice.id.clone()))),
        InvoiceStatus::Open if !invoice.processing => {
            invoice.next_attempt.map(|at| (at, Due::RetryInvoice(invoice.id.clone())))
        }
        _ => None,
    }
}

fn of_subscription(subscription: &Subscription) -> impl Iterator<Item = (i64, Due)> {
    let id = || subscription.id.clone();
    let (status, end) = (subscription.status, subscription.period_end);
    let incomplete =
        (status == Status::Incomplete).then(|| (subscription.created + 23 * HOUR, Due::IncompleteExpires(id())));
    let ends_at = subscription.cancel_at.or(subscription.cancel_at_period_end.then_some(end));
    let live = status.renews() || status == Status::Paused;
    let cancel = ends_at.filter(|_| live).map(|at| (at, Due::Cancel(id())));
    let resumes = subscription.pause.as_ref().and_then(|pause| pause.resumes_at).filter(|_| live);
    let warns = subscription.trial_end.filter(|_| status == Status::Trialing && !subscription.told_of_trial_end);
    [
        incomplete,
        cancel,
        resumes.map(|at| (at, Due::ResumeCollection(id()))),
        warns.map(|end| ((end - 3 * DAY).max(subscription.created), Due::TrialWillEnd(id()))),
        status.renews().then(|| (end, Due::TurnPeriod(id()))),
    ]
    .into_iter()
    .flatten()
}

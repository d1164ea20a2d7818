//! Telling a subscription when to end, and taking it back.

use super::{Status, Subscription, World};

impl Subscription {
    /// Ends with the period that runs, or not any more.
    pub fn end_at_period_end(&mut self, wanted: bool, now: i64) {
        self.cancel_at_period_end = wanted;
        self.end_at(wanted.then_some(self.period_end), now);
        self.cancel_at_period_end = wanted;
    }

    /// Ends at this instant, or not any more.
    pub fn end_at(&mut self, at: Option<i64>, now: i64) {
        self.cancel_at = at;
        self.cancel_at_period_end = false;
        self.canceled_at = at.map(|_| now);
        self.cancellation.reason = at.map(|_| "cancellation_requested".to_owned());
    }
}

impl World<'_> {
    /// Ends with the period that runs, or not any more; tells it.
    pub fn set_end_at_period_end(&mut self, id: &str, wanted: bool) {
        let now = self.now;
        self.update::<Subscription>(id, "customer.subscription.updated", |subscription| {
            subscription.end_at_period_end(wanted, now);
        });
    }

    /// As the portal does it: under flexible billing it names the date and leaves the flag alone.
    pub fn end_by_portal(&mut self, id: &str) {
        let now = self.now;
        self.update::<Subscription>(id, "customer.subscription.updated", |subscription| {
            let end = subscription.period_end;
            if subscription.flexible {
                subscription.end_at(Some(end), now);
            } else {
                subscription.end_at_period_end(true, now);
            }
        });
    }

    /// Not to end any more.
    pub fn keep_going(&mut self, id: &str) {
        let now = self.now;
        if self.get::<Subscription>(id).is_some_and(|subscription| subscription.status != Status::Canceled) {
            self.update::<Subscription>(id, "customer.subscription.updated", |subscription| {
                subscription.end_at(None, now);
            });
        }
    }
}

//! The status `paused`: no service, no invoices, until somebody resumes it. (`pause_collection` is another thing: see
//! `finalize_when_due`.)

use super::{BillingReason, Invoice, Status, Subscription, World};

impl World<'_> {
    /// Stops service and invoices. `reason` is Stripe's word.
    pub fn pause(&mut self, id: &str, reason: &str) {
        let now = self.now;
        self.update::<Subscription>(id, "customer.subscription.updated", |subscription| {
            subscription.status = Status::Paused;
            subscription.paused = Some((now, reason.to_owned()));
        });
        self.tell::<Subscription>("customer.subscription.paused", id);
    }

    /// Goes on at once, with a period that begins now and is charged an hour later.
    pub fn resume_paused(&mut self, id: &str) {
        self.start_period(id, self.now, self.now);
        self.tell::<Subscription>("customer.subscription.resumed", id);
    }

    /// Charges for a period that would begin now; goes on when that is paid.
    pub fn resume_when_paid(&mut self, id: &str) {
        let Some(old) = self.get::<Subscription>(id).cloned() else { return };
        let (start, end) = (self.now, self.cadence(&old.items).next_after(self.now, self.now));
        let mut lines = old.pending_lines.clone();
        lines.extend(self.lines(&old.items, start, end, false));
        let invoice = self.draft(id, BillingReason::Update, lines, (start, end));
        self.update::<Subscription>(id, "customer.subscription.updated", |subscription| {
            subscription.latest_invoice = Some(invoice.clone());
            subscription.pending_lines.clear();
        });
        self.tell::<Invoice>("invoice.created", &invoice);
        self.finalize(&invoice);
        self.collect(&invoice, false);
    }

    /// An invoice of a paused subscription was paid: if it is the one that was to resume it, it goes on.
    pub fn resume_with(&mut self, invoice: &Invoice) {
        let waits = |subscription: &&Subscription| {
            subscription.status == Status::Paused && subscription.latest_invoice.as_ref() == Some(&invoice.id)
        };
        let Some(id) = self.get::<Subscription>(&invoice.subscription).filter(waits).map(|row| row.id.clone()) else {
            return;
        };
        self.update::<Subscription>(&id, "customer.subscription.updated", |subscription| {
            subscription.status = Status::Active;
            subscription.paused = None;
            subscription.period_start = invoice.period_start;
            subscription.period_end = invoice.period_end;
            subscription.billing_cycle_anchor = invoice.period_start;
        });
        self.tell::<Subscription>("customer.subscription.resumed", &id);
    }
}

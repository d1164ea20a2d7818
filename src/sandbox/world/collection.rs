//! Getting invoices paid: the charge, the retries after a failure, and what comes when the last one failed.

use super::{AfterDunning, Card, Invoice, InvoiceStatus, Status, Subscription, World};
use crate::sandbox::calendar::DAY;

/// Days from a failed attempt to the next one.
const RETRY_AFTER_DAYS: [i64; 3] = [3, 5, 7];

impl World<'_> {
    /// Charges an open invoice with the subscription's card. Whether it is paid now.
    pub fn collect(&mut self, id: &str, present: bool) -> bool {
        let Some(invoice) = self.open_invoice(id) else { return false };
        let own = self
            .get::<Subscription>(&invoice.subscription)
            .and_then(|subscription| subscription.default_payment_method.clone());
        match self.card_of(&invoice.customer, own.as_deref()) {
            Some((method, card)) => self.collect_with(id, Some(&method), card, present),
            None => self.collect_with(id, None, Card::Declines, present),
        }
    }

    /// Charges an open invoice with this card. Whether it is paid now.
    pub fn collect_with(&mut self, id: &str, method: Option<&str>, card: Card, present: bool) -> bool {
        let Some(invoice) = self.open_invoice(id) else { return false };
        let paid = match &invoice.payment_intent {
            None => true,
            Some(intent) => self.charge(intent, method, card, present),
        };
        if paid {
            self.settle_invoice(&invoice);
        } else {
            self.miss_payment(&invoice, card);
        }
        paid
    }

    fn open_invoice(&self, id: &str) -> Option<Invoice> {
        let payable = |invoice: &&Invoice| matches!(invoice.status, InvoiceStatus::Open | InvoiceStatus::Uncollectible);
        self.get::<Invoice>(id).filter(payable).cloned()
    }

    fn settle_invoice(&mut self, invoice: &Invoice) {
        let now = self.now;
        self.edit::<Invoice>(&invoice.id, |invoice| {
            invoice.status = InvoiceStatus::Paid;
            invoice.paid_at = Some(now);
            invoice.attempt_count += 1;
            invoice.next_attempt = None;
            invoice.processing = false;
        });
        self.tell::<Invoice>("invoice.paid", &invoice.id);
        self.tell::<Invoice>("invoice.payment_succeeded", &invoice.id);
        self.close_invoice_payment(&invoice.id);
        self.recover(&invoice.subscription);
        self.resume_with(invoice);
    }

    /// Nothing is owed any more: the subscription is in order again.
    fn recover(&mut self, subscription: &str) {
        let owes = |invoice: &Invoice| invoice.subscription == subscription && invoice.status == InvoiceStatus::Open;
        if self.state.invoices.iter().any(owes) {
            return;
        }
        self.update::<Subscription>(subscription, "customer.subscription.updated", |subscription| {
            if matches!(subscription.status, Status::PastDue | Status::Unpaid | Status::Incomplete) {
                subscription.status = Status::Active;
            }
        });
    }

    fn miss_payment(&mut self, invoice: &Invoice, card: Card) {
        let status = self.get::<Subscription>(&invoice.subscription).map(|subscription| subscription.status);
        let retries = matches!(status, Some(Status::Active | Status::PastDue | Status::Trialing));
        let attempts = invoice.attempt_count + 1;
        let wait =
            usize::try_from(invoice.attempt_count).ok().and_then(|done| RETRY_AFTER_DAYS.get(done)).filter(|_| retries);
        let next_attempt = wait.map(|days| self.now + days * DAY);
        self.edit::<Invoice>(&invoice.id, |invoice| {
            invoice.attempt_count = attempts;
            invoice.next_attempt = next_attempt;
            invoice.processing = false;
        });
        self.tell::<Invoice>("invoice.payment_failed", &invoice.id);
        if card == Card::NeedsSecondStep {
            self.tell::<Invoice>("invoice.payment_action_required", &invoice.id);
        }
        if !retries {
            return;
        }
        self.update::<Subscription>(&invoice.subscription, "customer.subscription.updated", |subscription| {
            subscription.status = Status::PastDue;
        });
        if next_attempt.is_none() {
            self.finish_dunning(&invoice.subscription);
        }
    }

    fn finish_dunning(&mut self, subscription: &str) {
        match self.state.after_dunning {
            AfterDunning::PastDue => {}
            AfterDunning::Unpaid => {
                self.update::<Subscription>(subscription, "customer.subscription.updated", |subscription| {
                    subscription.status = Status::Unpaid;
                });
            }
            AfterDunning::Canceled => {
                self.edit::<Subscription>(subscription, |subscription| {
                    subscription.cancellation.reason = Some("payment_failed".to_owned());
                });
                self.end_subscription(subscription);
            }
        }
    }
}

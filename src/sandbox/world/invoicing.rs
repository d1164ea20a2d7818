//! Invoices: written, finalised, put aside.

use super::{BillingReason, IntentStatus, Invoice, InvoiceStatus, Line, PaymentIntent, Subscription, World};
use crate::sandbox::ids;

impl World<'_> {
    /// Writes a draft without telling anybody; its id. `period` is what the invoice looks back on.
    pub fn draft(&mut self, subscription: &str, reason: BillingReason, lines: Vec<Line>, period: (i64, i64)) -> String {
        let id = ids::new("in_");
        let facts = self.get::<Subscription>(subscription).cloned();
        let (customer, currency, metadata) =
            facts.map_or_else(Default::default, |facts| (facts.customer, facts.currency, facts.metadata));
        self.state.invoices.add(Invoice {
            id: id.clone(),
            created: self.now,
            number: None,
            customer,
            subscription: subscription.to_owned(),
            subscription_metadata: metadata,
            status: InvoiceStatus::Draft,
            reason,
            currency,
            lines,
            period_start: period.0,
            period_end: period.1,
            auto_advance: true,
            attempt_count: 0,
            next_attempt: None,
            finalizes_at: None,
            finalized_at: None,
            paid_at: None,
            voided_at: None,
            uncollectible_at: None,
            payment_intent: None,
            processing: false,
        });
        id
    }

    /// A draft becomes an invoice with a number that is to be paid.
    pub fn finalize(&mut self, id: &str) {
        let Some(draft) = self.get::<Invoice>(id).filter(|invoice| invoice.status == InvoiceStatus::Draft).cloned()
        else {
            return;
        };
        self.state.invoice_count += 1;
        let number = format!("TURNPIKE-{:04}", self.state.invoice_count);
        let intent = (draft.due() > 0).then(|| self.open_intent(&draft));
        let now = self.now;
        self.edit::<Invoice>(id, |invoice| {
            invoice.status = InvoiceStatus::Open;
            invoice.number = Some(number);
            invoice.finalizes_at = None;
            invoice.finalized_at = Some(now);
            invoice.payment_intent = intent;
        });
        self.open_invoice_payment(id);
        self.tell::<Invoice>("invoice.finalized", id);
    }

    fn open_intent(&mut self, draft: &Invoice) -> String {
        let id = ids::new("pi_");
        self.state.payment_intents.add(PaymentIntent {
            id: id.clone(),
            created: self.now,
            customer: Some(draft.customer.clone()),
            amount: draft.due(),
            currency: draft.currency.clone(),
            status: IntentStatus::RequiresPaymentMethod,
            description: Some("Subscription".to_owned()),
            metadata: super::Metadata::new(),
            payment_method: None,
            latest_charge: None,
            invoice: Some(draft.id.clone()),
        });
        id
    }

    /// The hour of grace of a draft is over.
    pub fn finalize_when_due(&mut self, id: &str) {
        let Some(invoice) = self.get::<Invoice>(id) else { return };
        let pause = self.get::<Subscription>(&invoice.subscription).and_then(|subscription| subscription.pause.clone());
        match pause.as_ref().map(|pause| pause.behavior.as_str()) {
            None => {
                self.finalize(id);
                self.collect(id, false);
            }
            Some("void") => self.void(id),
            Some("mark_uncollectible") => self.give_up(id),
            Some(_) => self.edit::<Invoice>(id, |invoice| {
                invoice.finalizes_at = None;
                invoice.auto_advance = false;
            }),
        }
    }

    /// As if it had never been: nothing is owed.
    pub fn void(&mut self, id: &str) {
        self.finalize(id);
        let now = self.now;
        self.edit::<Invoice>(id, |invoice| {
            invoice.status = InvoiceStatus::Void;
            invoice.voided_at = Some(now);
            invoice.next_attempt = None;
        });
        self.cancel_intent(id);
        self.close_invoice_payment(id);
        self.tell::<Invoice>("invoice.voided", id);
    }

    fn give_up(&mut self, id: &str) {
        self.finalize(id);
        let now = self.now;
        self.edit::<Invoice>(id, |invoice| {
            invoice.status = InvoiceStatus::Uncollectible;
            invoice.uncollectible_at = Some(now);
            invoice.next_attempt = None;
        });
        self.tell::<Invoice>("invoice.marked_uncollectible", id);
    }

    fn cancel_intent(&mut self, invoice: &str) {
        if let Some(intent) = self.get::<Invoice>(invoice).and_then(|invoice| invoice.payment_intent.clone()) {
            self.edit::<PaymentIntent>(&intent, |intent| intent.status = IntentStatus::Canceled);
        }
    }
}

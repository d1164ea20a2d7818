//! How a subscription begins, renews, is told to end, and ends.

use super::{
    BillingReason, Card, Invoice, InvoiceStatus, Item, Line, Metadata, MissingCard, Price, Status, Subscription, World,
};
use crate::sandbox::{
    calendar::{Cadence, DAY, HOUR, Interval},
    ids,
};

/// The wish for a new subscription.
pub struct Begin {
    pub customer: String,
    /// Price and quantity.
    pub items: Vec<(String, i64)>,
    pub trial_end: Option<i64>,
    pub metadata: Metadata,
    pub description: Option<String>,
    pub payment_method: Option<(String, Card)>,
    pub missing_card: MissingCard,
    /// The first payment goes through a delayed method: the money is not there yet.
    pub delayed: bool,
    /// Somebody pays on the checkout page: the first payment goes through, whatever the card does later.
    pub present: bool,
}

/// A change of the trial's end.
#[derive(Clone, Copy)]
pub enum TrialEnd {
    Now,
    At(i64),
}

impl World<'_> {
    /// How often a subscription is charged: as its first price says.
    pub fn cadence(&self, items: &[Item]) -> Cadence {
        let price = items.first().and_then(|item| self.get::<Price>(&item.price));
        price.and_then(|price| price.recurring).unwrap_or(Cadence { interval: Interval::Month, count: 1 })
    }

    /// Starts a subscription and charges its first invoice at once; the subscription's id.
    pub fn begin_subscription(&mut self, wish: Begin) -> String {
        let id = ids::new("sub_");
        let trial_end = wish.trial_end.filter(|end| *end > self.now);
        let (now, anchor) = (self.now, trial_end.unwrap_or(self.now));
        let items: Vec<Item> = wish.items.iter().map(|(price, quantity)| self.new_item(price, *quantity)).collect();
        let period_end = trial_end.unwrap_or_else(|| self.cadence(&items).next_after(anchor, now));
        let lines = self.lines(&items, now, period_end, trial_end.is_some());
        let free = lines.iter().all(|line| line.amount == 0);
        let pays = wish.present || wish.payment_method.as_ref().is_some_and(|(_, card)| *card == Card::Works);
        let status = match trial_end {
            Some(_) => Status::Trialing,
            None if free || pays || wish.delayed => Status::Active,
            None => Status::Incomplete,
        };
        self.state.subscriptions.add(Subscription {
            id: id.clone(),
            created: now,
            customer: wish.customer,
            status,
            currency: items
                .first()
                .and_then(|item| self.get::<Price>(&item.price))
                .map_or_else(|| "eur".to_owned(), |price| price.currency.clone()),
            items,
            period_start: now,
            period_end,
            billing_cycle_anchor: anchor,
            trial_start: trial_end.map(|_| now),
            trial_end,
            told_of_trial_end: false,
            cancel_at: None,
            cancel_at_period_end: false,
            canceled_at: None,
            ended_at: None,
            cancellation: super::Cancellation::default(),
            default_payment_method: wish.payment_method.as_ref().map(|(method, _)| method.clone()),
            latest_invoice: None,
            description: wish.description,
            metadata: wish.metadata,
            pause: None,
            paused: None,
            missing_card: wish.missing_card,
            pending_lines: Vec::new(),
            flexible: self.state.deliveries.settings.shape.is_newest(),
        });
        let invoice = self.draft(&id, BillingReason::Create, lines, (now, now));
        self.edit::<Subscription>(&id, |subscription| subscription.latest_invoice = Some(invoice.clone()));
        self.tell::<Subscription>("customer.subscription.created", &id);
        self.tell::<Invoice>("invoice.created", &invoice);
        self.finalize(&invoice);
        if wish.delayed && !free {
            self.edit::<Invoice>(&invoice, |invoice| invoice.processing = true);
        } else if wish.present {
            let method = wish.payment_method.map(|(method, _)| method);
            self.collect_with(&invoice, method.as_deref(), Card::Works, true);
        } else {
            self.collect(&invoice, false);
        }
        id
    }

    pub fn new_item(&self, price: &str, quantity: i64) -> Item {
        Item { id: ids::new("si_"), created: self.now, price: price.to_owned(), quantity, metadata: Metadata::new() }
    }

    /// A line for each item of a period; a trial costs nothing.
    pub fn lines(&self, items: &[Item], period_start: i64, period_end: i64, trial: bool) -> Vec<Line> {
        let line = |item: &Item| {
            let price = self.get::<Price>(&item.price)?;
            let product = self.get::<super::Product>(&price.product).map_or("Membership", |product| &product.name);
            Some(Line {
                id: ids::new("il_"),
                description: if trial {
                    format!("Trial period for {product}")
                } else {
                    format!("{} × {product} ({})", item.quantity, price.spell())
                },
                price: item.price.clone(),
                item: item.id.clone(),
                quantity: item.quantity,
                amount: if trial { 0 } else { price.unit_amount.saturating_mul(item.quantity) },
                period_start,
                period_end,
                proration: false,
            })
        };
        items.iter().filter_map(line).collect()
    }

    /// The period is over: the next one begins, and its invoice is charged an hour later.
    pub fn turn_period(&mut self, id: &str) {
        let Some(old) = self.get::<Subscription>(id).cloned() else { return };
        let trial_ends = old.status == Status::Trialing;
        if trial_ends && self.card_of(&old.customer, old.default_payment_method.as_deref()).is_none() {
            match old.missing_card {
                MissingCard::Cancel => return self.end_subscription(id),
                MissingCard::Pause => return self.pause(id, "trial_end_without_payment_method"),
                MissingCard::CreateInvoice => {}
            }
        }
        self.start_period(id, old.period_end, old.billing_cycle_anchor);
    }

    /// A period begins; its invoice is charged an hour later.
    pub fn start_period(&mut self, id: &str, start: i64, anchor: i64) {
        let Some(old) = self.get::<Subscription>(id).cloned() else { return };
        let end = self.cadence(&old.items).next_after(anchor, start);
        let mut lines = old.pending_lines.clone();
        lines.extend(self.lines(&old.items, start, end, false));
        let invoice = self.draft(id, BillingReason::Cycle, lines, (old.period_start, old.period_end));
        let waits = old.status != Status::Unpaid;
        let finalizes_at = self.now + HOUR;
        self.edit::<Invoice>(&invoice, |invoice| {
            invoice.auto_advance = waits;
            invoice.finalizes_at = waits.then_some(finalizes_at);
        });
        self.update::<Subscription>(id, "customer.subscription.updated", |subscription| {
            subscription.period_start = start;
            subscription.period_end = end;
            subscription.billing_cycle_anchor = anchor;
            subscription.latest_invoice = Some(invoice.clone());
            subscription.pending_lines.clear();
            if matches!(subscription.status, Status::Trialing | Status::Paused) {
                subscription.status = Status::Active;
                subscription.paused = None;
            }
        });
        self.tell::<Invoice>("invoice.created", &invoice);
    }

    /// Moves the end of the trial; `Now` ends it and charges at once.
    pub fn move_trial_end(&mut self, id: &str, end: TrialEnd) {
        let now = self.now;
        match end {
            TrialEnd::At(end) => self.update::<Subscription>(id, "customer.subscription.updated", |subscription| {
                subscription.status = Status::Trialing;
                subscription.trial_start = subscription.trial_start.or(Some(now));
                subscription.trial_end = Some(end);
                subscription.told_of_trial_end = end - now <= 3 * DAY && subscription.told_of_trial_end;
                subscription.period_end = end;
                subscription.billing_cycle_anchor = end;
            }),
            TrialEnd::Now => {
                self.edit::<Subscription>(id, |subscription| subscription.trial_end = Some(now));
                self.start_period(id, now, now);
                if let Some(invoice) =
                    self.get::<Subscription>(id).and_then(|subscription| subscription.latest_invoice.clone())
                {
                    self.finalize(&invoice);
                    self.collect(&invoice, true);
                }
            }
        }
    }

    /// The end, now: nothing is charged any more.
    pub fn end_subscription(&mut self, id: &str) {
        let now = self.now;
        self.edit::<Subscription>(id, |subscription| {
            subscription.status =
                if subscription.status == Status::Incomplete { Status::IncompleteExpired } else { Status::Canceled };
            subscription.ended_at = Some(now);
            subscription.canceled_at = subscription.canceled_at.or(Some(now));
            subscription.pause = None;
            subscription.paused = None;
        });
        let unpaid: Vec<String> = self
            .state
            .invoices
            .iter()
            .filter(|invoice| {
                invoice.subscription == id && matches!(invoice.status, InvoiceStatus::Draft | InvoiceStatus::Open)
            })
            .map(|invoice| invoice.id.clone())
            .collect();
        for invoice in unpaid {
            self.edit::<Invoice>(&invoice, |invoice| {
                invoice.auto_advance = false;
                invoice.next_attempt = None;
                invoice.finalizes_at = None;
            });
        }
        self.tell::<Subscription>("customer.subscription.deleted", id);
    }
}

//! Another price for a running subscription.

use super::{BillingReason, Invoice, Item, Line, Status, Subscription, World};
use crate::sandbox::ids;

/// What becomes of the part of the period that is already paid.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Proration {
    None,
    /// On the next invoice.
    Create,
    /// On an invoice of its own, at once.
    InvoiceNow,
}

impl World<'_> {
    /// Puts `items` in place of what the subscription has. With another billing interval a new period begins now.
    pub fn change_items(&mut self, id: &str, items: Vec<Item>, proration: Proration) {
        let Some(old) = self.get::<Subscription>(id).cloned() else { return };
        let (before, after) = (self.cadence(&old.items), self.cadence(&items));
        let now = self.now;
        let restarts = before != after && old.status != Status::Trialing;
        let mut lines = Vec::new();
        if proration != Proration::None && old.status != Status::Trialing {
            lines.extend(self.prorate(&old.items, &old, -1));
            if !restarts {
                lines.extend(self.prorate(&items, &old, 1));
            }
        }
        let (start, end) =
            if restarts { (now, after.next_after(now, now)) } else { (old.period_start, old.period_end) };
        if restarts {
            lines.extend(self.lines(&items, start, end, false));
        }
        let at_once = restarts || (proration == Proration::InvoiceNow && !lines.is_empty());
        let (invoiced, waiting) = if at_once { (lines, Vec::new()) } else { (Vec::new(), lines) };
        let invoice = at_once.then(|| self.draft(id, BillingReason::Update, invoiced, (start, end)));
        self.update::<Subscription>(id, "customer.subscription.updated", |subscription| {
            subscription.items = items;
            subscription.period_start = start;
            subscription.period_end = end;
            if restarts {
                subscription.billing_cycle_anchor = now;
            }
            subscription.pending_lines.extend(waiting);
            if let Some(invoice) = &invoice {
                subscription.latest_invoice = Some(invoice.clone());
            }
        });
        if let Some(invoice) = invoice {
            self.tell::<Invoice>("invoice.created", &invoice);
            self.finalize(&invoice);
            self.collect(&invoice, false);
        }
    }

    /// What the rest of the period costs with these items; `sign` is −1 for a credit.
    fn prorate(&self, items: &[Item], subscription: &Subscription, sign: i64) -> Vec<Line> {
        let (now, end) = (self.now, subscription.period_end);
        let whole = i128::from((end - subscription.period_start).max(1));
        let left = i128::from((end - now).max(0));
        let mut lines = self.lines(items, now, end, false);
        for line in &mut lines {
            line.id = ids::new("il_");
            line.amount = sign * i64::try_from(i128::from(line.amount) * left / whole).unwrap_or(0);
            let word = if sign < 0 { "Unused time on" } else { "Remaining time on" };
            line.description = format!("{word} {}", line.description);
            line.proration = true;
        }
        lines
    }
}

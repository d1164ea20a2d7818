//! Which payment belongs to which invoice: since API 2025-03-31 invoices do not name their payment intent themselves.

use serde::{Deserialize, Serialize};

use super::{Invoice, InvoiceStatus, World, table::object};
use crate::sandbox::ids;

#[derive(Clone, Serialize, Deserialize)]
pub struct InvoicePayment {
    pub id: String,
    pub created: i64,
    pub invoice: String,
    pub payment_intent: String,
    pub amount: i64,
    pub currency: String,
    pub paid_at: Option<i64>,
    pub canceled_at: Option<i64>,
}

object!(InvoicePayment, "invoice_payment", invoice_payments, crate::sandbox::json::invoice_payment::invoice_payment);

impl InvoicePayment {
    /// Stripe's word: `open`, `paid` or `canceled`.
    pub fn status(&self) -> &'static str {
        match (self.paid_at, self.canceled_at) {
            (Some(_), _) => "paid",
            (None, Some(_)) => "canceled",
            (None, None) => "open",
        }
    }
}

impl World<'_> {
    /// Notes what is asked for a freshly finalised invoice.
    pub fn open_invoice_payment(&mut self, invoice: &str) {
        let Some(facts) = self.get::<Invoice>(invoice).cloned() else { return };
        let Some(payment_intent) = facts.payment_intent.clone() else { return };
        self.state.invoice_payments.add(InvoicePayment {
            id: ids::new("inpay_"),
            created: self.now,
            invoice: facts.id.clone(),
            payment_intent,
            amount: facts.due(),
            currency: facts.currency,
            paid_at: None,
            canceled_at: None,
        });
    }

    /// The invoice is paid or void: its payment follows, and is told when it was paid.
    pub fn close_invoice_payment(&mut self, invoice: &str) {
        let Some(status) = self.get::<Invoice>(invoice).map(|invoice| invoice.status) else { return };
        let open = |row: &&InvoicePayment| row.invoice == invoice && row.status() == "open";
        let Some(id) = self.state.invoice_payments.iter().find(open).map(|row| row.id.clone()) else { return };
        let (now, paid) = (self.now, status == InvoiceStatus::Paid);
        self.edit::<InvoicePayment>(&id, |row| {
            if paid {
                row.paid_at = Some(now);
            } else {
                row.canceled_at = Some(now);
            }
        });
        if paid {
            self.tell::<InvoicePayment>("invoice_payment.paid", &id);
        }
    }
}

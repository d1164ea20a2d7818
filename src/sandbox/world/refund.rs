//! Refunds.

use serde::{Deserialize, Serialize};

use super::{Charge, Metadata, World, table::object};
use crate::sandbox::ids;

#[derive(Clone, Serialize, Deserialize)]
pub struct Refund {
    pub id: String,
    pub created: i64,
    pub charge: String,
    pub payment_intent: String,
    pub amount: i64,
    pub currency: String,
    pub reason: Option<String>,
    pub metadata: Metadata,
}

object!(Refund, "refund", refunds, crate::sandbox::json::payment::refund);

impl World<'_> {
    /// Gives `amount` of a charge back; the caller has checked that as much is left.
    pub fn refund(&mut self, charge: &str, amount: i64, reason: Option<String>, metadata: Metadata) -> Option<String> {
        let facts = self.get::<Charge>(charge)?.clone();
        let id = ids::new("re_");
        self.state.refunds.add(Refund {
            id: id.clone(),
            created: self.now,
            charge: facts.id,
            payment_intent: facts.payment_intent,
            amount,
            currency: facts.currency,
            reason,
            metadata,
        });
        self.tell::<Refund>("refund.created", &id);
        self.update::<Charge>(charge, "charge.refunded", |charge| charge.amount_refunded += amount);
        Some(id)
    }
}

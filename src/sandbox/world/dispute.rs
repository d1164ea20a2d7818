//! Disputes: the cardholder's bank takes the money back, for a while or for good.

use serde::{Deserialize, Serialize};

use super::{Charge, Metadata, World, table::object};
use crate::sandbox::ids;

#[derive(Clone, Serialize, Deserialize)]
pub struct Dispute {
    pub id: String,
    pub created: i64,
    pub charge: String,
    pub payment_intent: String,
    pub amount: i64,
    pub currency: String,
    pub reason: String,
    /// Stripe's word: `needs_response`, then `won` or `lost`.
    pub status: String,
    pub metadata: Metadata,
}

object!(Dispute, "dispute", disputes, crate::sandbox::json::dispute::dispute);

impl Dispute {
    pub fn is_open(&self) -> bool {
        self.status == "needs_response" || self.status == "under_review"
    }
}

impl World<'_> {
    pub fn dispute(&mut self, charge: &str, reason: &str) -> Option<String> {
        let facts = self.get::<Charge>(charge)?.clone();
        let id = ids::new("dp_");
        self.state.disputes.add(Dispute {
            id: id.clone(),
            created: self.now,
            charge: facts.id,
            payment_intent: facts.payment_intent,
            amount: facts.amount - facts.amount_refunded,
            currency: facts.currency,
            reason: reason.to_owned(),
            status: "needs_response".to_owned(),
            metadata: Metadata::new(),
        });
        self.edit::<Charge>(charge, |charge| charge.disputed = true);
        self.tell::<Dispute>("charge.dispute.created", &id);
        self.tell::<Dispute>("charge.dispute.funds_withdrawn", &id);
        Some(id)
    }

    pub fn close_dispute(&mut self, dispute: &str, won: bool) {
        let word = if won { "won" } else { "lost" };
        self.edit::<Dispute>(dispute, |dispute| word.clone_into(&mut dispute.status));
        self.tell::<Dispute>("charge.dispute.closed", dispute);
        if won {
            self.tell::<Dispute>("charge.dispute.funds_reinstated", dispute);
        }
    }
}

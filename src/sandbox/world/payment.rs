//! Money that moves, or fails to: payment intents and charges.

use serde::{Deserialize, Serialize};

use super::{Card, Metadata, World, table::object};
use crate::sandbox::ids;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentStatus {
    RequiresPaymentMethod,
    Processing,
    Succeeded,
    Canceled,
}

impl IntentStatus {
    pub fn word(self) -> &'static str {
        match self {
            Self::RequiresPaymentMethod => "requires_payment_method",
            Self::Processing => "processing",
            Self::Succeeded => "succeeded",
            Self::Canceled => "canceled",
        }
    }
}

#[derive(Clone, Serialize, Deserialize)]
pub struct PaymentIntent {
    pub id: String,
    pub created: i64,
    pub customer: Option<String>,
    pub amount: i64,
    pub currency: String,
    pub status: IntentStatus,
    pub description: Option<String>,
    pub metadata: Metadata,
    pub payment_method: Option<String>,
    pub latest_charge: Option<String>,
    pub invoice: Option<String>,
}

object!(PaymentIntent, "payment_intent", payment_intents, crate::sandbox::json::payment::payment_intent);

#[derive(Clone, Serialize, Deserialize)]
pub struct Charge {
    pub id: String,
    pub created: i64,
    pub payment_intent: String,
    pub customer: Option<String>,
    pub amount: i64,
    pub amount_refunded: i64,
    pub currency: String,
    pub card: Card,
    pub payment_method: Option<String>,
    pub failure_code: Option<String>,
    pub disputed: bool,
    pub description: Option<String>,
    pub metadata: Metadata,
    pub invoice: Option<String>,
}

object!(Charge, "charge", charges, crate::sandbox::json::payment::charge);

impl Charge {
    pub fn succeeded(&self) -> bool {
        self.failure_code.is_none()
    }

    pub fn refunded(&self) -> bool {
        self.succeeded() && self.amount_refunded >= self.amount
    }
}

impl World<'_> {
    /// Tries to take the money of an intent with this card; sends the events of the charge and of the intent.
    /// Whether it was paid. `present`: the owner is there to confirm a second step.
    pub fn charge(&mut self, intent: &str, method: Option<&str>, card: Card, present: bool) -> bool {
        let Some(facts) = self.get::<PaymentIntent>(intent).cloned() else { return false };
        let paid = card == Card::Works || (present && card == Card::NeedsSecondStep);
        let id = ids::new("ch_");
        self.state.charges.add(Charge {
            id: id.clone(),
            created: self.now,
            payment_intent: facts.id.clone(),
            customer: facts.customer,
            amount: facts.amount,
            amount_refunded: 0,
            currency: facts.currency,
            card,
            payment_method: method.map(ToOwned::to_owned),
            failure_code: (!paid).then(|| card.failure_code().to_owned()),
            disputed: false,
            description: facts.description,
            metadata: facts.metadata,
            invoice: facts.invoice,
        });
        self.edit::<PaymentIntent>(intent, |intent| {
            intent.latest_charge = Some(id.clone());
            intent.payment_method = method.map(ToOwned::to_owned);
            intent.status = if paid { IntentStatus::Succeeded } else { IntentStatus::RequiresPaymentMethod };
        });
        if paid {
            self.tell::<Charge>("charge.succeeded", &id);
            self.tell::<PaymentIntent>("payment_intent.succeeded", intent);
        } else {
            self.tell::<Charge>("charge.failed", &id);
            self.tell::<PaymentIntent>("payment_intent.payment_failed", intent);
        }
        paid
    }
}

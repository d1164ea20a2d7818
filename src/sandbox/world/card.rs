//! Cards: no number is ever held, only how the card behaves.

use serde::{Deserialize, Serialize};

use super::{Customer, Subscription, World, table::object};
use crate::sandbox::ids;

/// How a card answers when it is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Card {
    /// Pays.
    Works,
    /// Can be saved; every charge is declined.
    Declines,
    /// Asks its owner to confirm each payment: fails when nobody is there.
    NeedsSecondStep,
}

impl Card {
    /// The last four digits of Stripe's test card that behaves like this.
    pub fn last4(self) -> &'static str {
        match self {
            Self::Works => "4242",
            Self::Declines => "0341",
            Self::NeedsSecondStep => "3184",
        }
    }

    /// The card behind one of Stripe's names for tests, such as `pm_card_visa` or `tok_chargeCustomerFail`.
    pub fn by_test_name(name: &str) -> Option<Self> {
        let name = name.strip_prefix("pm_card_").or_else(|| name.strip_prefix("tok_"))?;
        Some(match name {
            "chargeCustomerFail" | "visa_chargeCustomerFail" | "chargeDeclined" | "visa_chargeDeclined" => {
                Self::Declines
            }
            "authenticationRequired" | "threeDSecure2Required" | "authenticationRequiredOnSetup" => {
                Self::NeedsSecondStep
            }
            _ => Self::Works,
        })
    }

    pub fn failure_code(self) -> &'static str {
        match self {
            Self::NeedsSecondStep => "authentication_required",
            Self::Works | Self::Declines => "card_declined",
        }
    }
}

#[derive(Clone, Serialize, Deserialize)]
pub struct PaymentMethod {
    pub id: String,
    pub created: i64,
    pub customer: Option<String>,
    pub card: Card,
}

object!(PaymentMethod, "PaymentMethod", payment_methods, crate::sandbox::json::payment::payment_method);

impl World<'_> {
    /// A new payment method with this card; its id.
    pub fn add_card(&mut self, customer: Option<&str>, card: Card) -> String {
        let id = ids::new("pm_");
        self.state.payment_methods.add(PaymentMethod {
            id: id.clone(),
            created: self.now,
            customer: customer.map(ToOwned::to_owned),
            card,
        });
        if customer.is_some() {
            self.tell::<PaymentMethod>("payment_method.attached", &id);
        }
        id
    }

    /// The id of the payment method that the caller means: an own one, or a new one for a name of Stripe's tests.
    pub fn payment_method_named(&mut self, name: &str, customer: &str) -> Option<String> {
        if self.get::<PaymentMethod>(name).is_some() {
            self.edit::<PaymentMethod>(name, |method| method.customer = Some(customer.to_owned()));
            return Some(name.to_owned());
        }
        let card = Card::by_test_name(name)?;
        Some(self.add_card(Some(customer), card))
    }

    /// The customer pays with another card from now on, for every live subscription too.
    pub fn change_card(&mut self, customer: &str, card: Card) {
        let method = self.add_card(Some(customer), card);
        self.update::<Customer>(customer, "customer.updated", |customer| {
            customer.default_payment_method = Some(method.clone());
        });
        let subscriptions: Vec<String> = self
            .state
            .subscriptions
            .iter()
            .filter(|subscription| subscription.customer == customer && !subscription.status.is_over())
            .map(|subscription| subscription.id.clone())
            .collect();
        for id in subscriptions {
            self.update::<Subscription>(&id, "customer.subscription.updated", |subscription| {
                subscription.default_payment_method = Some(method.clone());
            });
        }
    }

    /// The card that pays for a subscription: its own, else the customer's.
    pub fn card_of(&self, customer: &str, own: Option<&str>) -> Option<(String, Card)> {
        let default = || self.get::<Customer>(customer)?.default_payment_method.as_deref();
        let method = self.get::<PaymentMethod>(own.or_else(default)?)?;
        Some((method.id.clone(), method.card))
    }
}

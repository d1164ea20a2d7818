//! Customers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Metadata, Subscription, World, table::object};
use crate::sandbox::ids;

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Customer {
    pub id: String,
    pub created: i64,
    pub email: Option<String>,
    pub name: Option<String>,
    pub phone: Option<String>,
    pub description: Option<String>,
    pub address: Option<Value>,
    pub preferred_locales: Vec<String>,
    pub metadata: Metadata,
    pub default_payment_method: Option<String>,
    pub deleted: bool,
}

object!(Customer, "customer", customers, crate::sandbox::json::customer::customer);

impl World<'_> {
    /// A customer with a name of its own and these details.
    pub fn create_customer(&mut self, details: Customer) -> String {
        let id = ids::new("cus_");
        self.state.customers.add(Customer { id: id.clone(), created: self.now, ..details });
        self.tell::<Customer>("customer.created", &id);
        id
    }

    /// Ends every subscription at once, then the customer.
    pub fn delete_customer(&mut self, id: &str) {
        let live: Vec<String> = self
            .state
            .subscriptions
            .iter()
            .filter(|subscription| subscription.customer == id && !subscription.status.is_over())
            .map(|subscription| subscription.id.clone())
            .collect();
        for subscription in live {
            self.end_subscription(&subscription);
        }
        self.tell::<Customer>("customer.deleted", id);
        self.edit::<Customer>(id, |customer| customer.deleted = true);
    }

    /// The live subscriptions of a customer, oldest first.
    pub fn subscriptions_of(&self, customer: &str) -> Vec<&Subscription> {
        self.state.subscriptions.iter().filter(|subscription| subscription.customer == customer).collect()
    }
}

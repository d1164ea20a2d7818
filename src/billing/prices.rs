//! What the plans cost. Amount, currency and interval are Stripe's; we only remember them for a while.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use stripe_product::price::RetrievePrice;

use super::Billing;
use crate::domain::money::{Currency, Money};

/// What a price says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    /// How much.
    pub amount: Money,
    /// How often: `day`, `week`, `month` or `year`, and every how many of them; nothing for a single payment.
    pub interval: Option<(String, u64)>,
}

/// The prices that are known by now.
#[derive(Clone, Debug, Default)]
pub struct Prices(Arc<RwLock<HashMap<String, Price>>>);

impl Prices {
    /// What is known of a price.
    pub fn get(&self, id: &str) -> Option<Price> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    fn keep(&self, id: &str, price: Price) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), price);
    }
}

impl Billing {
    /// Asks Stripe what the plans cost. One that can't be told now keeps what was known of it.
    pub async fn load_prices(&self) {
        for plan in self.plans.iter() {
            match self.client.get(&RetrievePrice::new(plan.price.as_str())).await {
                Ok(answer) => self.keep_price(&plan.price, &answer),
                Err(error) => tracing::warn!(plan = %plan.key, price = %plan.price, %error, "can't read a price"),
            }
        }
    }
}

impl Billing {
    fn keep_price(&self, id: &str, answer: &serde_json::Value) {
        if let Some(price) = read(answer) {
            self.prices.keep(id, price);
        } else {
            tracing::warn!(price = %id, "the price has no fixed amount");
        }
    }
}

fn read(answer: &serde_json::Value) -> Option<Price> {
    let amount = answer.get("unit_amount")?.as_i64()?;
    let currency = Currency::parse(answer.get("currency")?.as_str()?)?;
    let interval = answer.get("recurring").and_then(|recurring| {
        let count = recurring.get("interval_count").and_then(serde_json::Value::as_u64).unwrap_or(1);
        Some((recurring.get("interval")?.as_str()?.to_owned(), count))
    });
    Some(Price { amount: Money::new(amount, currency), interval })
}

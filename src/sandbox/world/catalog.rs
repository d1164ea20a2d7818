//! Products and their prices.

use serde::{Deserialize, Serialize};

use super::{Metadata, State, table::object};
use crate::sandbox::calendar::{Cadence, Interval};

#[derive(Clone, Serialize, Deserialize)]
pub struct Product {
    pub id: String,
    pub created: i64,
    pub updated: i64,
    pub name: String,
    pub description: Option<String>,
    pub active: bool,
    pub default_price: Option<String>,
    pub metadata: Metadata,
}

object!(Product, "product", products, crate::sandbox::json::catalog::product);

#[derive(Clone, Serialize, Deserialize)]
pub struct Price {
    pub id: String,
    pub created: i64,
    pub product: String,
    pub nickname: Option<String>,
    pub lookup_key: Option<String>,
    pub currency: String,
    /// Minor units of the currency.
    pub unit_amount: i64,
    /// None for a one-time price.
    pub recurring: Option<Cadence>,
    pub active: bool,
    pub metadata: Metadata,
}

object!(Price, "price", prices, crate::sandbox::json::catalog::price);

impl Price {
    /// "€9.00 every month", "€49.00 once".
    pub fn spell(&self) -> String {
        let amount = money(self.unit_amount, &self.currency);
        match self.recurring {
            None => format!("{amount} once"),
            Some(Cadence { interval, count: 1 }) => format!("{amount} every {}", interval.word()),
            Some(Cadence { interval, count }) => format!("{amount} every {count} {}s", interval.word()),
        }
    }
}

/// An amount in minor units with its currency: "€9.00".
pub fn money(minor: i64, currency: &str) -> String {
    let symbol = match currency {
        "eur" => "€".to_owned(),
        "usd" => "$".to_owned(),
        "gbp" => "£".to_owned(),
        other => format!("{} ", other.to_uppercase()),
    };
    let sign = if minor < 0 { "−" } else { "" };
    let minor = minor.unsigned_abs();
    if matches!(currency, "jpy" | "krw" | "vnd" | "clp") {
        return format!("{sign}{symbol}{minor}");
    }
    format!("{sign}{symbol}{}.{:02}", minor / 100, minor % 100)
}

impl State {
    /// What the sandbox sells before anybody adds to it.
    pub fn stock(&mut self, now: i64) {
        let product = |id: &str, name: &str, description: &str| Product {
            id: id.to_owned(),
            created: now,
            updated: now,
            name: name.to_owned(),
            description: Some(description.to_owned()),
            active: true,
            default_price: None,
            metadata: Metadata::new(),
        };
        let price = |id: &str, product: &str, nickname: &str, unit_amount: i64, recurring: Option<Cadence>| Price {
            id: id.to_owned(),
            created: now,
            product: product.to_owned(),
            nickname: Some(nickname.to_owned()),
            lookup_key: None,
            currency: "eur".to_owned(),
            unit_amount,
            recurring,
            active: true,
            metadata: Metadata::new(),
        };
        let every = |interval| Some(Cadence { interval, count: 1 });
        self.products.add(product(
            "prod_membership",
            "Membership",
            "Every premium page, as long as the membership runs.",
        ));
        self.products.add(product("prod_foreign", "Something else", "Another product of the same account."));
        self.prices.add(price("price_monthly", "prod_membership", "Monthly", 900, every(Interval::Month)));
        self.prices.add(price("price_yearly", "prod_membership", "Yearly", 9_000, every(Interval::Year)));
        self.prices.add(price("price_half_year", "prod_membership", "Six months, paid once", 4_900, None));
        self.prices.add(price("price_foreign", "prod_foreign", "Something else, monthly", 700, every(Interval::Month)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_written_with_its_currency() {
        assert_eq!(money(900, "eur"), "€9.00");
        assert_eq!(money(-5, "usd"), "−$0.05");
        assert_eq!(money(500, "jpy"), "JPY 500");
        assert_eq!(money(123_456, "chf"), "CHF 1234.56");
    }
}

//! The plans as they are shown: our names, Stripe's prices.

use super::plans::{PlanCard, PlanKind};
use crate::{billing::Billing, domain::plan};

/// A card for each plan that is sold here, in the order of the settings.
pub fn cards(billing: &Billing) -> Vec<PlanCard> {
    billing.plans.iter().map(|plan| card(billing, plan)).collect()
}

fn card(billing: &Billing, plan: &plan::Plan) -> PlanCard {
    let price = billing.prices.get(&plan.price);
    PlanCard {
        key: plan.key.clone(),
        name: plan.name.clone(),
        price: price.as_ref().map(|price| price.amount.to_string()),
        every: price.and_then(|price| price.interval).map(|(unit, count)| every(&unit, count)),
        kind: match plan.kind {
            plan::PlanKind::Recurring => PlanKind::Recurring,
            plan::PlanKind::Prepaid { months } => PlanKind::Prepaid { months },
        },
    }
}

fn every(unit: &str, count: u64) -> String {
    match count {
        1 => format!("a {unit}"),
        _ => format!("every {count} {unit}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_reads_as_words() {
        assert_eq!(every("month", 1), "a month");
        assert_eq!(every("month", 3), "every 3 months");
    }
}

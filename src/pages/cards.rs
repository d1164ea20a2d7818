//! The plans as they are shown: our names, Stripe's prices.

use super::plans::{PlanCard, PlanKind};
use crate::{billing::Billing, domain::plan, words::Words};

/// A card for each plan that is sold here, in the order of the settings.
pub fn cards(billing: &Billing, words: Words) -> Vec<PlanCard> {
    billing.plans.iter().map(|plan| card(billing, plan, words)).collect()
}

fn card(billing: &Billing, plan: &plan::Plan, words: Words) -> PlanCard {
    let price = billing.prices.get(&plan.price);
    PlanCard {
        key: plan.key.clone(),
        name: plan.name.clone(),
        price: price.as_ref().map(|price| price.amount.in_words_of(words.language())),
        every: price.and_then(|price| price.interval).and_then(|(unit, count)| every(words, &unit, count)),
        kind: match plan.kind {
            plan::PlanKind::Recurring => PlanKind::Recurring,
            plan::PlanKind::Prepaid { months } => PlanKind::Prepaid { months },
        },
    }
}

/// Stripe's units; nothing for one that it may have tomorrow.
fn every(words: Words, unit: &str, count: u64) -> Option<String> {
    let interval = match unit {
        "day" => words.say("plans-every-day"),
        "week" => words.say("plans-every-week"),
        "month" => words.say("plans-every-month"),
        "year" => words.say("plans-every-year"),
        _ => return None,
    };
    Some(interval.with("count", count).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::user::Language;

    #[test]
    fn an_interval_reads_as_words() {
        for (unit, count, english, chinese) in [
            ("day", 1, "a day", "天"),
            ("week", 1, "a week", "周"),
            ("week", 2, "every 2 weeks", "2 周"),
            ("month", 1, "a month", "月"),
            ("month", 3, "every 3 months", "3 个月"),
            ("year", 1, "a year", "年"),
            ("year", 21, "every 21 years", "21 年"),
        ] {
            let told = [Language::En, Language::ZhHans].map(|language| every(Words::of(language), unit, count));
            assert_eq!(told, [Some(english.to_owned()), Some(chinese.to_owned())]);
        }
        assert_eq!(every(Words::default(), "decade", 1), None);
    }
}

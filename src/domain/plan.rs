//! What can be bought.

/// One offer. Amount, currency and interval come from Stripe's price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Our name for it in forms and settings: small letters, digits, `-` and `_`.
    pub key: String,
    /// What people read.
    pub name: String,
    /// The id of the Stripe price.
    pub price: String,
    /// How it is paid.
    pub kind: PlanKind,
}

/// How a plan is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanKind {
    /// A Stripe subscription that renews by itself.
    Recurring,
    /// One payment for some months (`docs/rules.md` §6).
    Prepaid {
        /// How many calendar months one payment buys, 1 to 120.
        months: u32,
    },
}

/// All plans, in the order in which they are shown. No two share a key or a price.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plans(Vec<Plan>);

/// Why some plans can't stand together, in one sentence for the operator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlansError {
    /// Two plans have one key.
    #[error("two plans have the key \"{0}\"; give each plan a key of its own")]
    SameKey(String),
    /// Two plans have one price.
    #[error("two plans share the price \"{0}\"; give each plan a price of its own")]
    SamePrice(String),
    /// A key with other characters, or empty, or longer than 64.
    #[error("the plan key \"{0}\" must be 1 to 64 small letters, digits, \"-\" or \"_\"")]
    Key(String),
    /// No name, or one longer than 100 characters.
    #[error("the plan \"{0}\" needs a name of 1 to 100 characters")]
    Name(String),
    /// No price, or one that can't be a Stripe id.
    #[error("the plan \"{0}\" needs the id of a Stripe price, such as price_1AbC")]
    Price(String),
    /// No months, or more than ten years.
    #[error("the plan \"{0}\" must be for 1 to 120 months")]
    Months(String),
}

impl Plans {
    /// Puts plans together.
    pub fn new(plans: Vec<Plan>) -> Result<Self, PlansError> {
        for (position, plan) in plans.iter().enumerate() {
            check(plan)?;
            let before = || plans.iter().take(position);
            if before().any(|other| other.key == plan.key) {
                return Err(PlansError::SameKey(plan.key.clone()));
            }
            if before().any(|other| other.price == plan.price) {
                return Err(PlansError::SamePrice(plan.price.clone()));
            }
        }
        Ok(Self(plans))
    }

    /// The plan that a form names.
    pub fn by_key(&self, key: &str) -> Option<&Plan> {
        self.iter().find(|plan| plan.key == key)
    }

    /// The plan that a Stripe price belongs to. A price that is not here gives no access (`docs/rules.md` §5).
    pub fn by_price(&self, price: &str) -> Option<&Plan> {
        self.iter().find(|plan| plan.price == price)
    }

    /// All of them, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Plan> {
        self.0.iter()
    }

    /// Whether nothing can be bought.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> IntoIterator for &'a Plans {
    type Item = &'a Plan;
    type IntoIter = std::slice::Iter<'a, Plan>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

fn check(plan: &Plan) -> Result<(), PlansError> {
    let key_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
    if plan.key.is_empty() || plan.key.len() > 64 || !plan.key.chars().all(key_letter) {
        return Err(PlansError::Key(plan.key.clone()));
    }
    let name = plan.name.trim();
    if name.is_empty() || name.chars().nth(100).is_some() || name.chars().any(super::text::is_control) {
        return Err(PlansError::Name(plan.key.clone()));
    }
    if plan.price.is_empty() || plan.price.len() > 255 || !plan.price.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(PlansError::Price(plan.key.clone()));
    }
    if let PlanKind::Prepaid { months } = plan.kind
        && !(1..=120).contains(&months)
    {
        return Err(PlansError::Months(plan.key.clone()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(key: &str, price: &str) -> Plan {
        Plan { key: key.into(), name: "Monthly".into(), price: price.into(), kind: PlanKind::Recurring }
    }

    #[test]
    fn plans_that_can_not_stand_together_are_refused_by_name() {
        let prepaid = |months| Plan { kind: PlanKind::Prepaid { months }, ..plan("half-year", "p") };
        for (plans, error) in [
            (vec![plan("a", "p1"), plan("b", "p2"), plan("a", "p3")], PlansError::SameKey("a".into())),
            (vec![plan("a", "p1"), plan("b", "p1")], PlansError::SamePrice("p1".into())),
            (vec![plan("", "p")], PlansError::Key(String::new())),
            (vec![plan("Monthly plan", "p")], PlansError::Key("Monthly plan".into())),
            (vec![plan("a", "")], PlansError::Price("a".into())),
            (vec![plan("a", "price 1")], PlansError::Price("a".into())),
            (vec![Plan { name: " ".into(), ..plan("a", "p") }], PlansError::Name("a".into())),
            (vec![prepaid(0)], PlansError::Months("half-year".into())),
            (vec![prepaid(121)], PlansError::Months("half-year".into())),
        ] {
            assert_eq!(Plans::new(plans), Err(error));
        }
    }

    #[test]
    fn a_plan_is_found_by_key_or_price() {
        let plans = Plans::new(vec![plan("monthly", "price_m"), plan("yearly", "price_y")]).unwrap();
        assert_eq!(plans.by_key("yearly").unwrap().price, "price_y");
        assert_eq!(plans.by_price("price_m").unwrap().key, "monthly");
        assert_eq!(plans.by_key("price_m"), None);
        assert_eq!(plans.by_price("monthly"), None);
        assert_eq!(plans.iter().map(|plan| plan.key.as_str()).collect::<Vec<_>>(), ["monthly", "yearly"]);
    }
}

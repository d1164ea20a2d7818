//! Gates: the premium pages have one, and each application behind a proxy can have its own (`docs/rules.md §3`).

use super::subscription::{Kind, Subscription};

/// The key of the gate in front of the premium pages.
pub const PREMIUM: &str = "premium";

/// One gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// What it is called in addresses: small letters, digits and hyphens.
    pub key: String,
    /// What opens it.
    pub opens: Opens,
}

/// Which subscriptions open a gate, while they give access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opens {
    /// The keys of the plans; any plan where nothing is said. Settings live as long as the program.
    pub plans: Option<&'static [String]>,
    /// Whether the trial does.
    pub trial: bool,
}

impl Default for Opens {
    /// Everything opens it.
    fn default() -> Self {
        Self { plans: None, trial: true }
    }
}

impl Opens {
    /// Whether a subscription of this kind and plan opens it. Time that staff gave opens every gate: it has no plan.
    pub fn takes(&self, one: &Subscription) -> bool {
        match one.kind {
            Kind::Trial => self.trial,
            Kind::Complimentary => true,
            Kind::Recurring | Kind::Prepaid => {
                self.plans.is_none_or(|plans| one.plan.as_ref().is_some_and(|plan| plans.contains(plan)))
            }
        }
    }
}

/// The gates of a site, that of the premium pages among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gates(Vec<Gate>);

/// Why gates are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GatesError {
    /// It would not fit an address.
    #[error("\"{0}\" is no key for a gate; use small letters, digits and hyphens")]
    Key(String),
    /// Two can't be told apart.
    #[error("two gates have the key \"{0}\"")]
    Twice(String),
    /// Nobody could pass.
    #[error("nothing opens the gate \"{0}\"; name a plan, or let the trial open it")]
    Nothing(String),
}

impl Gates {
    /// Checks them. The premium pages get a gate that everything opens, unless they have one.
    ///
    /// # Errors
    /// A key that is none or stands twice, or a gate that nothing opens.
    pub fn new(mut gates: Vec<Gate>) -> Result<Self, GatesError> {
        for (place, gate) in gates.iter().enumerate() {
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if gate.key.is_empty() || gate.key.len() > 40 || !gate.key.chars().all(fits) {
                return Err(GatesError::Key(gate.key.clone()));
            }
            if gates.iter().take(place).any(|other| other.key == gate.key) {
                return Err(GatesError::Twice(gate.key.clone()));
            }
            if gate.opens.plans.is_some_and(<[String]>::is_empty) && !gate.opens.trial {
                return Err(GatesError::Nothing(gate.key.clone()));
            }
        }
        if gates.iter().all(|gate| gate.key != PREMIUM) {
            gates.insert(0, Gate { key: PREMIUM.to_owned(), opens: Opens::default() });
        }
        Ok(Self(gates))
    }

    /// The gate with this key.
    pub fn by_key(&self, key: &str) -> Option<&Gate> {
        self.0.iter().find(|gate| gate.key == key)
    }

    /// What opens the premium pages.
    pub fn premium(&self) -> Opens {
        self.by_key(PREMIUM).map(|gate| gate.opens).unwrap_or_default()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Gate> {
        self.0.iter()
    }
}

impl Default for Gates {
    fn default() -> Self {
        Self(vec![Gate { key: PREMIUM.to_owned(), opens: Opens::default() }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(key: &str, plans: Option<&'static [String]>, trial: bool) -> Gate {
        Gate { key: key.to_owned(), opens: Opens { plans, trial } }
    }

    #[test]
    fn what_is_no_gate_is_refused() {
        for key in ["", "Wiki", "a b", "a/b", "a_b", "é", &"a".repeat(41)] {
            assert_eq!(Gates::new(vec![gate(key, None, true)]), Err(GatesError::Key(key.to_owned())), "{key:?}");
        }
        let twice = vec![gate("wiki", None, true), gate("api", None, true), gate("wiki", None, false)];
        assert_eq!(Gates::new(twice), Err(GatesError::Twice("wiki".to_owned())));
        assert_eq!(Gates::new(vec![gate("wiki", Some(&[]), false)]), Err(GatesError::Nothing("wiki".to_owned())));
    }

    #[test]
    fn the_premium_pages_always_have_a_gate() {
        for given in [vec![], vec![gate("wiki", Some(&[]), true)]] {
            let gates = Gates::new(given).unwrap();
            assert_eq!(gates.by_key(PREMIUM), Some(&gate(PREMIUM, None, true)));
            assert_eq!(gates.premium(), Opens::default());
        }
        let own = Gates::new(vec![gate(PREMIUM, None, false)]).unwrap();
        assert_eq!((own.iter().count(), own.premium().trial), (1, false));
        assert_eq!(Gates::default(), Gates::new(vec![]).unwrap());
        assert_eq!(own.by_key("wiki"), None);
    }
}

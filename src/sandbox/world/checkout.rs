//! What a person does on the checkout page, and what the bank says later.

use serde::{Deserialize, Serialize};

use super::{Begin, Card, Customer, IntentStatus, Mode, PaymentIntent, Phase, Session, Settlement, World};
use crate::sandbox::ids;

/// How a visit to the checkout page ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Paid,
    Declined,
    UnpaidThenPaid,
    UnpaidThenFailed,
    Expired,
}

/// Seconds until the bank answers for a delayed method: long enough to see the state between.
pub const BANK_SECONDS: u32 = 5;

impl World<'_> {
    /// Ends an open session. `card` is what later renewals are charged to; the person is there for a second step now.
    /// The bank of a delayed method answers after `bank_seconds`.
    ///
    /// # Errors
    /// The session is not open any more: a sentence for the person.
    pub fn finish_checkout(&mut self, id: &str, outcome: Outcome, card: Card, bank_seconds: u32) -> Result<(), String> {
        let Some(session) = self.get::<Session>(id).cloned() else {
            return Err("There is no such checkout session.".to_owned());
        };
        match session.phase {
            Phase::Open => {}
            Phase::Complete => return Err("This checkout is complete: it can't be paid again.".to_owned()),
            Phase::Expired => return Err("This checkout has expired. Go back and start again.".to_owned()),
        }
        let answer = |succeeds| Some(Settlement { at: self.now + i64::from(bank_seconds), succeeds });
        match outcome {
            Outcome::Expired => self.expire_session(id),
            Outcome::Declined => self.decline(&session),
            Outcome::Paid => self.complete(session, card, None),
            Outcome::UnpaidThenPaid => self.complete(session, Card::Works, answer(true)),
            Outcome::UnpaidThenFailed => self.complete(session, Card::Declines, answer(false)),
        }
        Ok(())
    }

    pub fn expire_session(&mut self, id: &str) {
        self.edit::<Session>(id, |session| session.phase = Phase::Expired);
        self.tell::<Session>("checkout.session.expired", id);
    }

    fn decline(&mut self, session: &Session) {
        if session.amount_total > 0 {
            let intent = self.open_checkout_intent(session);
            self.charge(&intent, None, Card::Declines, true);
        }
    }

    fn complete(&mut self, session: Session, card: Card, settlement: Option<Settlement>) {
        let settlement = settlement.filter(|_| session.amount_total > 0);
        let customer = self.buyer(&session);
        let payment_status = match (session.amount_total > 0, &settlement) {
            (false, _) => "no_payment_required",
            (true, Some(_)) => "unpaid",
            (true, None) => "paid",
        };
        let id = session.id.clone();
        match session.mode {
            Mode::Payment => self.pay_once(&session, customer.as_deref(), card, settlement.is_some()),
            Mode::Subscription => {
                self.subscribe(session, customer.clone().unwrap_or_default(), card, settlement.is_some());
            }
        }
        self.edit::<Session>(&id, |session| {
            session.phase = Phase::Complete;
            payment_status.clone_into(&mut session.payment_status);
            session.customer = customer;
            session.settlement = settlement;
        });
        self.tell::<Session>("checkout.session.completed", &id);
    }

    /// The customer who pays: the session's, else a new one where Stripe makes one.
    fn buyer(&mut self, session: &Session) -> Option<String> {
        let makes_one = session.mode == Mode::Subscription || session.customer_creation.as_deref() == Some("always");
        if session.customer.is_some() || !makes_one {
            return session.customer.clone();
        }
        let email = session.customer_email.clone().or_else(|| Some("visitor@example.com".to_owned()));
        Some(self.create_customer(Customer { email, ..Customer::default() }))
    }

    fn pay_once(&mut self, session: &Session, customer: Option<&str>, card: Card, delayed: bool) {
        if session.amount_total == 0 {
            return;
        }
        let intent = self.open_checkout_intent(session);
        self.edit::<PaymentIntent>(&intent, |intent| intent.customer = customer.map(ToOwned::to_owned));
        self.edit::<Session>(&session.id, |session| session.payment_intent = Some(intent.clone()));
        if delayed {
            self.edit::<PaymentIntent>(&intent, |intent| intent.status = IntentStatus::Processing);
            self.tell::<PaymentIntent>("payment_intent.processing", &intent);
        } else {
            let method = self.add_card(None, card);
            self.charge(&intent, Some(&method), Card::Works, true);
        }
    }

    fn subscribe(&mut self, session: Session, customer: String, card: Card, delayed: bool) {
        let has_card = session.amount_total > 0 || session.payment_method_collection != "if_required";
        let payment_method = has_card.then(|| (self.add_card(Some(&customer), card), card));
        let subscription = self.begin_subscription(Begin {
            customer,
            items: session.line_items.iter().map(|item| (item.price.clone(), item.quantity)).collect(),
            trial_end: session.trial_from(self.now),
            metadata: session.data_metadata,
            description: session.data_description,
            payment_method,
            missing_card: session.missing_card,
            delayed,
            present: true,
        });
        let invoice = self.get::<super::Subscription>(&subscription).and_then(|facts| facts.latest_invoice.clone());
        self.edit::<Session>(&session.id, |session| {
            session.subscription = Some(subscription);
            session.invoice = invoice;
        });
    }

    fn open_checkout_intent(&mut self, session: &Session) -> String {
        let id = ids::new("pi_");
        self.state.payment_intents.add(PaymentIntent {
            id: id.clone(),
            created: self.now,
            customer: session.customer.clone(),
            amount: session.amount_total,
            currency: session.currency.clone(),
            status: IntentStatus::RequiresPaymentMethod,
            description: session.data_description.clone(),
            metadata: if session.mode == Mode::Payment {
                session.data_metadata.clone()
            } else {
                super::Metadata::new()
            },
            payment_method: None,
            latest_charge: None,
            invoice: None,
        });
        id
    }

    /// The bank answers for a delayed method.
    pub fn settle(&mut self, id: &str) {
        let Some(session) = self.get::<Session>(id).cloned() else { return };
        let Some(settlement) = session.settlement else { return };
        let card = if settlement.succeeds { Card::Works } else { Card::Declines };
        match (&session.invoice, &session.payment_intent) {
            (Some(invoice), _) => drop(self.collect_with(invoice, None, card, true)),
            (None, Some(intent)) => drop(self.charge(intent, None, card, true)),
            (None, None) => {}
        }
        self.edit::<Session>(id, |session| {
            session.settlement = None;
            if settlement.succeeds {
                "paid".clone_into(&mut session.payment_status);
            }
        });
        let word = if settlement.succeeds {
            "checkout.session.async_payment_succeeded"
        } else {
            "checkout.session.async_payment_failed"
        };
        self.tell::<Session>(word, id);
    }
}

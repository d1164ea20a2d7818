use proptest::prelude::*;

use super::*;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_780_000_000 + seconds, 0).unwrap()
}

fn euros() -> Option<Currency> {
    Currency::parse("eur")
}

fn purchase(status: PaymentStatus, seconds: i64) -> Purchase {
    Purchase {
        purpose: Purpose::Prepaid,
        subscription: None,
        plan: Some("half-year".to_owned()),
        months: Some(6),
        status,
        amount: 4_900,
        currency: euros(),
        happened_at: at(seconds),
    }
}

fn told(status: PaymentStatus, seconds: i64) -> News {
    let ids = PaymentIds { session: Some("cs_1".into()), intent: Some("pi_1".into()), ..PaymentIds::default() };
    News { ids, purchase: Some(purchase(status, seconds)), ..News::default() }
}

fn charge() -> News {
    let ids = PaymentIds { charge: Some("ch_1".into()), intent: Some("pi_1".into()), ..PaymentIds::default() };
    News { ids, receipt: Some(Receipt::Charge("https://pay.example/r/1".into())), ..News::default() }
}

fn refunded(amount: i64) -> News {
    News { amount_refunded: amount, reversed: amount >= 4_900, ..charge() }
}

fn disputed(word: &str) -> News {
    News { dispute: Some(word.to_owned()), reversed: word == "lost", ..charge() }
}

/// As the journal does it: what came before the payment was known waits until something tells what was bought.
fn after(news: &[News]) -> Payment {
    let mut known: Option<Payment> = None;
    let mut waiting = Vec::new();
    for one in news {
        match (&mut known, &one.purchase) {
            (Some(payment), _) => payment.learn(one, at(0)),
            (None, Some(purchase)) => {
                let mut payment = Payment::new(purchase);
                payment.learn(one, at(0));
                for early in &waiting {
                    payment.learn(early, at(0));
                }
                known = Some(payment);
            }
            (None, None) => waiting.push(one.clone()),
        }
    }
    known.unwrap()
}

#[test]
fn a_later_word_stays_whatever_is_heard_afterwards() {
    use PaymentStatus::{Failed, Paid, Pending};
    for (words, status, seconds) in [
        (vec![(Pending, 1)], Pending, 1),
        (vec![(Pending, 1), (Failed, 5)], Failed, 5),
        (vec![(Failed, 5), (Pending, 1)], Failed, 5),
        (vec![(Paid, 5), (Failed, 9)], Paid, 5),
        (vec![(Failed, 9), (Paid, 5)], Paid, 5),
        (vec![(Paid, 5), (Pending, 1), (Paid, 7)], Paid, 5),
        (vec![(Paid, 7), (Paid, 5)], Paid, 5),
    ] {
        let news: Vec<_> = words.iter().map(|(status, seconds)| told(*status, *seconds)).collect();
        let payment = after(&news);
        assert_eq!((payment.status, payment.happened_at), (status, at(seconds)), "{words:?}");
    }
}

#[test]
fn the_amount_is_that_of_the_furthest_word() {
    let invoice = |status, amount| News {
        purchase: Some(Purchase { amount, purpose: Purpose::Subscription, months: None, ..purchase(status, 1) }),
        ..News::default()
    };
    let (failed, paid) = (invoice(PaymentStatus::Failed, 900), invoice(PaymentStatus::Paid, 700));
    assert_eq!(after(&[failed.clone(), paid.clone()]).amount, 700);
    assert_eq!(after(&[paid, failed]).amount, 700);
}

#[test]
fn a_receipt_is_kept_and_that_of_an_invoice_is_preferred() {
    let invoice = News { receipt: Some(Receipt::Invoice("https://invoice.example/1".into())), ..News::default() };
    let (charged, paid) = (charge(), told(PaymentStatus::Paid, 1));
    assert_eq!(after(&[paid.clone(), charged.clone()]).receipt_url.as_deref(), Some("https://pay.example/r/1"));
    for news in [[paid.clone(), charged.clone(), invoice.clone()], [paid, invoice, charged]] {
        assert_eq!(after(&news).receipt_url.as_deref(), Some("https://invoice.example/1"));
    }
}

#[test]
fn the_end_of_a_dispute_says_more_than_its_course() {
    for (words, last) in [
        (["needs_response", "won"], "won"),
        (["won", "needs_response"], "won"),
        (["lost", "needs_response"], "lost"),
        (["won", "lost"], "lost"),
        (["lost", "won"], "lost"),
        (["warning_closed", "warning_needs_response"], "warning_closed"),
        (["under_review", "needs_response"], "under_review"),
        (["needs_response", "under_review"], "under_review"),
    ] {
        let payment = after(&[told(PaymentStatus::Paid, 1), disputed(words[0]), disputed(words[1])]);
        assert_eq!(payment.dispute.as_deref(), Some(last), "{words:?}");
        assert_eq!(payment.taken_back_at.is_some(), last == "lost", "{words:?}");
    }
}

#[test]
fn months_are_given_for_paid_ones_alone_and_once() {
    use PaymentStatus::{Failed, Paid, Pending};
    for (status, months) in [(Pending, None), (Failed, None), (Paid, Some(6))] {
        assert_eq!(after(&[told(status, 1)]).months_to_give(), months, "{status:?}");
    }
    let mut paid = after(&[told(Paid, 1)]);
    let invoice = Payment { purpose: Purpose::Subscription, ..paid.clone() };
    assert_eq!(invoice.months_to_give(), None);
    paid.added = Some(Period { start: at(0), end: at(9) });
    assert_eq!(paid.months_to_give(), None);
    assert_eq!(paid.span_to_take_back(), None);
    paid.learn(&refunded(4_899), at(3));
    assert_eq!((paid.span_to_take_back(), paid.is_refunded()), (None, false));
    paid.learn(&refunded(4_900), at(4));
    assert_eq!((paid.span_to_take_back(), paid.is_refunded()), (paid.added, true));
    paid.learn(&disputed("lost"), at(5));
    assert_eq!(paid.taken_back_at, Some(at(4)), "it went back a second time");
}

#[test]
fn an_id_of_another_payment_is_left_to_it() {
    let other = PaymentIds { intent: Some("pi_1".into()), charge: Some("ch_2".into()), ..PaymentIds::default() };
    let mut ids = charge().ids;
    ids.leave(&other);
    assert_eq!(ids, PaymentIds { charge: Some("ch_1".into()), ..PaymentIds::default() });
    assert_eq!(ids.known().collect::<Vec<_>>(), ["ch_1"]);
}

proptest! {
    #[test]
    fn any_order_with_any_repeats_ends_the_same(picks in proptest::collection::vec(0_usize..9, 0..24), swap in any::<u64>()) {
        let pool = [
            told(PaymentStatus::Pending, 1), told(PaymentStatus::Failed, 4), told(PaymentStatus::Paid, 3), charge(),
            refunded(100), refunded(4_900), disputed("needs_response"), disputed("won"), disputed("lost"),
        ];
        let mut news = vec![pool[0].clone()];
        news.extend(picks.iter().map(|pick| pool[*pick].clone()));
        let straight = after(&news);
        let mut seed = swap;
        for position in (1..news.len()).rev() {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            news.swap(position, usize::try_from(seed >> 33).unwrap() % (position + 1));
        }
        news.extend(news.clone());
        prop_assert_eq!(after(&news), straight);
    }
}

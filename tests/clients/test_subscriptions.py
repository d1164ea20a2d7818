"""The life of a subscription as the official client sees and steers it, while the sandbox's clock moves."""

import unittest

import stripe

from sandbox import DAY, HOUR, Case, advance, control, finish, now, period


class Steering(Case):
    def update(self, subscription, **params):
        return self.stripe.subscriptions.update(subscription.id, params=params)

    def test_read_and_listed(self):
        customer, subscription = self.member()
        self.assertIsInstance(subscription, stripe.Subscription)
        self.assertEqual((subscription.status, subscription.customer), ("active", customer.id))
        start, end = period(subscription)
        self.assertLess(start, end)
        self.assertNotIn("current_period_end", subscription)
        listed = self.stripe.subscriptions.list(params={"customer": customer.id, "price": "price_monthly"})
        self.assertEqual([one.id for one in listed.data], [subscription.id])
        self.assertEqual(self.stripe.subscriptions.list(params={"customer": customer.id, "status": "canceled"}).data, [])

    def test_every_page_of_a_list(self):
        customer = self.customer()
        made = [finish(self.session(customer))["subscription"] for _ in range(5)]
        pages = self.stripe.subscriptions.list(params={"customer": customer.id, "limit": 2})
        self.assertEqual([one.id for one in pages.auto_paging_iter()], made[::-1])

    def test_the_old_version_is_spoken_too(self):
        _, subscription = self.member()
        old = self.stripe.subscriptions.retrieve(subscription.id, options={"stripe_version": "2024-06-20"})
        self.assertEqual((old["current_period_start"], old["current_period_end"]), period(subscription))
        self.assertNotIn("current_period_end", old["items"].data[0])

    def test_cancelled_at_the_period_end_and_taken_back(self):
        _, subscription = self.member()
        ending = self.update(subscription, cancel_at_period_end=True)
        self.assertTrue(ending.cancel_at_period_end)
        self.assertEqual((ending.status, ending.cancel_at), ("active", period(subscription)[1]))
        self.assertEqual(ending.cancellation_details.reason, "cancellation_requested")
        back = self.update(subscription, cancel_at_period_end=False)
        self.assertEqual((back.cancel_at_period_end, back.cancel_at, back.canceled_at), (False, None, None))
        self.update(subscription, cancel_at_period_end=True)
        advance(32 * DAY)
        ended = self.stripe.subscriptions.retrieve(subscription.id)
        self.assertEqual((ended.status, ended.ended_at), ("canceled", period(subscription)[1]))

    def test_cancelled_at_a_date(self):
        _, subscription = self.member()
        at = now() + 5 * DAY
        ending = self.update(subscription, cancel_at=at)
        self.assertEqual((ending.cancel_at, ending.cancel_at_period_end), (at, False))
        self.assertIsNone(self.update(subscription, cancel_at="").cancel_at)
        self.refused(
            stripe.InvalidRequestError, 400, lambda: self.update(subscription, cancel_at=now() - 1), param="cancel_at"
        )

    def test_cancelled_at_once_for_good(self):
        customer, subscription = self.member()
        ended = self.stripe.subscriptions.cancel(
            subscription.id, params={"cancellation_details": {"comment": "too dear", "feedback": "too_expensive"}}
        )
        self.assertEqual((ended.status, ended.cancellation_details.feedback), ("canceled", "too_expensive"))
        self.refused(
            stripe.InvalidRequestError,
            404,
            lambda: self.stripe.subscriptions.cancel(subscription.id),
            code="resource_missing",
        )
        error = self.refused(
            stripe.InvalidRequestError, 400, lambda: self.update(subscription, cancel_at_period_end=False)
        )
        self.assertIn("canceled subscription", error.user_message)
        self.assertEqual(self.update(subscription, metadata={"note": "gone"}).metadata["note"], "gone")
        self.assertEqual(self.stripe.subscriptions.list(params={"customer": customer.id}).data, [])
        everything = self.stripe.subscriptions.list(params={"customer": customer.id, "status": "all"})
        self.assertEqual([one.id for one in everything.data], [subscription.id])

    def test_another_price_with_and_without_proration(self):
        _, subscription = self.member()
        item = subscription["items"].data[0].id
        before = period(subscription)
        advance(15 * DAY)
        changed = self.update(
            subscription, items=[{"id": item, "price": "price_yearly"}], proration_behavior="always_invoice"
        )
        self.assertEqual(changed["items"].data[0].price.id, "price_yearly")
        self.assertGreater(period(changed)[1], before[1] + 300 * DAY)
        invoice = self.stripe.invoices.retrieve(changed.latest_invoice)
        self.assertEqual((invoice.billing_reason, invoice.status), ("subscription_update", "paid"))
        credit = [line.amount for line in invoice.lines.data if line.amount < 0]
        self.assertEqual(len(credit), 1)
        self.assertEqual(invoice.amount_paid, 9000 + credit[0])

    def test_collection_is_paused_in_each_way_and_resumed(self):
        for behavior, status in [("void", "void"), ("mark_uncollectible", "uncollectible"), ("keep_as_draft", "draft")]:
            _, subscription = self.member()
            paused = self.update(subscription, pause_collection={"behavior": behavior})
            self.assertEqual((paused.status, paused.pause_collection.behavior), ("active", behavior))
            advance(31 * DAY + 2 * HOUR)
            renewed = self.stripe.subscriptions.retrieve(subscription.id)
            self.assertEqual(renewed.status, "active")
            self.assertEqual(period(renewed)[0], period(subscription)[1])
            self.assertEqual(self.stripe.invoices.retrieve(renewed.latest_invoice).status, status)
            self.assertIsNone(self.update(subscription, pause_collection="").pause_collection)


class Time(Case):
    def test_a_renewal_moves_first_and_is_charged_an_hour_later(self):
        _, subscription = self.member()
        end = period(subscription)[1]
        advance(end - now() + 60)
        moved = self.stripe.subscriptions.retrieve(subscription.id, params={"expand": ["latest_invoice"]})
        self.assertEqual((moved.status, period(moved)[0], moved.latest_invoice.status), ("active", end, "draft"))
        advance(HOUR)
        self.assertEqual(self.stripe.invoices.retrieve(moved.latest_invoice.id).status, "paid")

    def test_a_failed_renewal_is_past_due_then_recovers_or_ends(self):
        for recovers in (True, False):
            customer, subscription = self.member()
            control("POST", f"/_sandbox/customers/{customer.id}/card", {"card": "declines"})
            advance(period(subscription)[1] - now() + HOUR)
            late = self.stripe.subscriptions.retrieve(subscription.id, params={"expand": ["latest_invoice"]})
            self.assertEqual((late.status, late.latest_invoice.status), ("past_due", "open"))
            self.assertEqual(late.latest_invoice.attempt_count, 1)
            self.assertTrue(self.stripe.customers.retrieve(customer.id).delinquent)
            if recovers:
                control("POST", f"/_sandbox/customers/{customer.id}/card", {"card": "works"})
            advance(20 * DAY)
            last = self.stripe.subscriptions.retrieve(subscription.id)
            self.assertEqual(last.status, "active" if recovers else "canceled")
            if not recovers:
                self.assertEqual(last.cancellation_details.reason, "payment_failed")

    def test_a_trial_without_a_card_pauses_and_is_resumed(self):
        session = self.session(
            self.customer(),
            payment_method_collection="if_required",
            subscription_data={
                "trial_period_days": 5,
                "trial_settings": {"end_behavior": {"missing_payment_method": "pause"}},
            },
        )
        identity = finish(session)["subscription"]
        advance(6 * DAY)
        paused = self.stripe.subscriptions.retrieve(identity)
        self.assertEqual(paused.status, "paused")
        self.stripe.customers.update(
            paused.customer, params={"invoice_settings": {"default_payment_method": "pm_card_visa"}}
        )
        resumed = self.stripe.subscriptions.resume(identity)
        self.assertEqual(resumed.status, "active")
        self.assertAlmostEqual(period(resumed)[0], now(), delta=60)

    def test_a_trial_is_ended_early_and_charged(self):
        session = self.session(self.customer(), subscription_data={"trial_period_days": 30})
        identity = finish(session)["subscription"]
        active = self.stripe.subscriptions.update(identity, params={"trial_end": "now"})
        self.assertEqual(active.status, "active")
        self.assertEqual(self.stripe.invoices.retrieve(active.latest_invoice).amount_paid, 900)


if __name__ == "__main__":
    unittest.main()

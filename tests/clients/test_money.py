"""Invoices, payments of invoices, payment intents, charges, refunds and disputes as the official client sees them."""

import unittest

import stripe

from sandbox import HOUR, Case, advance, control, finish, now, period


class Money(Case):
    def bought(self):
        """A customer who has bought months, with the payment intent."""
        customer = self.customer()
        done = finish(self.session(customer, "price_half_year"))
        return customer, self.stripe.payment_intents.retrieve(done["payment_intent"])

    def test_invoices_are_read_listed_and_lead_to_their_payment(self):
        customer, subscription = self.member()
        invoices = self.stripe.invoices.list(params={"customer": customer.id, "status": "paid"})
        self.assertEqual([one.id for one in invoices.data], [subscription.latest_invoice])
        invoice = self.stripe.invoices.retrieve(subscription.latest_invoice)
        self.assertIsInstance(invoice, stripe.Invoice)
        self.assertEqual(invoice.parent.subscription_details.subscription, subscription.id)
        self.assertEqual((invoice.amount_paid, invoice.billing_reason), (900, "subscription_create"))
        self.assertEqual(invoice.lines.data[0].pricing.price_details.price, "price_monthly")
        self.assertNotIn("payment_intent", invoice)
        lines = self.stripe.invoices.line_items.list(invoice.id)
        self.assertEqual([line.amount for line in lines.data], [900])

        payments = self.stripe.invoice_payments.list(params={"invoice": invoice.id})
        payment = payments.data[0]
        self.assertIsInstance(payment, stripe.InvoicePayment)
        self.assertEqual((payment.status, payment.amount_paid), ("paid", 900))
        self.assertEqual(self.stripe.invoice_payments.retrieve(payment.id).invoice, invoice.id)
        intent = payment.payment.payment_intent
        back = self.stripe.invoice_payments.list(
            params={"payment": {"type": "payment_intent", "payment_intent": intent}}
        )
        self.assertEqual([one.invoice for one in back.data], [invoice.id])
        old = self.stripe.invoices.retrieve(invoice.id, options={"stripe_version": "2024-06-20"})
        self.assertEqual((old["payment_intent"], old["subscription"]), (intent, subscription.id))

    def test_an_open_invoice_is_paid(self):
        customer, subscription = self.member()
        control("POST", f"/_sandbox/customers/{customer.id}/card", {"card": "declines"})
        advance(period(subscription)[1] - now() + HOUR)
        invoice = self.stripe.invoices.list(params={"subscription": subscription.id, "status": "open"}).data[0]
        error = self.refused(
            stripe.CardError, 402, lambda: self.stripe.invoices.pay(invoice.id), code="card_declined"
        )
        self.assertEqual(error.error.decline_code, "generic_decline")
        paid = self.stripe.invoices.pay(invoice.id, params={"payment_method": "pm_card_visa"})
        self.assertEqual((paid.status, paid.amount_remaining), ("paid", 0))
        self.assertEqual(self.stripe.subscriptions.retrieve(subscription.id).status, "active")
        self.refused(stripe.InvalidRequestError, 400, lambda: self.stripe.invoices.pay(invoice.id))

    def test_intents_and_charges(self):
        customer, intent = self.bought()
        self.assertIsInstance(intent, stripe.PaymentIntent)
        self.assertEqual((intent.status, intent.amount, intent.customer), ("succeeded", 4900, customer.id))
        listed = self.stripe.payment_intents.list(params={"customer": customer.id})
        self.assertEqual([one.id for one in listed.data], [intent.id])
        charges = self.stripe.charges.list(params={"payment_intent": intent.id})
        self.assertEqual([one.id for one in charges.data], [intent.latest_charge])
        charge = self.stripe.charges.retrieve(intent.latest_charge, params={"expand": ["customer", "payment_intent"]})
        self.assertEqual((charge.paid, charge.refunded, charge.amount_refunded), (True, False, 0))
        self.assertEqual(charge.payment_intent.id, intent.id)
        self.assertTrue(charge.receipt_url)

    def test_money_goes_back_in_parts_and_in_full(self):
        _, intent = self.bought()
        part = self.stripe.refunds.create(
            params={"payment_intent": intent.id, "amount": 900, "reason": "requested_by_customer", "metadata": {"why": "x"}}
        )
        self.assertEqual((part.status, part.amount, part.charge), ("succeeded", 900, intent.latest_charge))
        charge = self.stripe.charges.retrieve(intent.latest_charge)
        self.assertEqual((charge.amount_refunded, charge.refunded), (900, False))
        self.refused(
            stripe.InvalidRequestError,
            400,
            lambda: self.stripe.refunds.create(params={"charge": charge.id, "amount": 4001}),
        )
        rest = self.stripe.refunds.create(params={"charge": charge.id})
        self.assertEqual(rest.amount, 4000)
        self.assertTrue(self.stripe.charges.retrieve(charge.id).refunded)
        self.refused(
            stripe.InvalidRequestError,
            400,
            lambda: self.stripe.refunds.create(params={"charge": charge.id}),
            code="charge_already_refunded",
        )
        listed = self.stripe.refunds.list(params={"payment_intent": intent.id})
        self.assertEqual([one.id for one in listed.data], [rest.id, part.id])
        self.assertEqual(self.stripe.refunds.retrieve(part.id).metadata["why"], "x")

    def test_a_subscription_payment_is_refunded_by_its_intent(self):
        _, subscription = self.member()
        payment = self.stripe.invoice_payments.list(params={"invoice": subscription.latest_invoice}).data[0]
        refund = self.stripe.refunds.create(params={"payment_intent": payment.payment.payment_intent})
        self.assertEqual(refund.amount, 900)

    def test_a_dispute_is_lost_by_not_fighting_it(self):
        _, intent = self.bought()
        opened = control("POST", "/_sandbox/disputes", {"payment_intent": intent.id, "reason": "fraudulent"})
        dispute = self.stripe.disputes.retrieve(opened["id"])
        self.assertIsInstance(dispute, stripe.Dispute)
        self.assertEqual((dispute.status, dispute.amount), ("needs_response", 4900))
        listed = self.stripe.disputes.list(params={"payment_intent": intent.id})
        self.assertEqual([one.id for one in listed.data], [dispute.id])
        self.assertTrue(self.stripe.charges.retrieve(intent.latest_charge).disputed)
        self.refused(
            stripe.InvalidRequestError,
            400,
            lambda: self.stripe.refunds.create(params={"payment_intent": intent.id}),
            code="charge_disputed",
        )
        self.assertEqual(self.stripe.disputes.close(dispute.id).status, "lost")

    def test_a_delayed_method_is_unpaid_until_the_bank_answers(self):
        for outcome, status, intent_status in [
            ("unpaid_then_paid", "paid", "succeeded"),
            ("unpaid_then_failed", "unpaid", "requires_payment_method"),
        ]:
            session = self.session(self.customer(), "price_half_year")
            done = finish(session, outcome, after_seconds=3 * HOUR)
            self.assertEqual((done["status"], done["payment_status"]), ("complete", "unpaid"))
            intent = self.stripe.payment_intents.retrieve(done["payment_intent"])
            self.assertEqual(intent.status, "processing")
            advance(2 * HOUR)
            self.assertEqual(self.stripe.payment_intents.retrieve(intent.id).status, "processing")
            advance(2 * HOUR)
            later = self.stripe.checkout.sessions.retrieve(session.id, params={"expand": ["payment_intent"]})
            self.assertEqual((later.payment_status, later.payment_intent.status), (status, intent_status))


if __name__ == "__main__":
    unittest.main()

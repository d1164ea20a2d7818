"""Customers, products, prices, checkout and portal sessions, and how lists, expansion and deletion look to the client."""

import unittest

import stripe

from sandbox import DAY, HOUR, Case, control, finish, now


class Customers(Case):
    def test_made_read_changed_listed_and_deleted(self):
        made = self.customer(name="Ada", address={"city": "Berlin", "country": "DE"}, preferred_locales=["de"])
        self.assertIsInstance(made, stripe.Customer)
        read = self.stripe.customers.retrieve(made.id)
        self.assertEqual((read.name, read.email, read.address.city), ("Ada", "ada@example.com", "Berlin"))
        changed = self.stripe.customers.update(
            made.id, params={"name": "Ada L.", "metadata": {"user": "", "colour": "red"}}
        )
        self.assertEqual((changed.name, changed.metadata.to_dict()), ("Ada L.", {"colour": "red"}))
        emptied = self.stripe.customers.update(made.id, params={"name": ""})
        self.assertIsNone(emptied.name)
        found = self.stripe.customers.list(params={"email": "ada@example.com", "limit": 100})
        self.assertIn(made.id, [one.id for one in found.data])
        self.assertEqual(self.stripe.customers.list(params={"email": "nobody@example.com"}).data, [])
        gone = self.stripe.customers.delete(made.id)
        self.assertTrue(gone.deleted)
        self.assertTrue(self.stripe.customers.retrieve(made.id).deleted)
        self.assertNotIn(made.id, [one.id for one in self.stripe.customers.list(params={"limit": 100}).data])

    def test_pages_are_turned_by_the_client_itself(self):
        mark = f"many{now()}@example.com"
        made = [self.customer(email=mark).id for _ in range(7)]
        pages = self.stripe.customers.list(params={"email": mark, "limit": 3})
        self.assertTrue(pages.has_more)
        self.assertEqual([one.id for one in pages.auto_paging_iter()], made[::-1])
        first = self.stripe.customers.list(params={"email": mark, "limit": 3, "ending_before": made[2]})
        self.assertEqual([one.id for one in first.data], [made[5], made[4], made[3]])
        self.assertEqual(self.stripe.customers.list(params={"created": {"gt": now() + 1}}).data, [])


class Catalogue(Case):
    def test_what_the_sandbox_sells(self):
        monthly = self.stripe.prices.retrieve("price_monthly", params={"expand": ["product"]})
        self.assertEqual((monthly.unit_amount, monthly.currency, monthly.type), (900, "eur", "recurring"))
        self.assertEqual((monthly.recurring.interval, monthly.recurring.interval_count), ("month", 1))
        self.assertIsInstance(monthly.product, stripe.Product)
        once = self.stripe.prices.retrieve("price_half_year")
        self.assertEqual((once.type, once.recurring), ("one_time", None))
        kinds = {price.id: price.type for price in self.stripe.prices.list(params={"limit": 100}).auto_paging_iter()}
        self.assertEqual(kinds["price_yearly"], "recurring")

    def test_products_and_prices_are_made_and_changed(self):
        product = self.stripe.products.create(params={"name": "A book", "metadata": {"shelf": "3"}})
        price = self.stripe.prices.create(
            params={
                "product": product.id,
                "currency": "EUR",
                "unit_amount": 1500,
                "recurring": {"interval": "week", "interval_count": 2},
                "lookup_key": f"book-{product.id}",
            }
        )
        self.assertEqual((price.currency, price.recurring.interval_count), ("eur", 2))
        other = self.stripe.prices.create(
            params={"product_data": {"name": "A pen"}, "currency": "eur", "unit_amount": 100}
        )
        self.assertEqual(self.stripe.products.retrieve(other.product).name, "A pen")
        found = self.stripe.prices.list(params={"lookup_keys": [f"book-{product.id}"], "active": True})
        self.assertEqual([one.id for one in found.data], [price.id])
        changed = self.stripe.products.update(product.id, params={"name": "The book", "default_price": price.id})
        self.assertEqual((changed.name, changed.default_price), ("The book", price.id))
        self.assertFalse(self.stripe.prices.update(price.id, params={"active": False}).active)
        self.assertEqual(self.stripe.prices.list(params={"product": product.id, "active": True}).data, [])
        self.refused(
            stripe.InvalidRequestError,
            400,
            lambda: self.session(self.customer(), price=price.id),
            param="line_items[0][price]",
        )


class Checkout(Case):
    def test_a_subscription_is_bought(self):
        customer = self.customer()
        session = self.session(customer, subscription_data={"metadata": {"user": "u1"}}, metadata={"plan": "monthly"})
        self.assertIsInstance(session, stripe.checkout.Session)
        self.assertEqual((session.status, session.payment_status, session.mode), ("open", "unpaid", "subscription"))
        self.assertEqual((session.amount_total, session.currency), (900, "eur"))
        self.assertTrue(session.url)
        finish(session)
        done = self.stripe.checkout.sessions.retrieve(session.id, params={"expand": ["subscription", "line_items"]})
        self.assertEqual((done.status, done.payment_status, done.url), ("complete", "paid", None))
        self.assertEqual(done.subscription.status, "active")
        self.assertEqual(done.subscription.metadata.to_dict(), {"user": "u1"})
        self.assertEqual(done.line_items.data[0].price.id, "price_monthly")
        self.assertEqual((done.client_reference_id, done.metadata.to_dict()), ("u1", {"plan": "monthly"}))

    def test_months_are_bought_once(self):
        customer = self.customer()
        session = self.session(
            customer, "price_half_year", payment_intent_data={"metadata": {"months": "6"}}, metadata={"months": "6"}
        )
        self.assertEqual((session.mode, session.amount_total, session.subscription), ("payment", 4900, None))
        finish(session)
        done = self.stripe.checkout.sessions.retrieve(session.id, params={"expand": ["payment_intent.latest_charge"]})
        self.assertEqual((done.payment_intent.status, done.payment_intent.amount_received), ("succeeded", 4900))
        self.assertEqual(done.payment_intent.metadata.to_dict(), {"months": "6"})
        self.assertTrue(done.payment_intent.latest_charge.paid)
        lines = self.stripe.checkout.sessions.line_items.list(session.id)
        self.assertEqual([(line.price.id, line.quantity, line.amount_total) for line in lines.data], [("price_half_year", 1, 4900)])

    def test_what_is_left_goes_on_as_a_trial(self):
        end = now() + 100 * DAY
        for data, expected in [({"trial_end": end}, end), ({"trial_period_days": 2}, None)]:
            session = self.session(self.customer(), subscription_data=data)
            self.assertEqual(session.amount_total, 0)
            done = finish(session)
            self.assertEqual(done["payment_status"], "no_payment_required")
            subscription = self.stripe.subscriptions.retrieve(done["subscription"])
            self.assertEqual(subscription.status, "trialing")
            self.assertEqual(subscription.trial_end, expected or subscription.trial_start + 2 * DAY)
        for data, name in [
            ({"trial_end": now() + 47 * HOUR}, "trial_end"),
            ({"trial_end": now() + 731 * DAY}, "trial_end"),
            ({"trial_period_days": 0}, "trial_period_days"),
            ({"trial_end": end, "trial_period_days": 3}, "trial_end"),
        ]:
            self.refused(
                stripe.InvalidRequestError,
                400,
                lambda: self.session(self.customer(), subscription_data=data),
                param=f"subscription_data[{name}]",
            )

    def test_sessions_are_found_by_customer_and_status_and_expired(self):
        customer = self.customer()
        first, second = self.session(customer), self.session(customer)
        self.session(self.customer())
        listed = lambda **filters: [
            one.id for one in self.stripe.checkout.sessions.list(params={"customer": customer.id, **filters}).data
        ]
        self.assertEqual(listed(), [second.id, first.id])
        expired = self.stripe.checkout.sessions.expire(first.id)
        self.assertEqual((expired.status, expired.url), ("expired", None))
        self.refused(
            stripe.InvalidRequestError, 400, lambda: self.stripe.checkout.sessions.expire(first.id)
        )
        done = finish(second)
        self.assertEqual(listed(status="open"), [])
        self.assertEqual(listed(status="expired"), [first.id])
        self.assertEqual(listed(status="complete", subscription=done["subscription"]), [second.id])

    def test_a_price_that_is_made_on_the_spot(self):
        session = self.stripe.checkout.sessions.create(
            params={
                "mode": "payment",
                "customer": self.customer().id,
                "line_items": [
                    {"quantity": 2, "price_data": {"currency": "eur", "unit_amount": 250, "product_data": {"name": "Tea"}}}
                ],
                "success_url": "http://127.0.0.1:9/return",
            }
        )
        self.assertEqual(session.amount_total, 500)


class Portal(Case):
    def test_a_session_leads_to_a_page(self):
        session = self.stripe.billing_portal.sessions.create(
            params={"customer": self.customer().id, "return_url": "http://127.0.0.1:9/account"}
        )
        self.assertIsInstance(session, stripe.billing_portal.Session)
        self.assertEqual((session.object, session.return_url), ("billing_portal.session", "http://127.0.0.1:9/account"))
        self.assertTrue(session.url)
        self.refused(
            stripe.InvalidRequestError,
            400,
            lambda: self.stripe.billing_portal.sessions.create(params={"customer": "cus_x"}),
            param="customer",
            code="resource_missing",
        )


class Expansion(Case):
    def test_names_become_objects_where_asked(self):
        _, subscription = self.member()
        whole = self.stripe.subscriptions.retrieve(
            subscription.id, params={"expand": ["customer", "latest_invoice.payments", "items.data.price.product"]}
        )
        self.assertIsInstance(whole.customer, stripe.Customer)
        self.assertIsInstance(whole.latest_invoice, stripe.Invoice)
        self.assertEqual(whole.latest_invoice.payments.data[0].payment.type, "payment_intent")
        self.assertEqual(whole["items"].data[0].price.product.name, "Membership")
        listed = self.stripe.subscriptions.list(params={"customer": whole.customer.id, "expand": ["data.customer"]})
        self.assertEqual(listed.data[0].customer.email, "ada@example.com")
        self.refused(
            stripe.InvalidRequestError,
            400,
            lambda: self.stripe.subscriptions.retrieve(subscription.id, params={"expand": ["nonsense"]}),
        )


class Requests(Case):
    def test_the_sandbox_shows_what_the_client_asked(self):
        customer = self.customer(metadata={"user": "u 1&2"})
        log = control("GET", "/_sandbox/requests")["requests"]
        mine = [one for one in log if one["method"] == "POST" and one["path"] == "/v1/customers"][-1]
        self.assertEqual(mine["params"]["metadata"], {"user": "u 1&2"})
        self.assertEqual(mine["status"], 200)
        self.assertTrue(mine["idempotency_key"])
        self.assertTrue(customer.id.startswith("cus_"))


if __name__ == "__main__":
    unittest.main()

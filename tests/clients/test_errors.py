"""What goes wrong, as the official client tells it: its error classes, retries and idempotency keys."""

import time
import unittest
import uuid

import stripe

from sandbox import Case, advance, client, control


class Errors(Case):
    def setUp(self):
        super().setUp()
        # Its own pauses are half a second and more.
        stripe.HTTPClient.INITIAL_DELAY, stripe.HTTPClient.MAX_DELAY = 0.01, 0.05

    def tearDown(self):
        control("DELETE", "/_sandbox/fail")

    def fault(self, **fault):
        control("POST", "/_sandbox/fail", fault)

    def test_what_is_not_there(self):
        self.refused(
            stripe.InvalidRequestError, 404, lambda: self.stripe.customers.retrieve("cus_x"), code="resource_missing", param="id"
        )
        for create in [
            lambda: self.stripe.checkout.sessions.create(
                params={
                    "mode": "subscription",
                    "customer": "cus_x",
                    "line_items": [{"price": "price_monthly", "quantity": 1}],
                    "success_url": "http://127.0.0.1:9/",
                }
            ),
            lambda: self.stripe.billing_portal.sessions.create(params={"customer": "cus_x"}),
            lambda: self.stripe.subscriptions.list(params={"customer": "cus_x"}),
            lambda: self.stripe.invoices.list(params={"customer": "cus_x"}),
        ]:
            self.refused(stripe.InvalidRequestError, 400, create, code="resource_missing", param="customer")

    def test_a_deleted_customer_can_neither_buy_nor_be_changed(self):
        customer = self.customer()
        self.stripe.customers.delete(customer.id)
        self.refused(
            stripe.InvalidRequestError, 400, lambda: self.session(customer), code="resource_missing", param="customer"
        )
        self.refused(
            stripe.InvalidRequestError,
            404,
            lambda: self.stripe.customers.update(customer.id, params={"name": "x"}),
            code="resource_missing",
        )

    def test_parameters(self):
        self.refused(
            stripe.InvalidRequestError,
            400,
            lambda: self.stripe.customers.create(params={"mail": "ada@example.com"}),
            code="parameter_unknown",
            param="mail",
        )
        self.refused(
            stripe.InvalidRequestError,
            400,
            lambda: self.stripe.checkout.sessions.create(params={"mode": "subscription"}),
            code="parameter_missing",
        )
        self.refused(
            stripe.InvalidRequestError,
            400,
            lambda: self.stripe.customers.create(params={"email": "nonsense"}),
            code="email_invalid",
        )

    def test_keys(self):
        for key in ("sk_live_0000000000000000", "pk_test_1", "nonsense"):
            error = self.refused(stripe.AuthenticationError, 401, lambda: client(key).customers.list())
            self.assertNotIn(key, error.user_message)

    def test_too_many_requests(self):
        self.fault(path_prefix="/v1/customers", status=429)
        error = self.refused(stripe.RateLimitError, 429, self.stripe.customers.list)
        self.assertEqual(error.error.code, "rate_limit")
        self.assertTrue(error.request_id.startswith("req_"))
        self.stripe.customers.list()

    def test_the_client_tries_again_with_the_same_key(self):
        for status in (409, 500, 502, 503):
            self.fault(path_prefix="/v1/customers", method="POST", status=status, times=2)
            name = f"after {status} {uuid.uuid4()}"
            made = client(max_network_retries=3).customers.create(params={"name": name})
            self.assertEqual(made.name, name)
            log = [one for one in control("GET", "/_sandbox/requests")["requests"] if one["params"].get("name") == name]
            self.assertEqual([one["status"] for one in log], [status, status, 200])
            self.assertEqual(len({one["idempotency_key"] for one in log}), 1)

    def test_what_lies_in_between_answers_in_html(self):
        self.fault(path_prefix="/v1/prices", status=502)
        error = self.refused(stripe.APIError, 502, self.stripe.prices.list)
        self.assertIn("<html", error.http_body)

    def test_silence(self):
        self.fault(path_prefix="/v1/prices", hang_ms=3_000)
        hasty = client(http_client=stripe.RequestsClient(timeout=0.3))
        start = time.monotonic()
        with self.assertRaises(stripe.APIConnectionError):
            hasty.prices.list()
        self.assertLess(time.monotonic() - start, 2)

    def test_a_key_makes_one_thing_and_is_bound_to_what_was_asked(self):
        key = str(uuid.uuid4())
        make = lambda name: self.stripe.customers.create(params={"name": name}, options={"idempotency_key": key})
        first, again = make("Ada"), make("Ada")
        self.assertEqual(first.id, again.id)
        self.assertEqual(again.last_response.headers["Idempotent-Replayed"], "true")
        self.assertEqual(
            again.last_response.headers["Original-Request"], first.last_response.headers["Request-Id"]
        )
        self.refused(stripe.IdempotencyError, 400, lambda: make("Bob"))
        advance(25 * 3_600)
        self.assertNotEqual(make("Bob").id, first.id)

    def test_an_answer_that_was_lost_is_found_by_its_key(self):
        self.fault(path_prefix="/v1/customers", method="POST", status=500, after=True)
        made = client(max_network_retries=2).customers.create(params={"name": "Lost and found"})
        self.assertEqual(made.last_response.headers["Idempotent-Replayed"], "true")


if __name__ == "__main__":
    unittest.main()

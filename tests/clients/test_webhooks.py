"""Events as they are delivered: the official library checks signature and form of every body that really arrived."""

import http.server
import queue
import threading
import time
import unittest

import stripe

from sandbox import Case, advance, control, finish, HOUR


class Receiver:
    """An endpoint of one's own on a free port. It answers with the statuses that it is told, then with 200."""

    def __init__(self):
        self.letters = queue.Queue()
        self.statuses = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.letters.put((body, self.headers["Stripe-Signature"], time.monotonic()))
                self.send_response(receiver.statuses.pop(0) if receiver.statuses else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook"
        serve = lambda: self.server.serve_forever(poll_interval=0.02)
        threading.Thread(target=serve, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def take(self, count):
        """The next letters, as they came."""
        return [self.letters.get(timeout=15) for _ in range(count)]


class Webhooks(Case):
    def setUp(self):
        super().setUp()
        # Nobody listens where the app would be.
        self.stripe.webhook_endpoints.update("we_turnpike", params={"disabled": True})
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)
        self.endpoint = self.stripe.webhook_endpoints.create(
            params={"url": self.receiver.url, "enabled_events": ["*"], "description": "of the test"}
        )
        self.addCleanup(lambda: self.stripe.webhook_endpoints.delete(self.endpoint.id))
        self.addCleanup(self.switch, hold=False, order="as_is", copies=1, delay_ms=0, shape="items")

    def switch(self, **switches):
        control("POST", "/_sandbox/delivery", switches)

    def events(self, count):
        """The next events, each checked by the library with its usual tolerance."""
        return [
            stripe.Webhook.construct_event(body, signature, self.endpoint.secret)
            for body, signature, _ in self.receiver.take(count)
        ]

    def test_bodies_and_signatures_are_good_and_tampered_ones_are_not(self):
        customer = self.customer()
        body, signature, _ = self.receiver.take(1)[0]
        event = stripe.Webhook.construct_event(body, signature, self.endpoint.secret)
        self.assertIsInstance(event, stripe.Event)
        self.assertEqual((event.type, event.data.object.id), ("customer.created", customer.id))
        self.assertIsInstance(event.data.object, stripe.Customer)
        self.assertTrue(event.request.id.startswith("req_"))
        for wrong in [
            (body.replace(b"ada", b"eve"), signature, self.endpoint.secret),
            (body + b" ", signature, self.endpoint.secret),
            (body, signature, "whsec_another"),
            (body, signature.replace("v1=", "v0="), self.endpoint.secret),
            (body, signature.replace("t=1", "t=2"), self.endpoint.secret),
        ]:
            with self.assertRaises(stripe.SignatureVerificationError):
                stripe.Webhook.construct_event(*wrong)

    def test_a_purchase_is_told_in_events_that_can_be_read_again(self):
        customer = self.customer()
        done = finish(self.session(customer))
        events = self.events(11)
        self.assertEqual(
            [event.type for event in events],
            [
                "customer.created",
                "payment_method.attached",
                "customer.subscription.created",
                "invoice.created",
                "invoice.finalized",
                "charge.succeeded",
                "payment_intent.succeeded",
                "invoice.paid",
                "invoice.payment_succeeded",
                "invoice_payment.paid",
                "checkout.session.completed",
            ],
        )
        self.assertEqual(events[2].data.object["items"].data[0].price.id, "price_monthly")
        self.assertEqual(events[-1].data.object.subscription, done["subscription"])
        for event in events:
            again = self.stripe.events.retrieve(event.id)
            self.assertEqual((again.type, again.data.object.to_dict()), (event.type, event.data.object.to_dict()))
        kind = self.stripe.events.list(params={"type": "checkout.session.*", "limit": 1})
        self.assertEqual([event.id for event in kind.data], [events[-1].id])
        several = self.stripe.events.list(params={"types": ["invoice.paid", "charge.succeeded"], "limit": 2})
        self.assertEqual([event.type for event in several.data], ["invoice.paid", "charge.succeeded"])

    def test_an_update_tells_what_was_there_before(self):
        customer = self.customer()
        self.stripe.customers.update(customer.id, params={"name": "Ada"})
        update = self.events(2)[1]
        self.assertEqual(update.data.previous_attributes["name"], None)

    def test_an_endpoint_gets_its_kinds_and_its_version(self):
        chosen = Receiver()
        self.addCleanup(chosen.close)
        made = self.stripe.webhook_endpoints.create(
            params={"url": chosen.url, "enabled_events": ["customer.deleted"], "api_version": "2024-06-20"}
        )
        self.assertTrue(made.secret.startswith("whsec_"))
        self.assertNotIn("secret", self.stripe.webhook_endpoints.retrieve(made.id))
        self.assertIn(made.id, [one.id for one in self.stripe.webhook_endpoints.list().data])
        self.stripe.customers.delete(self.customer().id)
        body, signature, _ = chosen.take(1)[0]
        event = stripe.Webhook.construct_event(body, signature, made.secret)
        self.assertEqual((event.type, event.api_version), ("customer.deleted", "2024-06-20"))
        paused = self.stripe.webhook_endpoints.update(made.id, params={"disabled": True})
        self.assertEqual(paused.status, "disabled")
        self.assertTrue(self.stripe.webhook_endpoints.delete(made.id).deleted)

    def test_a_failed_delivery_comes_again_after_growing_pauses_with_a_fresh_signature(self):
        self.receiver.statuses = [500, 503]
        self.customer()
        first, second, third = self.receiver.take(3)
        self.assertEqual({first[0], second[0], third[0]}, {first[0]})
        self.assertGreater(third[2] - second[2], second[2] - first[2])
        stripe.Webhook.construct_event(third[0], third[1], self.endpoint.secret)
        self.assertNotEqual(first[1], third[1])

    def test_held_back_reversed_and_twice(self):
        customer = self.customer()
        self.events(1)
        self.switch(hold=True)
        for name in ("a", "b", "c"):
            self.stripe.customers.update(customer.id, params={"name": name})
        time.sleep(0.2)
        self.assertTrue(self.receiver.letters.empty())
        self.switch(hold=False, order="reversed", copies=2)
        names = [event.data.object.name for event in self.events(6)]
        self.assertEqual(sorted(names), ["a", "a", "b", "b", "c", "c"])
        self.assertEqual(list(dict.fromkeys(names)), ["c", "b", "a"])

    def test_the_old_shape(self):
        customer, subscription = self.member()
        self.events(11)
        self.switch(shape="subscription")
        self.stripe.subscriptions.update(subscription.id, params={"metadata": {"a": "b"}})
        event = self.events(1)[0]
        self.assertEqual(event.api_version, "2024-06-20")
        self.assertGreater(event.data.object["current_period_end"], event.data.object["current_period_start"])
        self.assertNotIn("current_period_end", event.data.object["items"].data[0])
        del customer

    def test_time_has_no_request(self):
        self.session(self.customer(), expires_at=None)
        self.events(1)
        advance(25 * HOUR)
        body, signature, _ = self.receiver.take(1)[0]
        event = stripe.Webhook.construct_event(body, signature, self.endpoint.secret)
        self.assertEqual((event.type, event.request.id), ("checkout.session.expired", None))


if __name__ == "__main__":
    unittest.main()

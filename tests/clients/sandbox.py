"""What the scripts beside this one share: the official client, pointed at a sandbox, and the sandbox's control surface.

The address of the sandbox is in SANDBOX_URL.
"""

import json
import os
import unittest
import urllib.request

import stripe

URL = os.environ["SANDBOX_URL"]
DAY = 86_400
HOUR = 3_600

# Nothing but this machine may be asked, whatever the machine's settings say.
os.environ["NO_PROXY"] = "*"


def client(key="sk_test_of_the_official_client", **options):
    """The typed client as its manual says, with another address."""
    options.setdefault("max_network_retries", 0)
    return stripe.StripeClient(key, base_addresses={"api": URL}, **options).v1


def control(method, path, body=None):
    """Asks the control surface; the answer's JSON."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data=data, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def now():
    """The sandbox's time."""
    return control("GET", "/_sandbox/clock")["now"]


def advance(seconds):
    """Moves the sandbox's clock."""
    control("POST", "/_sandbox/clock", {"advance_seconds": seconds})


def finish(session, outcome="paid", **more):
    """Does what a person does on the checkout page; the session afterwards."""
    return control("POST", f"/_sandbox/checkout/{session.id}", {"outcome": outcome, **more})


class Case(unittest.TestCase):
    """A test with a client, and people who have paid already."""

    def setUp(self):
        self.stripe = client()

    def customer(self, **params):
        return self.stripe.customers.create(params={"email": "ada@example.com", "metadata": {"user": "u1"}, **params})

    def session(self, customer, price="price_monthly", **params):
        mode = "payment" if price == "price_half_year" else "subscription"
        return self.stripe.checkout.sessions.create(
            params={
                "mode": mode,
                "customer": customer.id,
                "client_reference_id": "u1",
                "line_items": [{"price": price, "quantity": 1}],
                "success_url": "http://127.0.0.1:9/return?session={CHECKOUT_SESSION_ID}",
                "cancel_url": "http://127.0.0.1:9/plans",
                **params,
            }
        )

    def member(self, **params):
        """A customer with a subscription that is paid for a month."""
        customer = self.customer()
        session = self.session(customer, **params)
        done = finish(session)
        return customer, self.stripe.subscriptions.retrieve(done["subscription"])

    def refused(self, kind, status, call, **facts):
        """Insists that a call fails with this error, and gives it."""
        with self.assertRaises(kind) as caught:
            call()
        error = caught.exception
        self.assertIs(type(error), kind)
        self.assertEqual(error.http_status, status)
        for name, value in facts.items():
            self.assertEqual(getattr(error, name), value, f"{name} of {error!r}")
        return error


def period(subscription):
    """Start and end of the first item's period."""
    item = subscription["items"].data[0]
    return item.current_period_start, item.current_period_end

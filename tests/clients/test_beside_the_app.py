"""An operator's script: the official client acts at Stripe, and the app follows by webhooks alone.

APP_URL is the app, COOKIE a member's session cookie, USER the member's public id. The member has opened the checkout.
"""

import json
import os
import unittest
import urllib.request

from sandbox import DAY, Case, advance, control, finish, now, period


def me():
    """What the app says about the member, once it has heard everything."""
    settled = control("GET", "/_sandbox/deliveries?wait_ms=20000")
    assert settled["pending"] == 0, settled["waiting"]
    request = urllib.request.Request(os.environ["APP_URL"] + "/api/v1/me", headers={"Cookie": os.environ["COOKIE"]})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


class Operator(Case):
    def test_the_app_follows_what_happens_at_stripe(self):
        user = os.environ["USER_ID"]
        before = me()
        self.assertEqual(before["subscription"]["kind"], "trial")
        customer = next(one for one in self.stripe.customers.list().data if one.metadata["user_id"] == user)
        session = self.stripe.checkout.sessions.list(params={"customer": customer.id, "status": "open"}).data[0]
        self.assertEqual(session.client_reference_id, user)

        advance(2)
        done = finish(session)
        subscription = self.stripe.subscriptions.retrieve(done["subscription"])
        self.assertEqual(subscription.metadata["user_id"], user)
        paid = me()
        self.assertEqual((paid["subscription"]["kind"], paid["subscription"]["status"]), ("recurring", "trialing"))
        self.assertTrue(paid["access"]["granted"] and paid["access"]["renews"])

        advance(2)
        self.stripe.subscriptions.update(subscription.id, params={"cancel_at_period_end": True})
        self.assertFalse(me()["access"]["renews"])
        # Two words within a second would be a tie, about which the app asks later.
        advance(2)
        self.stripe.subscriptions.update(subscription.id, params={"cancel_at_period_end": False})
        self.assertTrue(me()["access"]["renews"])

        advance(period(subscription)[1] - now() + DAY)
        renewed = self.stripe.subscriptions.retrieve(subscription.id)
        self.assertEqual(renewed.status, "active")
        self.stripe.subscriptions.update(
            renewed.id, params={"items": [{"id": renewed["items"].data[0].id, "price": "price_yearly"}]}
        )

        self.assertEqual(me()["subscription"]["plan"], "yearly")
        self.assertEqual({entry["status"] for entry in control("GET", "/_sandbox/deliveries")["deliveries"]}, {200})


if __name__ == "__main__":
    unittest.main()

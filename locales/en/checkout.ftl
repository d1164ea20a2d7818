# Back from paying.
checkout-look-again = Look again
checkout-look-again-now = Look again now

checkout-pending = Your payment is being confirmed
checkout-pending-text = Thank you. We wait for Stripe’s word, which mostly takes a few seconds. This page looks again by itself.
checkout-slow = Your payment is still being confirmed
checkout-slow-text = This takes longer than usual. Nothing is lost: as soon as Stripe tells us that it is paid, your access opens, also when you close this page.
checkout-slow-aside = You need not pay a second time. If you left Stripe’s page without paying, nothing is charged: <a href="/plans">choose again</a>.
checkout-delayed = Your payment is being confirmed by your bank
checkout-delayed-text = That takes a few days. We open your access when the money has arrived; you need not do anything, and need not pay a second time.
checkout-active = You are subscribed
checkout-active-once = Your payment has arrived
checkout-active-text = Your payment is confirmed. Enjoy reading.
checkout-back = Go on to { $host }
checkout-failed = The payment was refused
checkout-failed-text = Your bank did not let it through, and nothing was charged. You can try again with another card or another way to pay.
checkout-closed = Nothing was paid
checkout-closed-text = That payment page was closed before anything was paid, and nothing was charged. Choose a plan to try again.
checkout-nothing = No payment is being confirmed
checkout-nothing-text = This page follows a payment of yours, and there is none under way here. Your account says how things stand.

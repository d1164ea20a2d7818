payments-title = Payments
payments-paid = Paid
payments-pending = Being confirmed
payments-failed = Not paid
payments-partly-refunded = Partly refunded
payments-refunded = Refunded
payments-disputed = Disputed
payments-charged-back = Charged back
payments-amount-refunded = { $amount } refunded
payments-receipt = Receipt<span class="unseen"> for { $what }, { $moment }</span>
payments-pay = Pay it<span class="unseen">: { $what }, { $moment }</span>
payments-being-confirmed = A payment of yours is being confirmed, which can take a few days. You need not pay again: your access opens when the money has arrived.
payments-newest = These are the newest { $count }. Ask us about older ones.
payments-subscription = Subscription

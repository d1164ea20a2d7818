plans-title = Plans
plans-choose-one = Choose one, and read from the moment the payment is confirmed.
plans-left = You have { $left } left, until { $until }. They are carried over: whichever plan you choose, its time begins when they are used up.
plans-have = You have the plan { $plan }.
plans-have-renews = You have the plan { $plan }. Renews on { $until }.
plans-have-ends = You have the plan { $plan }. Ends on { $until }.
plans-nothing-twice = There is nothing to buy a second time: change the plan on Stripe’s page, or buy another one when this one has ended. <a href="/account">To your account</a>
plans-none = There is nothing to buy just now.
plans-choose = Choose<span class="unseen"> { $plan }</span>
plans-go-on = Go on with this plan<span class="unseen"> { $plan }</span>
plans-at-stripe = You pay on Stripe’s page. Your card number does not reach this site.
plans-came-back = You left the payment page. Nothing was charged.

# One plan.
plans-price = <strong>{ $price }</strong> { $every }
plans-price-unknown = The price is shown at checkout.
plans-recurring = Renews by itself. Cancel whenever you like and read on to the end of what is paid.
plans-prepaid = { $months ->
    [one] Paid once: { $months } month, from the end of what you have. Ends by itself, nothing to cancel.
   *[other] Paid once: { $months } months, from the end of what you have. Ends by itself, nothing to cancel.
}
plans-every-day = { $count ->
    [1] a day
   *[other] every { $count } days
}
plans-every-week = { $count ->
    [1] a week
   *[other] every { $count } weeks
}
plans-every-month = { $count ->
    [1] a month
   *[other] every { $count } months
}
plans-every-year = { $count ->
    [1] a year
   *[other] every { $count } years
}

# Around every mail.
mails-hello = Hello { $name },
mails-hello-stranger = Hello,
mails-next = { $action }: { $link }
mails-why = You get this mail because this address has an account at { $site }.
mails-why-linked = You get this mail because this address has an account at <a href="{ $site }">{ $site }</a>.
mails-check-card = Check your card
mails-see-plans = See the plans
mails-see-account = See your account

# A payment did not go through.
mails-failed-subject = Your payment did not go through
mails-failed = { $known ->
    [both] Your payment of { $amount } for "{ $plan }" did not go through.
    [amount] Your payment of { $amount } did not go through.
    [plan] A payment for "{ $plan }" did not go through.
   *[neither] A payment did not go through.
}
mails-failed-prepaid = Nothing was charged. You can choose a plan and pay again whenever you like.
mails-failed-again = It will be tried again by itself on { $moment }. Check your card before then: it may have expired, or your bank may want you to confirm the payment.
mails-failed-check = Check your card: it may have expired, or your bank may want you to confirm the payment.
mails-failed-for-good = It will not be tried again by itself. Check your card: it may have expired, or your bank may want you to confirm the payment.
mails-failed-closed = Until it is paid, the premium pages stay closed.

# A subscription is over.
mails-ended-subject = Your subscription has ended
mails-ended = { $known ->
    [plan] Your subscription "{ $plan }" ended on { $moment }. No more payments will be taken for it.
   *[neither] Your subscription ended on { $moment }. No more payments will be taken for it.
}
mails-ended-another = Another subscription of yours goes on, so you can read the premium pages as before.
mails-ended-other-access = You have other access that lasts longer: you can read the premium pages until { $moment }.

# Money went back.
mails-refunded-subject = Your refund is on its way
mails-refunded = { $known ->
    [both] Your payment of { $amount } for "{ $plan }" was refunded in full.
    [amount] Your payment of { $amount } was refunded in full.
    [plan] Your payment for "{ $plan }" was refunded in full.
   *[neither] Your payment was refunded in full.
}
mails-refunded-partly = { $known ->
    [both] { $amount } of your payment for "{ $plan }" has been refunded so far.
    [amount] { $amount } of your payment has been refunded so far.
    [plan] A part of your payment for "{ $plan }" has been refunded so far.
   *[neither] A part of your payment has been refunded so far.
}
mails-refunded-days = The money goes back the way it came. It can take 5 to 10 working days until your bank shows it.
mails-reads-until = You can read the premium pages until { $moment }.
mails-closed = The premium pages are closed for you now. Your account stays, and you can choose a plan again whenever you like.

# The bank took money back.
mails-dispute-subject = Your payment was taken back
mails-dispute = { $known ->
    [both] Your bank has taken back { $amount } of what you paid for "{ $plan }", because the payment was disputed.
    [amount] Your bank has taken back { $amount } of what you paid, because the payment was disputed.
    [plan] Your bank has taken back what you paid for "{ $plan }", because the payment was disputed.
   *[neither] Your bank has taken back what you paid, because the payment was disputed.
}

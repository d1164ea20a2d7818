# Why a person may not read: the sentence, and what it means.
denied-never-subscribed = You have no subscription yet
denied-never-subscribed-text = Premium pages are for subscribers. Your account is ready: all it needs is a plan.
denied-trial-ended = Your trial has ended
denied-trial-ended-text = Thank you for trying it. Your account is as you left it. Choose a plan to read on.
denied-period-ended = Your subscription has ended
denied-period-ended-text = Nothing more is paid for at the moment. Your account is as you left it. Choose a plan to read on.
denied-payment-failed = Your last payment did not go through
denied-payment-failed-text = Check your card, and pay the open invoice on Stripe’s page: access comes back by itself as soon as the payment succeeds. Often the card has expired, or the bank wants a confirmation.
denied-canceled = Your subscription was canceled
denied-canceled-text = Nothing more will be charged. You can come back whenever you like: choose a plan.
denied-paused = Your subscription is paused
denied-paused-text = While it is paused nothing is charged, and premium pages stay closed. To read on, ask us to let it go on; or end it on Stripe’s page, and choose a plan again.
denied-second-trial-text = A trial is given once to each person, and this e-mail address has had its own before. Choose a plan to read.
denied-email-unconfirmed = Confirm your e‑mail address to read
denied-email-unconfirmed-text = Your account is ready, and nothing is lost. Open the link in the mail that we sent to your address. If it did not come, look into the folder for spam, or ask for another.
denied-plan-not-included = Your plan does not include this
denied-plan-not-included-text = What you have now goes on. Choose another plan to read here too.

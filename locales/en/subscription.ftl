# What can't be done to a subscription.
subscription-nothing-to-cancel = There is nothing to cancel
subscription-nothing-to-cancel-text = You have no subscription that renews, so nothing will be charged. Your account says how long you can read.
subscription-nothing-to-resume = There is nothing to resume
subscription-nothing-to-resume-text = You have no subscription that could go on. To read on, choose a plan.
subscription-payment-open = Your last payment did not go through
subscription-payment-open-text = Nothing was changed: the open payment comes first. Your account leads to Stripe’s page, where you can pay it with another card, or end the subscription.
subscription-paused = Your subscription is paused
subscription-paused-text = Nothing was changed, and nothing is charged while it is paused. Your account leads to Stripe’s page, where you can let it go on or end it.
subscription-over = Your subscription has ended
subscription-over-text = It ended for good, so it can’t be changed any more, and nothing more is charged. To read on, choose a plan.

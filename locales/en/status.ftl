# How access stands, in a word.
status-trial = Trial
status-active = Active
status-past-due = Past due
status-canceled = Canceled
status-expired = Expired
status-nothing = No subscription

# Until when, or since when.
status-renews-on = Renews on { $until }
status-ends-on = Ends on { $until }
status-ended-on = Ended on { $since }

# What can be done about it.
status-see-plans = See the plans
status-choose-plan = Choose a plan
status-check-card = Check your card
status-open-at-stripe = Open it at Stripe
status-to-account = To your account
status-read = Read

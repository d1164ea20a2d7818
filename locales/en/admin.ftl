# What staff see.
admin-pages = Pages of the staff
admin-subscribers = Subscribers
admin-to-subscribers = To the subscribers
admin-only-title = Only an admin may do this
admin-only = Your account belongs to the support: it sees everything, and changes no access. Ask an admin.

# The list.
admin-search = Search
admin-search-hint = Name, e-mail address, or a whole id of Stripe's
admin-status = Status
admin-kind = Kind
admin-plan = Plan
admin-any = Any
admin-twice = Two subscriptions at once
admin-twice-word = two subscriptions
admin-unconfirmed = Address not confirmed
admin-show = Show
admin-show-all = Show everybody
admin-people = { $count ->
    [one] One person
   *[other] { $count } people
}
admin-more-than = More than { $count } people
admin-csv = Download this list (CSV)
admin-nobody = Nobody fits. Take a filter away, or search for less.
admin-name = Name
admin-access-end = Access ends
admin-signed-up = Signed up
admin-renews = then renews
admin-locked = locked
admin-first-page = First page
admin-next-page = Next page
admin-unknown-filter = There is no such filter, so nothing is shown. Go back to the list and choose again.
admin-unknown-place = This address of a page is damaged. Go back to the first page of the list.

# Where access comes from.
admin-kind-trial = Trial of six months
admin-kind-recurring = Subscription at Stripe
admin-kind-prepaid = Months paid once
admin-kind-complimentary = Given by us

# One person.
admin-why = Why open or closed?
admin-why-open = On { $at } premium pages are open, by: { $by }. They close on { $until }.
admin-why-renews = On { $at } premium pages are open, by: { $by }. On { $until } they stay open if the renewal is paid.
admin-why-closed = On { $at } premium pages are closed.
admin-why-rule = Premium pages are open while any of these gives access. A payment that failed keeps access for { $hours ->
    [one] one hour
   *[other] { $hours } hours
} from the start of the unpaid period.
admin-why-confirmed-only = The address has to be confirmed.
admin-why-as-known = This is the rule for that moment, if nothing happens until then.
admin-why-as-known-then = This is the rule of today for that moment, with what was known then.
admin-why-ran-out = Its time ran out on { $end }, by itself.
admin-why-event = Known since { $since }, from Stripe’s event
admin-why-staff = Since { $since }, by the staff (“{ $reason }”):
admin-why-sign-up = Since { $since }, by signing up.
admin-why-answer = Known since { $since }, from what Stripe answered when it was asked.
admin-why-at = At another moment
admin-why-ask = Ask
admin-no-moment = There is no such moment: { $typed }
admin-no-sources = There never was a trial, a payment or a present.
admin-sources = Where access comes from
admin-period = Period
admin-gives = Gives access
admin-ends = will not renew
admin-no-end = none
admin-yes = Yes
admin-no = No
admin-actions = What you can do
admin-role = Role
admin-ids = Ids
admin-events = What Stripe told us
admin-entries = What staff did
admin-mails = Mails
admin-sessions = Signed in
admin-done = Done, and written down.

# Actions.
admin-back = Back to the person
admin-reason = Reason
admin-reason-hint = It stays in the log for ever, with your account beside it.
admin-reason-missing = Say why, in a few words.
admin-reason-long = Say it in at most 500 letters.
admin-months = Months
admin-months-hint = 1 to 24
admin-months-wrong = Choose a number of months from 1 to 24.
admin-one-month = One month: from { $from } to { $until }
admin-do-trial = Extend the trial
admin-do-trial-text = The trial ends so many months later; a trial that is over goes on from now.
admin-do-give = Give months for nothing
admin-do-give-text = They begin when what the person has ends, or now if nothing ends by itself.
admin-do-end-given = End given months now
admin-do-end-given-text = Months that were given end at once. What was paid stays as it is.
admin-do-cancel = Cancel at the end of the period
admin-do-cancel-text = Stripe is asked to let the subscription end with the period that is paid for.
admin-do-resume = Resume the subscription
admin-do-resume-text = Stripe is asked to let the subscription go on.
admin-do-refresh = Refresh from Stripe
admin-do-refresh-text = Stripe is asked about every subscription of this person. What it says counts.
admin-do-confirmation = Send the confirmation mail again
admin-do-confirmation-text = The person gets a new link; earlier ones no longer work.
admin-do-factor = Reset the second factor
admin-do-factor-text = From then on the password alone is enough. Make sure that it is the person who asks. All sessions end, and the person is told by mail.
admin-do-sign-out = Sign out everywhere
admin-do-sign-out-text = All sessions of the person end at once.
admin-do-lock = Lock the account
admin-do-lock-text = All sessions end, and nobody can log in. A subscription at Stripe goes on and is charged: cancel it too, if it shall not.
admin-do-unlock = Unlock the account
admin-do-unlock-text = The person can log in again.
admin-refused-gone = This account is deleted.
admin-refused-changed = Something about this person has changed since you opened the page. Look at the person again, then decide.
admin-refused-admins-only = Only an admin may do this.
admin-refused-no-trial = This person never had a trial. Give months instead.
admin-refused-months = So many months would end beyond the calendar.
admin-refused-nothing-given = No given months are running.
admin-refused-confirmed = The address is confirmed already.
admin-refused-mails = A mail has just been sent, or enough for today. Try later.
admin-refused-no-factor = There is no second factor.
admin-refused-staff = This account belongs to the staff. Take its role away on the command line first.
admin-refused-locked = The account is locked already.
admin-refused-not-locked = The account is not locked.
admin-refused-nothing-runs = No subscription runs at Stripe.
admin-refused-unpaid = The last payment is open: that comes first, at Stripe.
admin-refused-paused = The subscription is paused at Stripe.
admin-refused-nothing-at-stripe = This person never had a subscription at Stripe.

# The journal of Stripe's events.
admin-journal = Stripe's events
admin-event = An event of Stripe's
admin-outcome = Outcome
admin-type = Type
admin-person = Person
admin-person-id = Person's id
admin-to-person = See the person
admin-since = From
admin-until = Until
admin-show-all-events = Show all events
admin-replay-failed = Try all failed events again
admin-replay = Apply it again
admin-replay-text = What it says counts once, however often it is applied.
admin-replayed = { $count } of the failed events are applied now.
admin-waiting = { $count } events wait for somebody to look:
admin-no-events = No event fits.
admin-came = Came
admin-made-at = Made at Stripe
admin-detail = Why
admin-attempts = Tries
admin-change = What it changed
admin-payload = As it came
admin-payload-gone = The text of this event is not kept any more.
admin-older = Older ones
admin-heard = When each type last came
admin-heard-text = A type that stays silent may be missing in the webhook endpoint's settings at Stripe.
admin-never = never
admin-unknown-moment = There is no such moment. Go back and choose another.

# The log of what staff did.
admin-audit = Staff's log
admin-audit-text = What staff did, tried, or was refused. Nothing here can be changed or deleted, not even by an admin.
admin-action = Action
admin-actor = By
admin-subject = For
admin-when = When
admin-show-all-entries = Show the whole log
admin-no-entries = No entry fits.
admin-audit-begun = Begun
admin-audit-made = Made
admin-audit-refused = Refused
admin-audit-failed = Failed
admin-outcome-pending = Pending
admin-outcome-applied = Applied
admin-outcome-stale = Stale: something newer was known
admin-outcome-ignored = Ignored: not for us
admin-outcome-unmatched = Unmatched: nobody is known by it yet
admin-outcome-failed = Failed

# The overview.
admin-overview = Overview
admin-overview-text = Counted from the database on { $at }. Months are calendar months in UTC.
admin-figure-meaning = How it is counted
admin-figure-table = As a table
admin-figure-month = Month
admin-figure-share = Share
admin-figure-people = People by status
admin-figure-people-count = People
admin-figure-people-meaning = Everybody with an account, once, by the status that their own page and the list show. The first weeks of a subscription at Stripe that has not charged yet are a trial too.
admin-figure-never = Never
admin-figure-recurring = Recurring revenue of a month
admin-figure-recurring-none = No subscription renews yet.
admin-figure-recurring-of = { $count ->
    [one] from one subscription
   *[other] from { $count } subscriptions
}
admin-figure-recurring-meaning = The last payment of each subscription at Stripe that is active and will renew, divided by the months of its period. What is past due, paused, set to end, or not charged yet does not count, nor do months paid once. Taxes and discounts are in it as they were paid.
admin-figure-sign-ups = Sign-ups, and who pays
admin-figure-new = Sign-ups
admin-figure-trials = With a trial
admin-figure-paid-since = Have paid since
admin-figure-conversion = Trial to paid
admin-figure-sign-ups-meaning = Accounts by the month in which they were made, also those that are deleted now. “Have paid since” are those among them with a trial and with at least one payment, of any kind, whose money did not go back in full. “Trial to paid” is their share of those with a trial; it goes on rising while trials run.
admin-figure-churn = Who stopped paying
admin-figure-at-start = Paid at the start
admin-figure-left = No longer at the end
admin-figure-churn-meaning = “Paid at the start” are the people to whom a subscription at Stripe or months paid once gave access at the first moment of the month, as it was known then. “No longer at the end” are those of them to whom nothing of the kind does at the first moment of the next month, or now. Sign-up trials and given months do not count.
admin-figure-failures = Payments that failed
admin-figure-failed = Failed
admin-figure-recovered = Paid afterwards
admin-figure-failures-meaning = Payments by the month in which they first failed: each invoice and each single payment once, however often it was tried. “Paid afterwards” are those of them that are paid now.
admin-figure-received = Money received ({ $currency })
admin-figure-received-sum = Received
admin-figure-received-meaning = All payments by the month in which they were paid, without what was refunded or lost in a dispute since. Stripe’s fees are in it.

# Tokens of programs.
admin-tokens = Tokens
admin-tokens-text = With a token a program reads the list of subscribers. It changes nothing, and it works as long as whoever made it is an admin.
admin-tokens-description = What programs can ask
admin-tokens-nothing = There is no token yet.
admin-token-made = The token “{ $name }” is made.
admin-token-once = Copy it now: it is shown this once, and only a hash of it is kept.
admin-token-gone = The token is revoked. It no longer works.
admin-token-name = Name
admin-token-name-hint = What it is for, and where it is kept
admin-token-name-missing = Give the token a name.
admin-token-name-long = Use at most 80 letters.
admin-token-standing = Status
admin-token-works = Works
admin-token-expired = Expired
admin-token-revoked = Revoked
admin-token-no-admin = Does not work: made by somebody who is no admin any more
admin-token-by = Made
admin-token-expires = Expires
admin-token-used = Last used
admin-token-new = A new token
admin-token-make = Make a token
admin-token-days-30 = After 30 days
admin-token-days-90 = After 90 days
admin-token-days-365 = After 365 days
admin-token-days-none = Never
admin-token-days-wrong = Choose how long it shall work.
admin-token-revoke = Revoke
admin-token-revocation = Revoke a token
admin-token-revoke-this = Revoke { $name }
admin-token-revoke-text = Programs that use this token are refused at once. It can’t be undone: make another token instead.
admin-token-revoked-before = This token is revoked already.
admin-token-back = Back to the tokens

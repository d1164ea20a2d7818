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

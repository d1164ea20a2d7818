premium-title = Read
premium-none = There is nothing here yet. Come back soon.
premium-all = All pages
premium-next = Next
premium-renews = Your access renews on { $until }.
premium-ends = Your access ends on { $until }.
premium-account = Account

# What a person says of themselves.
profile-title = Your profile
profile-language = Language
profile-button = Save
profile-saved = Your profile is saved.
profile-edit = Edit
profile-data = Your data
profile-export = Download all that is kept about you
profile-delete = Delete the account

# The end of an account.
profile-deletion-title = Delete your account
profile-deletion-lead = This can’t be undone. This is what happens:
profile-deletion-subscription = Your subscription ends at once, and nothing more is charged. What was paid is not refunded by this.
profile-deletion-access = The premium pages close at once. Otherwise you could read until { $until }.
profile-deletion-data = Your name, address, phone number and sign-ins are deleted here.
profile-deletion-payments = What was paid is kept without your name, because the law wants it. Stripe keeps its own records of payments.
profile-deletion-trial = You can sign up again with the same address, but a trial is given once.
profile-deletion-export = You may want to <a href="/account/export">download your data</a> first.
profile-deletion-button = Delete my account
profile-deletion-not-text = Your subscription could not be ended at Stripe just now, so your account is as it was. Try again in a few minutes.
profile-deletion-again = Try again
profile-deleted-title = Your account is deleted
profile-deleted-text = A mail confirms it. Nothing more will be charged. Thank you for having been here.
profile-deleted-home = To the first page

# The last mail.
profile-mail-deleted-subject = Your account is deleted
profile-mail-deleted-action = See the site
profile-mail-deleted = Your account and what it held about you are deleted. This is the last mail to this address.
profile-mail-deleted-charges = Nothing more will be charged.
profile-mail-deleted-stranger = If that was not you, somebody knew your password. Write to us, and change the password wherever else you use it.

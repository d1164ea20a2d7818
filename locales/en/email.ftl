# Mails about the address of an account.
email-mail-confirm-subject = Confirm your e-mail address
email-mail-confirm-action = Confirm this address
email-mail-confirm = Please confirm that this address is yours. Open the link and press the button there.
email-mail-valid = The link works once, for 3 days. A newer mail replaces it.
email-mail-confirm-stranger = If you did not sign up, you need not do anything: without the button nothing is confirmed.
email-mail-new = This address shall take the place of the old one in your account. Open the link and press the button there; until then, nothing changes.
email-mail-new-stranger = If you do not know about this, you need not do anything: somebody may have mistyped an address.
email-mail-changed-subject = The e-mail address of your account has changed
email-mail-changed-action = Log in
email-mail-changed = Your account has another e-mail address now, and this one no longer belongs to it. You log in with the new one.
email-mail-changed-stranger = If that was not you, somebody knows your password. Answer this mail at once, or write to us, so that we can close the account for them.
email-mail-wanted-subject = Somebody wants to use your e-mail address
email-mail-wanted-action = See your account
email-mail-wanted = Somebody who has another account wanted to give it this e-mail address. It is yours already, so nothing was changed.
email-mail-wanted-next = If that was you: log in to the account that has this address, or choose another address for the other account. If it was not you, you need not do anything.
email-mail-why = You get this mail because this address was named in an account at { $site }.
email-mail-why-linked = You get this mail because this address was named in an account at <a href="{ $site }">{ $site }</a>.

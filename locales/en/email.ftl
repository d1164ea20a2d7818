# The page of the link that was mailed.
email-confirm-title = Confirm your e‑mail address
email-confirm-text = Is { $email } your address? Then press the button.
email-confirm-new-text = { $email } becomes the address of your account, and you log in with it from then on.
email-confirm-button = Yes, this is my address
email-confirmed-title = Your e‑mail address is confirmed
email-confirmed-text = Thank you. There is nothing more to do.
email-changed-title = Your e‑mail address is changed
email-changed-text = Log in with the new address from now on. The password is the same as before.
email-taken-title = This address belongs to another account
email-taken-text = Since you asked, somebody has begun to use it with an account of its own, so yours keeps the address that it has. Log in to choose another.
email-gone-title = This link does not work any more
email-gone-text = It was used already, it is older than 3 days, or a newer mail has replaced it. Log in: your account page shows what is confirmed, and sends another mail.

# On the account page.
email-unconfirmed = not confirmed
email-send-again = Send the mail again
email-pending = New address
email-pending-text = Waits for its confirmation. Until then, the old one stays.
email-withdraw = Keep the old one
email-change-link = Change
email-done-confirmed = Your e-mail address is confirmed.
email-done-changed = Your e-mail address is changed. Log in with the new one from now on.
email-done-sent = We have sent you another mail. The links in earlier ones no longer work.
email-done-asked = We have sent a mail to the new address. Open the link in it, and press the button there to make the change.
email-done-kept = Your account keeps its e-mail address.

# Too many mails.
email-sent-already = We have just sent you a mail
email-sent-already-text = It can take a minute. Look into the folder for spam too. If nothing came, ask for another mail in a minute.
email-too-many = Enough mails for today
email-too-many-text = We send at most 5 of these mails in a day. Look into the folder for spam, and check that the address is right. You can ask for another mail tomorrow.
email-too-many-to-it = This address has had enough mails for now
email-too-many-to-it-text = Several of these mails have gone to it already. Look there, also into the folder for spam. Another one can be asked for in an hour.

# The form for another address.
email-change-title = Change your e‑mail address
email-change-text = Your account has the address { $email }. We send a link to the new one; open it and press the button there to make the change.
email-new = New e-mail address
email-password-hint = The one that you log in with.
email-password-wrong = The password is wrong. Check it and try again.
email-same = This is the address of your account already.
email-change-button = Send the link

# Mails about the address of an account.
email-mail-confirm-subject = Confirm your e-mail address
email-mail-confirm-action = Confirm this address
email-mail-confirm = Please confirm that this address is yours. Open the link and press the button there.
email-mail-valid = The link works once, for 3 days. A newer mail replaces it.
email-mail-confirm-stranger = If you did not sign up, you need not do anything: without the button nothing is confirmed.
email-mail-new = This address shall take the place of the old one in your account. Open the link and press the button there; until then, nothing changes.
email-mail-new-stranger = If you do not know about this, you need not do anything: somebody may have mistyped an address.
email-mail-asked-subject = Another e-mail address is wanted for your account
email-mail-asked-action = Change your password
email-mail-asked = Somebody who is signed in to your account asked to give it another e-mail address. Nothing changes before the reader of that address confirms it.
email-mail-asked-stranger = If that was you, there is nothing to do here. If it was not, change your password at once: that takes the wish back and signs everybody else out.
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

# The form to change it.
password-change-title = Change your password
password-change-text = Every other browser that is signed in to your account is signed out.
password-change-button = Change the password
password-current = Present password
password-current-empty = Enter your present password.
password-current-wrong = The present password is wrong. Check it and try again.
password-new = New password
password-same = This is your present password. Choose another one.
password-change-link = Change password
password-done-changed = Your password is changed. All other browsers are signed out.

# Forgotten.
password-forgot = Forgot your password?
password-reset-title = Set a new password
password-reset-text = Enter the e-mail address of your account. We send you a link to set a new password.
password-reset-button = Send the link
password-sent-title = Look into your mailbox
password-sent-text = If { $email } has an account here, a mail with a link is on its way, or came within the last hour. The link in the newest one works once, for one hour.
password-sent-aside = Nothing came? It can take a minute. Look into the folder for spam too, and check the address. <a href="/password/reset">Try again</a>
password-new-title = Choose a new password
password-new-text = Every browser that is signed in to your account is signed out. You log in with the new password then.
password-new-button = Set the password
password-gone-title = This link does not work any more
password-gone-text = It was used already, it is older than one hour, or a newer mail has replaced it. Ask for a new link.
password-gone-again = Ask for a new link
password-done-set = Your new password is set. Log in with it.

# Mails.
password-mail-reset-subject = Set a new password
password-mail-reset-action = Set a new password
password-mail-reset = Somebody, probably you, wants to set a new password for your account.
password-mail-valid = The link works once, for one hour. A newer mail replaces it.
password-mail-reset-stranger = If that was not you, you need not do anything: your password stays as it is.
password-mail-changed-subject = Your password was changed
password-mail-changed-action = Set a new password
password-mail-changed = The password of your account was changed a moment ago, and all other browsers were signed out.
password-mail-changed-stranger = If that was you, there is nothing to do. If it was not, set a new password at once: that signs everybody out.

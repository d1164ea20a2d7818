# Where somebody is signed in, on the account page.
security-sessions = Where you are signed in
security-browser-on = { $browser } on { $system }
security-browser-some = A browser on { $system }
security-browser-unknown = An unknown browser
security-session-here = This browser
security-session-since = Signed in on { $moment }
security-session-end = Sign out
security-session-end-which = Sign out: { $browser }, signed in on { $moment }
security-sessions-others = Do you see one that you don’t know? Sign it out and choose a new password.
security-sessions-end = Sign out everywhere else
security-session-ended = That browser is signed out.
security-sessions-ended = You are signed out everywhere but here.

# The second factor.
security-heading = Security and data
security-title = Second factor
security-lead = A password can be stolen. With a second factor, logging in also takes a code from an app on your phone.
security-required = Your account looks after other people’s data, so it needs a second factor. Set it up to go on.
security-off = Off
security-on = On
security-on-since = On since { $moment }
security-unconfirmed-heading = Confirm your e‑mail address first
security-unconfirmed-text = We have sent you a mail with a link. Open it, press the button there, and come back to this page.
security-turn-on-heading = Turn it on
security-turn-on-text = You need an app for codes, such as Aegis, 2FAS, Google Authenticator or your password manager. Enter your password to begin.
security-begin = Go on
security-set-up = Set up
security-manage = Change
security-codes-left = { $count ->
    [0] You have no recovery code left. Make new ones while you can.
    [one] You have { $count } recovery code left.
   *[other] You have { $count } recovery codes left.
}
security-change-heading = Change it
security-change-text = New recovery codes replace all old ones. Both buttons need your password and a code.
security-renew = Make new recovery codes
security-turn-off = Turn the second factor off
security-turned-off = The second factor is off. Logging in takes your password only.

# Setting it up.
security-setup-title = Connect your app
security-setup-scan = In the app, add an account and scan this picture.
security-setup-picture = Picture for your app, a QR code
security-setup-type = No camera? Choose “enter a key” in the app and type this one:
security-setup-confirm = Then type the code that the app shows.
security-setup-button = Turn it on
security-setup-signs-out = This signs you out in all other browsers.
security-setup-wrong = This is not the code that the app shows now. Type the newest one. If it is refused again, check the time of your phone.
security-setup-too-late = That took too long, so the picture is no longer good. Begin again.

# Codes.
security-code = Code
security-code-hint = Six digits from your app.
security-recovery = Phone not at hand?
security-recovery-code = Recovery code
security-recovery-code-hint = One of those that you wrote down. Each works once.
security-wrong-password = The password is wrong.
security-code-missing = Enter the code from your app.
security-wrong-code = This code is wrong, too old or already used. Wait for the next one and try again, or use a recovery code.
security-wrong-recovery-code = This recovery code is wrong or was already used. Check each letter, or take another one.
security-too-many-codes = { $minutes ->
    [one] Too many wrong codes. Wait { $minutes } minute, or use a recovery code now.
   *[other] Too many wrong codes. Wait { $minutes } minutes, or use a recovery code now.
}
security-recovery-title = Your recovery codes
security-recovery-first = The second factor is on.
security-recovery-new = The old codes no longer work.
security-recovery-keep = Write these down or print them, and keep them away from your phone. Each replaces the app once. We can’t show them again.
security-recovery-done = I have kept them

# Logging in with it.
security-login-title = Enter your code
security-login-lead = Your password was right. Now the code from your app.
security-login-button = Log in
security-log-in-again = That took too long or was used already. Log in again.

# Mails.
security-mail-account = See your account
security-mail-second-factor = See your recovery codes
security-mail-on-subject = Your second factor is on
security-mail-on = From now on, logging in to your account takes your password and a code from your app. You were signed out in all other browsers.
security-mail-on-not-you = If this was not you, somebody else knows your password. Answer this mail or ask us for help, and don’t use that password anywhere.
security-mail-off-subject = Your second factor is off
security-mail-off = From now on, logging in to your account takes your password only.
security-mail-off-not-you = If this was not you, choose a new password at once and turn the second factor on again.
security-mail-new-codes-subject = New recovery codes were made
security-mail-new-codes = New recovery codes were made for your account. The old ones no longer work.
security-mail-new-codes-not-you = If this was not you, choose a new password and make new recovery codes at once.
security-mail-code-subject = A recovery code was used
security-mail-code = Somebody logged in to your account with your password and one of your recovery codes.
security-mail-code-left = If it was you, there is nothing to do. Your account shows how many codes are left; make new ones before the last is used.
security-mail-code-not-you = If it was not you, choose a new password and make new recovery codes at once.

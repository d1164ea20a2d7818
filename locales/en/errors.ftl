# The page for every error.
errors-code = Error { $status }
errors-request = If you ask for help, mention <code>{ $id }</code>.
errors-to-home = To the first page
errors-to-log-in = Log in
errors-back-to-log-in = Back to log-in

# What each status means.
errors-400-title = That did not make sense to us
errors-400 = Something in the request was not in the form that we expect. Go back, reload the page and try again.
errors-401-title = Please log in
errors-401 = This page belongs to an account, and your session has ended.
errors-403-title = That came from another site
errors-403 = The request did not start on a page of this site, so nothing was done. Open the page here and try again.
errors-404-title = There is no such page
errors-404 = The address may have been mistyped, or the page has moved.
errors-405-title = That does not work here
errors-405 = This address can't be used in that way. Start from the page that links to it.
errors-408-title = That took too long
errors-408 = The request did not arrive in time. Check your connection and try again.
errors-413-title = That is too much at once
errors-413 = What was sent is larger than we accept. Send less, and try again.
errors-415-title = We can't read that
errors-415 = The request came in a format that this page does not understand.
errors-429-title = Too many tries
errors-429 = To keep accounts safe we slow down after several failures. Wait a few minutes, then try again.
errors-429-login = Somebody typed a wrong password too often. Try again in { $wait }. If it is your account, you need not wait: a new password by mail lets you in at once.
errors-429-reset = Set a new password by mail
errors-429-wait = To keep accounts safe we slow down after several failures. Try again in { $wait }.
errors-503-title = Back in a moment
errors-503 = Something that we depend on does not answer just now. Nothing was lost. Try again in a minute.
errors-500-title = Something went wrong on our side
errors-500 = It is not your fault, and it has been written down. Try again in a minute.
errors-other-title = That did not work
errors-other = Go back and try again.

# More than the status says.
errors-form-cut = The form did not arrive whole. Go back and send it again.
errors-no-plan = There is no such plan. Go back to the plans and choose one.
errors-busy = Many people are signing up or logging in at this moment. Try again in a few seconds.
errors-payment-refused = The payment service did not accept this. Nothing was charged. Try again later, or ask us for help.
errors-payment-silent = The payment service does not answer just now. Nothing was charged. Try again in a minute.
errors-change-refused = The payment service did not accept this. Nothing was changed. Try again later, or ask us for help.
errors-change-in-doubt = The payment service does not answer just now. Look at your account in a minute: if it still stands as before, try again.

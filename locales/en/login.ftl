login-title = Log in
login-button = Log in
login-new-here = New here? <a href="{ $signup }">Start your six months</a>.
login-to-read = Log in to read this page.
login-to-pay = Log in or sign up to go on with your plan.
login-wrong = E-mail or password is wrong. Check both and try again.

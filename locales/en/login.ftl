login-title = Log in
login-button = Log in
login-new-here = New here? <a href="{ $signup }">Start your six months</a>.
login-to-read = Log in to read this page.
login-to-pay = Log in or sign up to go on with your plan.
login-locked = This account is locked
login-locked-text = Somebody who looks after this site has locked it. Write to them if you don’t know why. Nothing is lost, and a subscription goes on until it is cancelled.
login-wrong = E-mail or password is wrong. Check both and try again.

# Around every page.
frame-skip = Skip to the content
frame-sandbox-label = Sandbox
frame-sandbox = <strong>Sandbox.</strong> No real money moves. <a href="{ $url }">Open the sandbox</a>
frame-navigation = Main
frame-read = Read
frame-plans = Plans
frame-account = Account
frame-admin = Admin
frame-log-out = Log out
frame-log-in = Log in
frame-sign-up = Sign up
frame-foot = { $site }: open exactly as long as it was paid for.

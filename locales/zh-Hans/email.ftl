# 关于账户邮箱的邮件。
email-mail-confirm-subject = 请确认您的邮箱
email-mail-confirm-action = 确认此邮箱
email-mail-confirm = 请确认这个邮箱属于您：打开链接，然后点击页面上的按钮。
email-mail-valid = 链接只能使用一次，3 天内有效。如果之后又收到新邮件，请以新邮件为准。
email-mail-confirm-stranger = 如果您没有注册，请忽略这封邮件：不点击按钮，就不会确认任何内容。
email-mail-new = 这个邮箱将取代您账户原来的邮箱。请打开链接，然后点击页面上的按钮；在此之前不会有任何更改。
email-mail-new-stranger = 如果您对此不知情，请忽略这封邮件：可能是有人输错了邮箱。
email-mail-changed-subject = 您账户的邮箱已更改
email-mail-changed-action = 登录
email-mail-changed = 您的账户已改用另一个邮箱，此邮箱不再属于该账户。今后请使用新邮箱登录。
email-mail-changed-stranger = 如果这不是您本人的操作，说明有人知道您的密码。请立即回复这封邮件或与我们联系，以便我们阻止对方使用该账户。
email-mail-wanted-subject = 有人想使用您的邮箱
email-mail-wanted-action = 查看账户
email-mail-wanted = 有人想把另一个账户的邮箱改成此邮箱。它已经属于您，因此没有任何更改。
email-mail-wanted-next = 如果是您本人：请登录使用此邮箱的账户，或为另一个账户选择其他邮箱。如果不是您，无需任何操作。
email-mail-why = 您收到这封邮件，是因为有账户在 { $site } 填写过此邮箱。
email-mail-why-linked = 您收到这封邮件，是因为有账户在 <a href="{ $site }">{ $site }</a> 填写过此邮箱。

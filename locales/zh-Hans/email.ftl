# 邮件链接打开的页面。
email-confirm-title = 确认您的邮箱
email-confirm-text = { $email } 是您的邮箱吗？如果是，请点击按钮。
email-confirm-new-text = { $email } 将成为您账户的邮箱，今后请用它登录。
email-confirm-button = 是的，这是我的邮箱
email-confirmed-title = 您的邮箱已确认
email-confirmed-text = 谢谢，您无需再做任何操作。
email-changed-title = 您的邮箱已更改
email-changed-text = 今后请使用新邮箱登录，密码不变。
email-taken-title = 此邮箱属于另一个账户
email-taken-text = 在您申请之后，有人已用此邮箱注册了账户，因此您的账户保留原来的邮箱。请登录后选择其他邮箱。
email-gone-title = 此链接已失效
email-gone-text = 链接可能已经使用过、超过了 3 天，或者已被新邮件取代。请登录：您可以在账户页面查看确认情况，并重新发送邮件。

# 账户页面。
email-unconfirmed = 未确认
email-send-again = 重新发送邮件
email-pending = 新邮箱
email-pending-text = 等待确认。确认之前，原邮箱保持不变。
email-withdraw = 保留原邮箱
email-change-link = 更改
email-done-confirmed = 您的邮箱已确认。
email-done-changed = 您的邮箱已更改，今后请使用新邮箱登录。
email-done-sent = 我们又给您发送了一封邮件，之前邮件中的链接已失效。
email-done-asked = 我们已向新邮箱发送邮件，请打开其中的链接，并点击页面上的按钮完成更改。
email-done-kept = 您的账户保留原来的邮箱。

# 邮件太多。
email-sent-already = 我们刚刚给您发送了邮件
email-sent-already-text = 邮件可能需要一分钟才能送达，请同时查看垃圾邮件文件夹。如果没有收到，请一分钟后重新发送。
email-too-many = 今天的邮件已达上限
email-too-many-text = 这类邮件每天最多发送 5 封。请查看垃圾邮件文件夹，并检查邮箱是否正确。您可以明天再试。
email-too-many-to-it = 暂时不能再向这个邮箱发送邮件
email-too-many-to-it-text = 我们已经向它发送过多封这类邮件。请在该邮箱中查看，包括垃圾邮件文件夹。一小时后可以再次申请。

# 更改邮箱的表单。
email-change-title = 更改邮箱
email-change-text = 您账户的邮箱是 { $email }。我们会向新邮箱发送链接；请打开链接并点击页面上的按钮，更改才会生效。
email-new = 新邮箱
email-password-hint = 您登录时使用的密码。
email-password-wrong = 密码不正确，请检查后重试。
email-same = 这已经是您账户的邮箱。
email-change-button = 发送链接

# 关于账户邮箱的邮件。
email-mail-confirm-subject = 请确认您的邮箱
email-mail-confirm-action = 确认此邮箱
email-mail-confirm = 请确认这个邮箱属于您：打开链接，然后点击页面上的按钮。
email-mail-valid = 链接只能使用一次，3 天内有效。如果之后又收到新邮件，请以新邮件为准。
email-mail-confirm-stranger = 如果您没有注册，请忽略这封邮件：不点击按钮，就不会确认任何内容。
email-mail-new = 这个邮箱将取代您账户原来的邮箱。请打开链接，然后点击页面上的按钮；在此之前不会有任何更改。
email-mail-new-stranger = 如果您对此不知情，请忽略这封邮件：可能是有人输错了邮箱。
email-mail-asked-subject = 有人要为您的账户更换邮箱地址
email-mail-asked-action = 修改密码
email-mail-asked = 有人登录了您的账户，并要求更换邮箱地址。在新邮箱的主人确认之前，一切保持不变。
email-mail-asked-stranger = 如果是您本人，无需任何操作。如果不是，请立即修改密码：这会撤销该请求，并让其他所有浏览器退出登录。
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

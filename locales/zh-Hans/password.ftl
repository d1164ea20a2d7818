# 更改密码的表单。
password-change-title = 更改密码
password-change-text = 您的账户在其他浏览器上的登录都会退出。
password-change-button = 更改密码
password-current = 当前密码
password-current-empty = 请输入当前密码。
password-current-wrong = 当前密码不正确。请检查后重试。
password-new = 新密码
password-same = 这就是您当前的密码。请换一个。
password-change-link = 更改密码
password-done-changed = 您的密码已更改，其他浏览器都已退出登录。

# 忘记密码。
password-forgot = 忘记密码？
password-reset-title = 设置新密码
password-reset-text = 请输入账户的邮箱地址。我们会给您发送用于设置新密码的链接。
password-reset-button = 发送链接
password-sent-title = 请查看您的邮箱
password-sent-text = 如果 { $email } 在这里有账户，带有链接的邮件已在途中，或已在一小时内送达。最新一封邮件中的链接只能使用一次，一小时内有效。
password-sent-aside = 没有收到？可能需要一分钟。也请查看垃圾邮件文件夹，并检查地址是否正确。<a href="/password/reset">重试</a>
password-new-title = 选择新密码
password-new-text = 您的账户在所有浏览器上的登录都会退出，之后请用新密码登录。
password-new-button = 设置密码
password-gone-title = 这个链接已失效
password-gone-text = 链接已被使用，已超过一小时，或已被更新的邮件取代。请重新获取链接。
password-gone-again = 重新获取链接
password-done-set = 新密码已设置。请用新密码登录。

# 邮件。
password-mail-reset-subject = 设置新密码
password-mail-reset-action = 设置新密码
password-mail-reset = 有人（很可能是您）想为您的账户设置新密码。
password-mail-valid = 链接只能使用一次，一小时内有效。新的邮件会取代它。
password-mail-reset-stranger = 如果不是您本人，无需任何操作：您的密码保持不变。
password-mail-changed-subject = 您的密码已更改
password-mail-changed-action = 设置新密码
password-mail-changed = 您账户的密码刚刚被更改，其他浏览器都已退出登录。
password-mail-changed-stranger = 如果是您本人，无需任何操作。如果不是，请立即设置新密码：这会让所有人退出登录。

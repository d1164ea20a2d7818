# 账户页面上的登录会话。
security-sessions = 您的登录位置
security-browser-on = { $system } 上的 { $browser }
security-browser-some = { $system } 上的浏览器
security-browser-unknown = 未知浏览器
security-session-here = 当前浏览器
security-session-since = 登录时间：{ $moment }
security-session-end = 退出
security-session-end-which = 退出：{ $browser }，登录时间 { $moment }
security-sessions-others = 有您不认识的登录吗？请将其退出，并更换密码。
security-sessions-end = 退出所有其他登录
security-session-ended = 该浏览器已退出登录。
security-sessions-ended = 除此处之外，您在其他地方都已退出登录。

# 两步验证。
security-heading = 安全与数据
security-title = 两步验证
security-lead = 密码有可能被盗。开启两步验证后，登录时还需要手机应用中的验证码。
security-required = 您的账户可以处理他人的数据，因此必须开启两步验证。请先完成设置。
security-off = 未开启
security-on = 已开启
security-on-since = 开启时间：{ $moment }
security-unconfirmed-heading = 请先确认您的电子邮件地址
security-unconfirmed-text = 我们给您发送了一封带有链接的邮件。请打开链接并点击其中的按钮，然后回到此页面。
security-turn-on-heading = 开启两步验证
security-turn-on-text = 您需要一个验证码应用，例如 Aegis、2FAS、Google Authenticator，或您的密码管理器。请先输入密码。
security-begin = 继续
security-set-up = 设置
security-manage = 更改
security-codes-left = { $count ->
    [0] 您已没有可用的恢复码，请尽快生成新的恢复码。
   *[other] 您还有 { $count } 个恢复码。
}
security-change-heading = 更改
security-change-text = 新的恢复码会取代所有旧的恢复码。以下两项操作都需要您的密码和验证码。
security-renew = 生成新的恢复码
security-turn-off = 关闭两步验证
security-turned-off = 两步验证已关闭，登录时只需要密码。

# 设置过程。
security-setup-title = 关联您的应用
security-setup-scan = 在应用中添加账户，并扫描这张图片。
security-setup-picture = 供应用扫描的二维码
security-setup-type = 没有摄像头？请在应用中选择手动输入密钥，然后输入：
security-setup-confirm = 然后输入应用显示的验证码。
security-setup-button = 开启
security-setup-signs-out = 开启后，您在其他所有浏览器中都会退出登录。
security-setup-wrong = 这不是应用当前显示的验证码。请输入最新的验证码；如果仍然无效，请检查手机的时间。
security-setup-too-late = 操作时间过长，图片已失效。请重新开始。

# 验证码。
security-code = 验证码
security-code-hint = 应用中显示的六位数字。
security-recovery = 手机不在身边？
security-recovery-code = 恢复码
security-recovery-code-hint = 您之前记下的恢复码，每个只能使用一次。
security-wrong-password = 密码不正确。
security-code-missing = 请输入应用中的验证码。
security-wrong-code = 验证码不正确、已过期或已使用。请等待下一个验证码后重试，或使用恢复码。
security-wrong-recovery-code = 恢复码不正确或已使用。请逐个核对，或换用另一个恢复码。
security-too-many-codes = { $minutes ->
   *[other] 错误的验证码过多。请等待 { $minutes } 分钟，或立即使用恢复码。
}
security-recovery-title = 您的恢复码
security-recovery-first = 两步验证已开启。
security-recovery-new = 旧的恢复码已失效。
security-recovery-keep = 请抄写或打印这些恢复码，并与手机分开保存。每个恢复码可代替应用一次。我们无法再次显示它们。
security-recovery-done = 我已保存

# 登录时的两步验证。
security-login-title = 输入验证码
security-login-lead = 密码正确。现在请输入应用中的验证码。
security-login-button = 登录
security-log-in-again = 操作时间过长，或此步骤已完成过。请重新登录。

# 邮件。
security-mail-account = 查看您的账户
security-mail-second-factor = 查看您的恢复码
security-mail-on-subject = 您的两步验证已开启
security-mail-on = 从现在起，登录您的账户需要密码和应用中的验证码。您在其他所有浏览器中都已退出登录。
security-mail-on-not-you = 如果不是您本人操作，说明有人知道您的密码。请回复本邮件或联系我们，并且不要再在任何地方使用该密码。
security-mail-off-subject = 您的两步验证已关闭
security-mail-off = 从现在起，登录您的账户只需要密码。
security-mail-off-not-you = 如果不是您本人操作，请立即更换密码，并重新开启两步验证。
security-mail-new-codes-subject = 已生成新的恢复码
security-mail-new-codes = 您的账户已生成新的恢复码，旧的恢复码不再有效。
security-mail-new-codes-not-you = 如果不是您本人操作，请立即设置新密码，并重新生成恢复码。
security-mail-code-subject = 有恢复码被使用
security-mail-code = 有人使用您的密码和一个恢复码登录了您的账户。
security-mail-code-left = 如果是您本人，则无需任何操作。账户页面会显示剩余的恢复码数量；请在用完之前生成新的恢复码。
security-mail-code-not-you = 如果不是您本人，请立即更换密码，并生成新的恢复码。

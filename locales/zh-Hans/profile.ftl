# 个人资料。
profile-title = 您的个人资料
profile-language = 语言
profile-button = 保存
profile-saved = 您的个人资料已保存。
profile-edit = 编辑
profile-data = 您的数据
profile-export = 下载我们保存的全部数据
profile-delete = 删除账户

# 删除账户。
profile-deletion-title = 删除您的账户
profile-deletion-lead = 此操作无法撤销。删除后：
profile-deletion-subscription = 您的订阅会立即结束，不再扣款。已支付的款项不会因此退还。
profile-deletion-access = 会员内容会立即关闭。否则您可以阅读到 { $until }。
profile-deletion-data = 您在这里的姓名、地址、电话和登录记录会被删除。
profile-deletion-payments = 依照法律要求，付款记录会在去除姓名后保留。Stripe 会保留自己的付款记录。
profile-deletion-trial = 您可以用同一邮箱地址重新注册，但试用只有一次。
profile-deletion-export = 建议您先<a href="/account/export">下载您的数据</a>。
profile-deletion-button = 删除我的账户
profile-deletion-not-text = 暂时无法在 Stripe 结束您的订阅，因此您的账户保持原样。请几分钟后重试。
profile-deletion-again = 重试
profile-deleted-title = 您的账户已删除
profile-deleted-text = 我们会发送邮件确认。今后不会再扣款。感谢您曾经的支持。
profile-deleted-home = 返回首页

# 最后一封邮件。
profile-mail-deleted-subject = 您的账户已删除
profile-mail-deleted-action = 查看网站
profile-mail-deleted = 您的账户及其中与您有关的内容已删除。这是发往此地址的最后一封邮件。
profile-mail-deleted-charges = 今后不会再扣款。
profile-mail-deleted-stranger = 如果不是您本人操作，说明有人知道您的密码。请联系我们，并在其他使用该密码的地方更改密码。

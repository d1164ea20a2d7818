# 为什么不能阅读：一句话，以及它的含义。
denied-never-subscribed = 您还没有订阅
denied-never-subscribed-text = 会员内容仅供订阅者阅读。您的账户已就绪，只需选择一个套餐。
denied-trial-ended = 您的试用已结束
denied-trial-ended-text = 感谢您的试用。您的账户保持原样，选择套餐即可继续阅读。
denied-period-ended = 您的订阅已到期
denied-period-ended-text = 目前没有已付费的期限。您的账户保持原样，选择套餐即可继续阅读。
denied-payment-failed = 您最近一次付款未成功
denied-payment-failed-text = 请在 Stripe 页面检查银行卡并支付未付账单：付款成功后，阅读权限会自动恢复。常见原因是银行卡已过期，或者银行需要您确认。
denied-canceled = 您的订阅已取消
denied-canceled-text = 今后不会再扣款。您随时可以回来：选择一个套餐即可。
denied-paused = 您的订阅已暂停
denied-paused-text = 暂停期间不会扣款，也无法阅读会员内容。如需继续阅读，请联系我们恢复订阅；或在 Stripe 页面结束订阅后重新选择套餐。
denied-second-trial-text = 每人只有一次试用机会，这个邮箱地址已经用过。请选择套餐后阅读。
denied-email-unconfirmed = 请先确认邮箱再阅读
denied-email-unconfirmed-text = 您的账户已就绪，不会有任何损失。请打开我们发送到您邮箱的邮件中的链接。如果没有收到，请查看垃圾邮件文件夹，或重新发送。
denied-plan-not-included = 您的套餐不包含此内容
denied-plan-not-included-text = 您现有的权限不受影响。如需阅读此处内容，请选择其他套餐。

# 用一个词说明状态。
status-trial = 试用中
status-active = 有效
status-past-due = 付款逾期
status-canceled = 已取消
status-expired = 已到期
status-nothing = 未订阅

# 到什么时候，或从什么时候起。
status-renews-on = 续订时间：{ $until }
status-ends-on = 到期时间：{ $until }
status-ended-on = 结束时间：{ $since }

# 可以怎么做。
status-see-plans = 查看套餐
status-choose-plan = 选择套餐
status-check-card = 检查银行卡
status-open-at-stripe = 在 Stripe 页面打开
status-to-account = 前往账户
status-read = 阅读

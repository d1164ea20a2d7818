# What staff see.
admin-pages = 管理页面
admin-subscribers = 订阅者
admin-to-subscribers = 前往订阅者列表
admin-only-title = 只有管理员可以执行此操作
admin-only = 您的账户属于客服：可以查看全部内容，但不能更改阅读权限。请联系管理员。

# The list.
admin-search = 搜索
admin-search-hint = 姓名、邮箱，或完整的 Stripe 编号
admin-status = 状态
admin-kind = 类型
admin-plan = 套餐
admin-any = 全部
admin-twice = 同时有两个订阅
admin-twice-word = 两个订阅
admin-unconfirmed = 邮箱未确认
admin-show = 显示
admin-show-all = 显示所有人
admin-people = { $count } 人
admin-more-than = 超过 { $count } 人
admin-csv = 下载此列表（CSV）
admin-nobody = 没有符合条件的人。请去掉一个筛选条件，或缩短搜索内容。
admin-name = 姓名
admin-access-end = 权限到期
admin-signed-up = 注册时间
admin-renews = 之后续订
admin-locked = 已锁定
admin-first-page = 第一页
admin-next-page = 下一页
admin-unknown-filter = 没有这个筛选条件，因此不显示任何内容。请返回列表重新选择。
admin-unknown-place = 此页面地址已损坏。请返回列表的第一页。

# Where access comes from.
admin-kind-trial = 六个月试用
admin-kind-recurring = Stripe 订阅
admin-kind-prepaid = 一次性付费月数
admin-kind-complimentary = 由我们赠送

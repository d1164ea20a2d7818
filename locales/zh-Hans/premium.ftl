premium-title = 阅读
premium-none = 这里还没有内容，请稍后再来。
premium-all = 全部页面
premium-next = 下一篇
premium-renews = 您的阅读权限将于 { $until }续订。
premium-ends = 您的阅读权限将于 { $until }结束。
premium-account = 账户

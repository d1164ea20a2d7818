plans-title = 套餐
plans-choose-one = 请选择一个套餐，付款确认后即可阅读。
plans-left = 您还剩 { $left }，至 { $until }。剩余时间会保留：无论选择哪个套餐，都在剩余时间用完后才开始计算。
plans-have = 您正在使用套餐“{ $plan }”。
plans-have-renews = 您正在使用套餐“{ $plan }”，续订时间：{ $until }。
plans-have-ends = 您正在使用套餐“{ $plan }”，到期时间：{ $until }。
plans-nothing-twice = 无需重复购买：您可以在 Stripe 页面更换套餐，或在当前套餐结束后购买其他套餐。<a href="/account">前往账户</a>
plans-none = 目前没有可购买的套餐。
plans-choose = 选择<span class="unseen"> { $plan }</span>
plans-go-on = 继续购买此套餐<span class="unseen"> { $plan }</span>
plans-at-stripe = 付款在 Stripe 的页面完成，卡号不会经过本站。
plans-came-back = 您离开了付款页面，没有被扣款。

# 单个套餐。
plans-price = <strong>{ $price }</strong> / { $every }
plans-price-unknown = 价格在结账时显示。
plans-recurring = 自动续订。可随时取消，取消后仍可阅读到已付费期限结束。
plans-prepaid = 一次性付费：{ $months } 个月，从您现有期限结束时算起。到期自动结束，无需取消。
plans-every-day = { $count ->
    [1] 天
   *[other] { $count } 天
}
plans-every-week = { $count ->
    [1] 周
   *[other] { $count } 周
}
plans-every-month = { $count ->
    [1] 月
   *[other] { $count } 个月
}
plans-every-year = { $count ->
    [1] 年
   *[other] { $count } 年
}

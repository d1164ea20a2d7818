payments-title = 付款记录
payments-paid = 已付款
payments-pending = 确认中
payments-failed = 未付款
payments-partly-refunded = 部分退款
payments-refunded = 已退款
payments-disputed = 有争议
payments-charged-back = 已被银行撤回
payments-amount-refunded = 已退还 { $amount }
payments-receipt = 收据<span class="unseen">：{ $what }，{ $moment }</span>
payments-pay = 去付款<span class="unseen">：{ $what }，{ $moment }</span>
payments-being-confirmed = 您有一笔付款正在确认，可能需要几天。无需再次付款：款项到账后，阅读权限会自动开通。
payments-newest = 以上是最近的 { $count } 笔。如需查询更早的付款，请联系我们。
payments-subscription = 订阅

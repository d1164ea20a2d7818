# 每封邮件通用。
mails-hello = { $name }，您好：
mails-hello-stranger = 您好：
mails-next = { $action }：{ $link }
mails-why = 您收到这封邮件，是因为此邮箱在 { $site } 有账户。
mails-why-linked = 您收到这封邮件，是因为此邮箱在 <a href="{ $site }">{ $site }</a> 有账户。
mails-check-card = 检查银行卡
mails-see-plans = 查看套餐
mails-see-account = 查看账户

# 付款未成功。
mails-failed-subject = 您的付款未成功
mails-failed = { $known ->
    [both] 您为“{ $plan }”支付的 { $amount } 未成功。
    [amount] 您的 { $amount } 付款未成功。
    [plan] 您为“{ $plan }”进行的一笔付款未成功。
   *[neither] 您的一笔付款未成功。
}
mails-failed-prepaid = 您没有被扣款。您可以随时重新选择套餐并付款。
mails-failed-again = 系统将于 { $moment }自动重试。请在此之前检查您的银行卡：卡可能已过期，或者银行需要您确认这笔付款。
mails-failed-check = 请检查您的银行卡：卡可能已过期，或者银行需要您确认这笔付款。
mails-failed-for-good = 系统不会再自动重试。请检查您的银行卡：卡可能已过期，或者银行需要您确认这笔付款。
mails-failed-closed = 在付款成功之前，您无法阅读会员内容。

# 订阅已结束。
mails-ended-subject = 您的订阅已结束
mails-ended = { $known ->
    [plan] 您的订阅“{ $plan }”已于 { $moment }结束，今后不会再为它扣款。
   *[neither] 您的订阅已于 { $moment }结束，今后不会再为它扣款。
}
mails-ended-another = 您的另一项订阅仍然有效，您可以照常阅读会员内容。
mails-ended-other-access = 您还有期限更长的阅读权限：您可以阅读会员内容至 { $moment }。

# 退款。
mails-refunded-subject = 您的退款正在处理
mails-refunded = { $known ->
    [both] 您为“{ $plan }”支付的 { $amount } 已全额退款。
    [amount] 您支付的 { $amount } 已全额退款。
    [plan] 您为“{ $plan }”支付的款项已全额退款。
   *[neither] 您的付款已全额退款。
}
mails-refunded-partly = { $known ->
    [both] 您为“{ $plan }”支付的款项，目前已退还 { $amount }。
    [amount] 您支付的款项，目前已退还 { $amount }。
    [plan] 您为“{ $plan }”支付的款项，目前已退还一部分。
   *[neither] 您支付的款项，目前已退还一部分。
}
mails-refunded-days = 款项将原路退回，银行可能需要 5 到 10 个工作日才会显示。
mails-reads-until = 您可以阅读会员内容至 { $moment }。
mails-closed = 您现在无法阅读会员内容。您的账户会保留，您可以随时重新选择套餐。

# 银行撤回了款项。
mails-dispute-subject = 您的付款已被撤回
mails-dispute = { $known ->
    [both] 由于这笔付款存在争议，您的银行已撤回您为“{ $plan }”支付的 { $amount }。
    [amount] 由于这笔付款存在争议，您的银行已撤回您支付的 { $amount }。
    [plan] 由于这笔付款存在争议，您的银行已撤回您为“{ $plan }”支付的款项。
   *[neither] 由于这笔付款存在争议，您的银行已撤回您支付的款项。
}

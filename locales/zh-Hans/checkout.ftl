# 付款后返回的页面。
checkout-look-again = 再查一次
checkout-look-again-now = 立即再查一次

checkout-pending = 正在确认您的付款
checkout-pending-text = 谢谢。我们正在等待 Stripe 的确认，通常只需几秒钟。本页面会自动刷新。
checkout-slow = 仍在确认您的付款
checkout-slow-text = 这次比平常慢，但不会有任何损失：一收到 Stripe 的付款通知，您的阅读权限就会开通，关闭此页面也不受影响。
checkout-slow-aside = 您无需再次付款。如果您没有付款就离开了 Stripe 的页面，则没有被扣款，请<a href="/plans">重新选择</a>。
checkout-delayed = 您的银行正在确认付款
checkout-delayed-text = 这需要几天时间。款项到账后我们会开通您的阅读权限；您无需任何操作，也无需再次付款。
checkout-active = 订阅成功
checkout-active-once = 您的付款已到账
checkout-active-text = 您的付款已确认，祝您阅读愉快。
checkout-back = 继续访问 { $host }
checkout-failed = 付款被拒绝
checkout-failed-text = 您的银行没有批准这笔付款，您没有被扣款。您可以换一张卡或换一种付款方式重试。
checkout-closed = 没有付款
checkout-closed-text = 付款页面在付款之前已关闭，您没有被扣款。如需重试，请选择套餐。
checkout-nothing = 没有待确认的付款
checkout-nothing-text = 此页面用于跟踪您的付款，目前没有正在进行的付款。请到账户页面查看当前状态。

# 订阅上无法进行的操作。
subscription-nothing-to-cancel = 没有可取消的订阅
subscription-nothing-to-cancel-text = 您没有会自动续订的订阅，因此不会被扣款。您可以阅读到什么时候，请查看账户页面。
subscription-nothing-to-resume = 没有可恢复的订阅
subscription-nothing-to-resume-text = 您没有可以继续的订阅。想继续阅读，请选择套餐。
subscription-payment-open = 您最近一次付款未成功
subscription-payment-open-text = 没有作任何更改：请先完成未付的款项。从账户页面可前往 Stripe 的页面，换一张卡付款，或者结束订阅。
subscription-paused = 您的订阅已暂停
subscription-paused-text = 没有作任何更改，暂停期间也不会扣款。从账户页面可前往 Stripe 的页面，恢复或结束订阅。
subscription-over = 您的订阅已结束
subscription-over-text = 订阅已彻底结束，无法再更改，今后也不会扣款。想继续阅读，请选择套餐。

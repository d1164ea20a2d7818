# 所有错误页面。
errors-code = 错误 { $status }
errors-request = 如需帮助，请提供编号 <code>{ $id }</code>。
errors-to-home = 返回首页
errors-to-log-in = 登录
errors-back-to-log-in = 返回登录

# 各种状态的含义。
errors-400-title = 我们无法理解这个请求
errors-400 = 请求的格式不正确。请返回上一页，刷新后重试。
errors-401-title = 请先登录
errors-401 = 此页面需要登录，您的会话已结束。
errors-403-title = 请求来自其他网站
errors-403 = 这个请求不是从本站页面发出的，因此未作任何处理。请在本站打开页面后重试。
errors-404-title = 找不到此页面
errors-404 = 地址可能输入有误，或者页面已移走。
errors-405-title = 这里不能这样操作
errors-405 = 不能以这种方式访问此地址。请从带有其链接的页面开始。
errors-408-title = 请求超时
errors-408 = 请求没有及时到达。请检查网络连接后重试。
errors-413-title = 发送的内容太大
errors-413 = 发送的内容超出了允许的大小。请减少内容后重试。
errors-415-title = 无法读取这种格式
errors-415 = 此页面不支持该请求的格式。
errors-429-title = 尝试次数过多
errors-429 = 为了保护账户安全，多次失败后我们会放慢速度。请等几分钟后再试。
errors-429-login = 密码输错次数过多。请在 { $wait }后重试。如果这是您的账户，您不必等待：通过邮件设置新密码，即可立即登录。
errors-429-reset = 通过邮件设置新密码
errors-429-wait = 为了保护账户安全，多次失败后需要放慢速度。请在 { $wait }后重试。
errors-503-title = 请稍候
errors-503 = 我们依赖的某项服务暂时没有响应。没有任何数据丢失，请一分钟后重试。
errors-500-title = 我们这边出了问题
errors-500 = 这不是您的错，问题已被记录。请一分钟后重试。
errors-other-title = 操作未成功
errors-other = 请返回上一页后重试。

# 更具体的说明。
errors-form-cut = 表单没有完整送达。请返回上一页重新提交。
errors-no-plan = 没有这个套餐。请返回套餐页面重新选择。
errors-busy = 现在有很多人在注册或登录。请几秒钟后重试。
errors-payment-refused = 支付服务没有接受这次请求，您没有被扣款。请稍后重试，或联系我们。
errors-payment-silent = 支付服务暂时没有响应，您没有被扣款。请一分钟后重试。
errors-change-refused = 支付服务没有接受这次请求，没有作任何更改。请稍后重试，或联系我们。
errors-change-in-doubt = 支付服务暂时没有响应。请一分钟后查看您的账户：如果情况没有变化，请重试。

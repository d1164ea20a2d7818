# 每个页面的外框。
frame-skip = 跳到正文
frame-sandbox-label = 沙盒
frame-sandbox = <strong>沙盒模式。</strong>不会产生真实扣款。<a href="{ $url }">打开沙盒</a>
frame-navigation = 主导航
frame-read = 阅读
frame-plans = 套餐
frame-account = 账户
frame-admin = 管理
frame-log-out = 退出登录
frame-log-in = 登录
frame-sign-up = 注册
frame-foot = { $site }：付费多久，开放多久，分秒不差。

login-title = 登录
login-button = 登录
login-new-here = 还没有账户？<a href="{ $signup }">开始六个月免费试用</a>。
login-to-read = 请登录后阅读此页面。
login-to-pay = 请登录或注册，以继续购买套餐。
login-wrong = 邮箱或密码错误，请检查后重试。

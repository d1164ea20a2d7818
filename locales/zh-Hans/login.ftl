login-title = 登录
login-button = 登录
login-new-here = 还没有账户？<a href="{ $signup }">开始六个月免费试用</a>。
login-to-read = 请登录后阅读此页面。
login-to-pay = 请登录或注册，以继续购买套餐。
login-locked = 此账户已被锁定
login-locked-text = 本站的管理人员锁定了此账户。如果您不知道原因，请与他们联系。您的数据不会丢失，订阅在取消之前会继续。
login-wrong = 邮箱或密码错误，请检查后重试。

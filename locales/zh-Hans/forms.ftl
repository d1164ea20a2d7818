# 每个表单通用。
forms-error-title = 错误：{ $title }
forms-fields-wrong = 有 { $count } 项需要修改。
forms-optional = 选填
forms-email = 邮箱
forms-password = 密码
forms-show = 显示
forms-hide = 隐藏
forms-show-password = 显示密码
forms-hide-password = 隐藏密码

# 邮箱地址的问题。
forms-email-empty = 请输入您的邮箱地址。
forms-email-too-long = 这个地址太长，不是有效的邮箱地址。
forms-email-at = 邮箱地址中应有一个 @，例如 ada@example.com。
forms-email-character = 邮箱地址不能包含空格或不可见字符。
forms-email-local = @ 前面有不允许的字符，或者点的位置不对。
forms-email-look-alike = @ 前面有外形相似的特殊字母，请改用普通字母。
forms-email-domain = @ 后面不是有效的域名，域名的例子：example.com。

# 个人资料的问题。
forms-name-empty = 请输入姓名。
forms-name-too-long = 最多 100 个字符。
forms-title-too-long = 最多 50 个字符。
forms-phone-shape = 请输入电话号码，例如 +49 30 1234567；也可以留空。
forms-phone-too-long = 最多 40 个字符。
forms-zone-unknown = 请从列表中选择时区，例如 Europe/Berlin。
forms-language-unknown = 请从列表中选择语言。
forms-control = 请删除不可见的控制字符。

# 密码的问题。
forms-password-empty = 请输入密码。
forms-password-too-short = 至少 10 个字符。
forms-password-too-long = 最多 128 个字符。
forms-password-personal = 太容易被猜到：它由您的姓名或邮箱地址组成。请改用几个互不相关的词。
forms-password-our-name = 太容易被猜到：它由本站软件的名称组成。请改用几个互不相关的词。
forms-password-common = 太容易被猜到：很多人都在用这个密码。请改用几个互不相关的词。
forms-password-close-to-common = 太容易被猜到：它与常见密码很相似。请改用几个互不相关的词。
forms-password-keyboard = 太容易被猜到：这些按键在键盘上彼此相邻。请改用几个互不相关的词。
forms-password-repeats = 太容易被猜到：内容有重复。请改用几个互不相关的词。
forms-password-sequence = 太容易被猜到：它是一串连续的字符。请改用几个互不相关的词。
forms-password-date = 太容易被猜到：它主要是一个日期。请改用几个互不相关的词。
forms-password-single-word = 太容易被猜到：它只是一个单词。请再加两三个互不相关的词。
forms-password-name = 太容易被猜到：它是一个人名。请再加两三个互不相关的词。
forms-password-guessable = 太容易被猜到。请再加一两个不常见的词。

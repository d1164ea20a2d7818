# 剩余的时间。
time-none = 没有剩余时间
time-less-than-a-minute = 不到 1 分钟
time-seconds = { $count } 秒
time-minutes = { $count } 分钟
time-hours = { $count } 小时
time-days = { $count } 天
